//! Where runs are kept.

use serde::{Deserialize, Serialize};

use super::BoxFuture;
use crate::machine::{Event, Snapshot, Time};
use crate::value::Str;

/// Keeps the events of runs, and snapshots of them.
pub trait Store: Send + Sync {
    /// Notes a new run.
    ///
    /// # Errors
    /// [`StoreError::Exists`], or what failed below.
    fn create<'a>(&'a self, run: &'a RunInfo) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Appends events, whose numbers follow those that are there; a run of which nothing is there may begin with any.
    /// When the future ends they are durable.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], [`StoreError::Gap`], or what failed below; then none of them was kept.
    fn append<'a>(&'a self, run: &'a str, events: &'a [Event]) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Keeps the snapshot that is current at a step: the number of transitions the root graph has made. Those of
    /// later steps belong to a way the run has left, and may be forgotten.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], or what failed below.
    fn save<'a>(
        &'a self,
        run: &'a str,
        step: u64,
        snapshot: &'a Snapshot,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Notes how a run stands.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], or what failed below.
    fn mark<'a>(&'a self, run: &'a str, status: &'a Status) -> BoxFuture<'a, Result<(), StoreError>>;

    /// All events of a run, in order.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], or what failed below.
    fn events<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<Event>, StoreError>>;

    /// The first snapshot of a run that was kept at `step`, or at the last step before it; with no step the latest of
    /// all.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], or what failed below.
    fn snapshot<'a>(
        &'a self,
        run: &'a str,
        step: Option<u64>,
    ) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>>;

    /// All runs, the oldest first.
    ///
    /// # Errors
    /// What failed below.
    fn runs(&self) -> BoxFuture<'_, Result<Vec<RunInfo>, StoreError>>;
}

/// What is known about a run without reading its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Its id.
    pub run: Str,
    /// The id of its graph.
    pub graph: Str,
    /// The digest of its program.
    pub program: Str,
    /// When it began.
    pub started: Time,
    /// How it stands.
    pub status: Status,
}

/// How a run stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// It is being driven, or was when it was last heard of.
    Running,
    /// It waits for a person.
    Waiting,
    /// It ended.
    Done {
        /// With this outcome.
        outcome: Str,
        /// Whether that is a success.
        ok: bool,
    },
}

/// Why a store does not do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is a run of that id.
    #[error("there is a run `{0}` already")]
    Exists(Str),
    /// There is no run of that id.
    #[error("there is no run `{0}`")]
    Unknown(Str),
    /// An event does not follow the last one.
    #[error("event {found} was to be kept where event {wanted} comes next")]
    Gap {
        /// The number that comes next.
        wanted: u64,
        /// The number it has.
        found: u64,
    },
    /// Something below failed: a disk, a database.
    #[error("{0}")]
    Failed(String),
}
