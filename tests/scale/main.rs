//! Stores and engines past one machine, against real servers.

#[cfg(feature = "restate")]
mod restate;

#[cfg(feature = "restate")]
#[path = "../parts.rs"]
#[expect(dead_code, reason = "the tests here need only what says that something is skipped")]
mod parts;
