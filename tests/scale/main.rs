//! Stores and engines past one machine, against real servers.
//!
//! Short forms run in every check, long ones where `LOOPWRIGHT_LONG` is set (`.ci/long`).

#[cfg(feature = "postgres")]
#[path = "../serve/client.rs"]
#[expect(dead_code, reason = "the tests here need no requests that are wrong")]
mod client;
#[cfg(feature = "postgres")]
mod deploy;
#[cfg(any(feature = "postgres", feature = "restate"))]
mod desk;
mod host;
#[cfg(any(feature = "postgres", feature = "restate"))]
mod ledger;
#[cfg(feature = "postgres")]
mod postgres;
mod queue;
mod queue_faults;
#[cfg(feature = "restate")]
mod restate;
#[cfg(feature = "postgres")]
mod scenarios;
#[cfg(any(feature = "postgres", feature = "restate"))]
mod shipped;
mod troubled;
#[cfg(any(feature = "postgres", feature = "restate"))]
#[path = "../until.rs"]
mod until;
#[cfg(feature = "postgres")]
mod work;
#[cfg(feature = "postgres")]
mod world;

#[cfg(any(feature = "postgres", feature = "restate"))]
#[path = "../parts.rs"]
#[expect(dead_code, reason = "the tests here need only what says that something is skipped")]
mod parts;

#[cfg(any(feature = "postgres", feature = "restate"))]
#[path = "../long.rs"]
mod long;
