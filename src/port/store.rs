//! Where runs are kept.

use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;
use serde::{Deserialize, Serialize};

use super::BoxFuture;
use super::journal::{Commit, Entry, Kept, Lease, ProgramText};
use super::process::Process;
use crate::machine::{Event, Time};
use crate::value::{Str, Value};

/// What comes of a question to a store.
pub type Stored<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Keeps the journals of runs, and snapshots of them.
///
/// Every method but [`Store::create`] and those without a run fails with [`StoreError::Unknown`] for a run that is
/// not there, and with what failed below.
pub trait Store: Send + Sync {
    /// Notes a new run, or one of the same program of which nothing was kept yet: it was cut off before it began.
    ///
    /// # Errors
    /// [`StoreError::Exists`], or what failed below.
    fn create<'a>(&'a self, run: &'a RunInfo) -> Stored<'a, ()>;

    /// Keeps what belongs to one effect. When the future ends it is durable.
    ///
    /// # Errors
    /// [`StoreError::Gap`] if the events do not follow those that are there, [`StoreError::Lost`] if somebody else
    /// drives the run, or what failed below; then nothing of it was kept.
    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> Stored<'a, ()>;

    /// What the state behind the first `at` entries is built from; with none, the state behind all of them.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read whole, or what failed below.
    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> Stored<'a, Kept>;

    /// The whole journal of a run.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read whole, or what failed below.
    fn entries<'a>(&'a self, run: &'a str) -> Stored<'a, Vec<Entry>>;

    /// All events of a run, in order.
    ///
    /// # Errors
    /// As [`Store::entries`].
    fn events<'a>(&'a self, run: &'a str) -> Stored<'a, Vec<Event>> {
        async move { Ok(self.entries(run).await?.into_iter().flat_map(|entry| entry.events).collect()) }
            .boxed()
    }

    /// All runs, the oldest first.
    ///
    /// # Errors
    /// What failed below.
    fn runs(&self) -> Stored<'_, Vec<RunInfo>>;

    /// Makes `owner` the one who drives a run for the time `ttl` but no longer than [`Lease::LONGEST`], or for as much
    /// longer if it is already. Whoever has a lease hands it to each commit. An owner that is signed by a
    /// [`Process`] loses its lease when that ends, where the store can tell.
    ///
    /// # Errors
    /// [`StoreError::Held`] while somebody else's lease has not run out, or what failed below.
    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> Stored<'a, Lease>;

    /// Gives a lease back; one that was lost is no error.
    ///
    /// # Errors
    /// What failed below.
    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> Stored<'a, ()>;

    /// Returns the driver of a run: whoever has a lease of it that has not run out. A store that has no leases knows of nobody.
    ///
    /// # Errors
    /// The store cannot be read.
    fn driver<'a>(&'a self, run: &'a str) -> Stored<'a, Option<Str>> {
        let _ = run;
        ready(Ok(None)).boxed()
    }

    /// Keeps the texts of a program. Of two with one digest the first stays.
    ///
    /// # Errors
    /// What failed below.
    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> Stored<'a, ()>;

    /// The texts of the program of that digest.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], or what failed below.
    fn program<'a>(&'a self, digest: &'a str) -> Stored<'a, Option<ProgramText>>;

    /// The answer of a model that was kept for a request. This is a short read and no future: whoever asks must know
    /// before a model is asked. A store that keeps no answers has none.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], or what failed below.
    fn answer(&self, request: &str) -> Result<Option<Value>, StoreError> {
        let _ = request;
        Ok(None)
    }

    /// Keeps the answer of a model for equal requests, in place of an earlier one; `at` is when it was asked for. Of more
    /// than [`Answers::MOST`](super::Answers::MOST) the oldest goes.
    ///
    /// # Errors
    /// What failed below.
    fn keep_answer<'a>(&'a self, request: &'a str, answer: &'a Value, at: Time) -> Stored<'a, ()> {
        let _ = (request, answer, at);
        ready(Ok(())).boxed()
    }
}

/// What is known about a run without reading its journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Its id.
    pub run: Str,
    /// The id of its graph.
    pub graph: Str,
    /// The digest of the program it began with.
    pub program: Str,
    /// When it began.
    pub started: Time,
    /// How it stands.
    pub status: Status,
}

/// How a run stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// It is being driven, or was when it was last heard of: without a driver it was interrupted.
    Running,
    /// It stands where somebody put it, at an earlier step or as a branch of another run, and goes on when it is resumed.
    Ready,
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

impl Status {
    /// The outcome of a run that was ended from outside.
    pub const CANCELLED: &str = "cancelled";

    /// The state of a run in one word, as people and programs are told; `driven` is true where somebody drives it now.
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

/// Why a store does not do what it is asked.
#[derive(Debug, Clone, thiserror::Error)]
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
    #[error("event {found} was to be kept where event {wanted} comes next")]
    Gap {
        /// The number that comes next.
        wanted: u64,
        /// The number it has.
        found: u64,
    },
    /// Somebody else drives the run.
    #[error("the run `{run}` is driven by {}; wait until that ends, or for {}", Process::named(.owner), seconds(*.left))]
    Held {
        /// The run.
        run: Str,
        /// Who drives it.
        owner: Str,
        /// How long their lease still lasts if it is not renewed.
        left: Duration,
    },
    /// The lease under which the run was driven is gone.
    #[error("the run `{run}` was taken over by {}; nothing more is kept of this one's doing", Process::named(.by))]
    Lost {
        /// The run.
        run: Str,
        /// Who has it now.
        by: Str,
    },
    /// A run, or something else that is kept, is not what was written.
    #[error("{what} is damaged: {why}")]
    Damaged {
        /// What.
        what: String,
        /// Where, and how it shows.
        why: String,
    },
    /// The file is none of ours, of a later version, or not as it should be.
    #[error("{path}: {why}")]
    Refused {
        /// The file.
        path: String,
        /// What is wrong, and what to do.
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
