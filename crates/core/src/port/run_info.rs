//! A stored run at a glance.

use serde::{Deserialize, Serialize};

use crate::machine::Time;
use crate::value::Str;

/// The facts about a run that need no reading of its journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Its id.
    pub run: Str,
    /// The id of its graph.
    pub graph: Str,
    /// The digest of the program it began with.
    pub program: Str,
    /// The start.
    pub started: Time,
    /// The status.
    pub status: RunStatus,
}

/// A stored run as a list shows it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListedRun {
    /// The facts of the run that the store lists.
    pub info: RunInfo,
    /// The transitions that its graph made; none where the run is damaged.
    pub steps: Option<u64>,
    /// The driver that has it now, if any.
    pub driver: Option<Str>,
    /// The number of its events; none where that is found out run by run.
    pub events: Option<u64>,
}

/// The status of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunStatus {
    /// It is being driven, or was when it was last heard of: without a driver it was interrupted.
    Running,
    /// It is where somebody put it, at an earlier step or as a branch of another run, and continues when it is resumed.
    Ready,
    /// It waits for a person.
    Waiting,
    /// It ended.
    Done {
        /// The name of the outcome.
        outcome: Str,
        /// True if that is a success.
        ok: bool,
    },
}

impl RunStatus {
    /// The outcome of a run that was ended from outside.
    pub const CANCELLED: &str = "cancelled";

    /// The state of a run in one word, for people and programs; `driven` is true where somebody drives it now.
    #[must_use]
    pub fn word(&self, driven: bool) -> &'static str {
        match self {
            Self::Running | Self::Ready if driven => "running",
            Self::Running => "interrupted",
            Self::Ready => "ready",
            Self::Waiting => "waiting",
            Self::Done { ok: true, .. } => "ended",
            Self::Done { outcome, .. } if outcome == Self::CANCELLED => "cancelled",
            Self::Done { .. } => "failed",
        }
    }
}
