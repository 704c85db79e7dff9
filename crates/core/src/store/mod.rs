//! Stores of runs: in memory, or in a file.
//!
//! - [`conformance`] puts any store to the promises of [`Store`](crate::port::Store).
//! - [`Memory`] lasts as long as the process.
//! - [`this_process`] signs leases, so that one of a process that has ended is over at once.
//! - [`Sqlite`] is a file that outlives it; [`survey`] says what of such a file can still be read,
//!   [`purge`] removes runs from it, and [`mark`] says which store it is.
//!
//! # Why
//! - Pages, commits and sums have pages of their own among the decisions (`docs/decisions`, 0016 to 0018).
//! - An answer that is stored for later runs has a row of its own and costs one sync. Under a script, the script's digest is
//!   part of the request, so no scripted answer reaches a real run.

pub mod conformance;
mod memory;
mod process;
mod sqlite;

pub use memory::Memory;
pub use process::this_process;
pub use sqlite::{Purge, Purged, RunSurvey, Sqlite, StoreIdentity, Survey, Wanted, mark, purge, survey};
