//! The faults of stores.

use std::time::Duration;

use super::process::ProcessSignature;
use crate::value::Str;

/// An error of a store.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is a run of that id.
    #[error("there is a run `{0}` already")]
    Exists(Str),
    /// There is no run of that id.
    #[error("there is no run `{0}`")]
    Unknown(Str),
    /// The run has not ended.
    #[error("the run `{0}` has not ended")]
    Unfinished(Str),
    /// An event does not follow the last one.
    #[error("event {found} was to be stored where event {wanted} comes next")]
    Gap {
        /// The number that comes next.
        wanted: u64,
        /// The number it has.
        found: u64,
    },
    /// Somebody else drives the run.
    #[error("the run `{run}` is driven by {}; wait until that ends, or for {}", ProcessSignature::named(.owner), seconds(*.left))]
    Held {
        /// The id of the run.
        run: Str,
        /// The owner of the lease.
        owner: Str,
        /// The time their lease still lasts if it is not renewed.
        left: Duration,
    },
    /// The lease under which the run was driven is gone.
    #[error("the run `{run}` was taken over by {}; this process stores nothing more", ProcessSignature::named(.by))]
    Lost {
        /// The id of the run.
        run: Str,
        /// The new owner.
        by: Str,
    },
    /// A message for a run is not stored.
    #[error("a message for the run `{run}` is refused: {why}")]
    NotPosted {
        /// The id of the run.
        run: Str,
        /// The reason and its cure.
        why: String,
    },
    /// A run, or something else that is stored, is not what was written.
    #[error("{what} is damaged: {why}")]
    Damaged {
        /// The part that is damaged, such as "the run `a`".
        what: String,
        /// The place, and the symptom.
        why: String,
    },
    /// The file is no store, was written by a later version, or is damaged as a whole.
    #[error("{path}: {why}")]
    Refused {
        /// The file.
        path: String,
        /// The fault and its cure.
        why: String,
    },
    /// There is no room on the disk.
    #[error("the disk is full: {0}")]
    Full(String),
    /// Something below failed: a disk, a database.
    #[error("{0}")]
    Failed(String),
}

fn seconds(left: Duration) -> String {
    format!("{} s", left.as_secs().saturating_add(1))
}
