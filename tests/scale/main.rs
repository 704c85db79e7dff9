//! Stores and engines past one machine, against real servers.

#[cfg(feature = "postgres")]
mod postgres;
