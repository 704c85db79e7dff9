//! Workers: they drive runs that others began, each kind from a queue or for an engine of its own.
//!
//! - `restate`: drives runs for a Restate server. A second engine is another folder here.

#[cfg(feature = "restate")]
pub mod restate;
