//! Stores and engines past one machine, against real servers.

#[cfg(feature = "postgres")]
mod desk;
mod host;
#[cfg(feature = "postgres")]
mod postgres;
mod queue;
#[cfg(feature = "restate")]
mod restate;
#[cfg(feature = "postgres")]
mod scenarios;
#[cfg(feature = "postgres")]
mod world;

#[cfg(feature = "restate")]
#[path = "../parts.rs"]
#[expect(dead_code, reason = "the tests here need only what says that something is skipped")]
mod parts;
