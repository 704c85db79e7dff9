//! Stores and engines past one machine, against real servers.

mod host;
#[cfg(feature = "postgres")]
mod postgres;
mod queue;
