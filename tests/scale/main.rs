//! Stores and engines past one machine, against real servers.

#[cfg(feature = "postgres")]
mod desk;
mod host;
#[cfg(feature = "postgres")]
mod postgres;
mod queue;
#[cfg(feature = "postgres")]
mod scenarios;
#[cfg(feature = "postgres")]
mod world;
