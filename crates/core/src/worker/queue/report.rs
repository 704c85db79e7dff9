//! What a worker tells of its runs.

use crate::machine::{Done, Question, Time};
use crate::port::StoreError;
use crate::value::Str;

/// Something that happened to a run of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkNote {
    /// The worker took it.
    Taken,
    /// It ended.
    Ended(Done),
    /// It was given back, and waits.
    Waiting {
        /// The open questions; none if it waits for a timer.
        asks: Vec<Question>,
        /// The time at which the timer runs out, or the first question expires.
        until: Option<Time>,
    },
    /// It was given back because the worker stops; another continues it.
    Left,
    /// It cannot be driven here, for this reason. Its lease runs out by itself.
    Failed(String),
}

/// Hears of the runs of a worker.
pub trait WorkListener: Send + Sync {
    /// Something happened to a run.
    fn noted(&self, run: &Str, note: &WorkNote);

    /// The queue cannot be reached, or failed. The worker tries again.
    fn failed(&self, error: &StoreError);
}
