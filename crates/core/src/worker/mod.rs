//! Workers: they drive runs that others began, each kind from a queue or for an engine of its own.
//!
//! - [`queue`]: takes runs from a [`Queue`](crate::port::Queue), any number of workers beside each other.
//! - `restate`: drives runs for a Restate server. A second engine is another folder here.

pub mod queue;
#[cfg(feature = "restate")]
pub mod restate;
