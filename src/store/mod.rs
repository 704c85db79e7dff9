//! Where runs are kept: in memory, or in a file.
//!
//! - [`Memory`] lasts as long as the process.
//! - [`this_process`] signs leases, so that one of a process that has ended is over at once.
//! - [`Sqlite`] is a file that outlives it; [`survey`] says what of such a file can still be read,
//!   [`purge`] removes runs from it, and [`mark`] says which store it is.

mod memory;
mod process;
mod sqlite;

pub use memory::Memory;
pub use process::this_process;
pub use sqlite::{Purge, Purged, RunSurvey, Sqlite, StoreIdentity, Survey, Wanted, mark, purge, survey};
