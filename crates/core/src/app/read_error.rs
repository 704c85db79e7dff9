//! The faults for which a stored run cannot be read.

use crate::diag::Diagnostic;
use crate::drive::{DriveError, RebuildError};
use crate::port::{StoreError, UnmetFunctions};
use crate::source::Sources;
use crate::value::Str;

/// The fault for which a stored run, or a step of it, cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The store cannot read it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The texts of its program were not stored.
    #[error("the program of the run `{0}` was not stored; it was run by another program")]
    NoProgram(Str),
    /// This version does not make the program that it went by from its texts; the findings in them.
    #[error(
        "this version of loopwright reads the run's graph in another way; resume it with the version that started it"
    )]
    OtherProgram(Box<(Vec<Diagnostic>, Sources)>),
    /// Its program calls functions that are not registered in the version that it began with.
    #[error(transparent)]
    Functions(#[from] UnmetFunctions),
    /// The stored entries do not lead anywhere.
    #[error("the run cannot be built again: {0}")]
    Rebuild(#[from] RebuildError),
    /// It cannot be made again from its journal.
    #[error("the run `{run}`: {error}")]
    Replay {
        /// The id of the run.
        run: Str,
        /// The entry that leads nowhere.
        error: RebuildError,
    },
    /// It has not come to the step.
    #[error("the run `{run}`: it is at step {last} and has not reached step {step}")]
    Step {
        /// The id of the run.
        run: Str,
        /// The step it is at.
        last: u64,
        /// The step that was asked for.
        step: u64,
    },
    /// Its driver fails.
    #[error(transparent)]
    Drive(#[from] DriveError),
}
