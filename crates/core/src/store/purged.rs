//! What is to be removed from a store, and what was.

use super::damage;
use super::row::RunRow;
use crate::machine::Time;
use crate::port::{LeaseState, RunStatus, StoreError};
use crate::value::Str;

/// The parts of a store to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purge {
    /// The runs to be removed.
    pub runs: Wanted,
    /// Answers of models that were asked for before this.
    pub answers: Option<Time>,
    /// Only looks what would be removed.
    pub dry: bool,
}

/// Runs that are to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// No runs, where only answers are removed.
    Nothing,
    /// Those that have ended.
    Ended {
        /// Before this; without it, whenever.
        before: Option<Time>,
        /// So many of them, those that began last, stay.
        keep: usize,
    },
    /// Those of these ids, all or none.
    Named {
        /// The ids.
        runs: Vec<Str>,
        /// Also those that have not ended, or are damaged so that nobody can tell.
        unfinished: bool,
    },
}

/// The parts of a store that were removed, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Purged {
    /// The runs, the oldest first.
    pub runs: Vec<Str>,
    /// The number of programs that no run uses any more.
    pub programs: usize,
    /// The number of answers of models.
    pub answers: usize,
    /// The bytes of the file and its log before.
    pub before: u64,
    /// And after.
    pub after: u64,
    /// The error for which space was not given back; later runs use it.
    pub left: Option<String>,
}

impl Purged {
    /// Returns true if nothing was removed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.programs == 0 && self.answers == 0
    }
}

/// Looks whether a run may be removed: nobody drives it, and it has ended or that does not matter.
///
/// # Errors
/// [`StoreError::Held`], [`StoreError::Unfinished`], or [`StoreError::Damaged`] where that cannot be told.
pub(super) fn may_go(
    row: &RunRow,
    lease_state: Result<Option<LeaseState>, StoreError>,
    unfinished: bool,
) -> Result<(), StoreError> {
    let lease_state = match lease_state {
        Err(_) if unfinished => None,
        lease_state => lease_state?,
    };
    if let Some(LeaseState { lease, left: Some(left) }) = lease_state
        && !left.is_zero()
    {
        return Err(StoreError::Held { run: row.info.run.clone(), owner: lease.owner, left });
    }
    match row.info.status {
        _ if unfinished => Ok(()),
        _ if !row.is_whole() => Err(damage::of_row(&row.info.run)),
        RunStatus::Done { .. } => Ok(()),
        RunStatus::Running | RunStatus::Ready | RunStatus::Waiting => {
            Err(StoreError::Unfinished(row.info.run.clone()))
        }
    }
}
