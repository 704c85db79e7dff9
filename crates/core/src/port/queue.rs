//! Runs that any of several workers may drive.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::journal::Lease;
use crate::machine::{QuestionId, Start, Time};
use crate::value::{Str, Value};

/// A message for a run, left for whoever drives it next or drives it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message {
    /// The run is to begin. It was only created so far; a run that has begun drops this.
    Start(Box<Start>),
    /// An answer to a question. One to a question that is no longer open is dropped.
    Answer {
        /// The question.
        ask: QuestionId,
        /// The answer.
        answer: Value,
    },
    /// The run is to end for good.
    Cancel {
        /// The reason, as the journal has it.
        reason: Str,
    },
    /// The run is to continue from where `rollback` or `fork` put it.
    Resume,
}

/// A message as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedMessage {
    /// Its number: later messages of a run have higher ones. [`Commit::messages`](super::Commit::messages) takes it.
    pub number: u64,
    /// The run it is for.
    pub run: Str,
    /// The message.
    pub message: Message,
}

/// The wants of a worker that has room for runs.
#[derive(Debug, Clone, Copy)]
pub struct WorkRequest<'a> {
    /// The owner of the leases.
    pub owner: &'a str,
    /// The time they last.
    pub ttl: Duration,
    /// The digests of the programs that the worker has.
    pub programs: &'a [Str],
    /// The time by the worker's clock, which says whose timers have run out.
    pub now: Time,
    /// The greatest number of runs.
    pub limit: usize,
}

/// A run that is a worker's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenRun {
    /// The id of the run.
    pub run: Str,
    /// The digest of the program it goes by now.
    pub program: Str,
    /// The lease on it.
    pub lease: Lease,
}

/// The runs that a worker got.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenRuns {
    /// The runs, the longest due first.
    pub runs: Vec<TakenRun>,
    /// The time at which the next timer of a run of those programs runs out, if one is set.
    pub next: Option<Time>,
}
