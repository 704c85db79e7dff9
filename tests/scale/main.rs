//! Stores and engines past one machine, against real servers.

#[cfg(feature = "postgres")]
mod desk;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod scenarios;
#[cfg(feature = "postgres")]
mod world;
