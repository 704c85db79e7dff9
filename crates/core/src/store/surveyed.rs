//! What a look through a store finds.

use crate::port::RunStatus;
use crate::value::Str;

/// The readable parts of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The faults of the file as a whole.
    pub wrong: Vec<String>,
    /// Its runs, the oldest first.
    pub runs: Vec<RunSurvey>,
}

/// The readable parts of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSurvey {
    /// Its id, as far as it can be read.
    pub run: Str,
    /// The status.
    pub status: RunStatus,
    /// The driver that has it now, if any.
    pub driver: Option<Str>,
    /// The number of entries that were written.
    pub entries: u64,
    /// The number of entries, from the first on, that are intact.
    pub whole: u64,
    /// The number of events in these.
    pub events: u64,
    /// The faults.
    pub wrong: Vec<String>,
}

impl Survey {
    /// Returns true if everything is what was written.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.wrong.is_empty() && self.runs.iter().all(|run| run.wrong.is_empty())
    }
}
