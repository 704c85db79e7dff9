//! Stores of runs: in memory, in a file, or in a Postgres database.
//!
//! - [`conformance`] puts any store to the promises of [`Store`](crate::port::Store).
//! - [`Memory`] lasts as long as the process.
//! - [`this_process`] signs leases, so that one of a process that has ended is over at once.
//! - [`Sqlite`] is a file that outlives it; [`survey`] says what of such a file can still be read,
//!   [`purge`] removes runs from it, and [`mark`] says which store it is.
//! - [`Postgres`](postgres::Postgres) is a database that many machines share.
//! - [`StoreAddress`] names a file or a database, and does with either what there is to do with a store.
//!
//! # Why
//! - Pages, commits and sums have pages of their own among the decisions (`docs/decisions`, 0016 to 0018).
//! - An answer that is stored for later runs has a row of its own and costs one sync. Under a script, the script's digest is
//!   part of the request, so no scripted answer reaches a real run.
//! - Rows, sums and chains are the same in a file and in a database: `row`, `body` and `journal_walk` know of neither.

mod address;
mod body;
pub mod conformance;
mod damage;
mod journal_walk;
mod json;
mod memory;
#[cfg(feature = "postgres")]
pub mod postgres;
mod postgres_address;
mod process;
mod purged;
mod row;
mod snapshot_pace;
mod sqlite;
mod stored_snapshot;
mod surveyed;

pub use address::StoreAddress;
pub use memory::Memory;
pub use postgres_address::{AddressFault, PostgresAddress, TlsMode};
pub use process::this_process;
pub use purged::{Purge, Purged, Wanted};
pub use sqlite::{Sqlite, StoreIdentity, mark, purge, survey};
pub use surveyed::{RunSurvey, Survey};
