//! Runs that any of several workers may drive.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::BoxFuture;
use super::journal::Lease;
use super::store::{Store, StoreFuture};
use crate::machine::{QuestionId, Time};
use crate::value::{Str, Value};

/// A message for a run, left for whoever drives it next or drives it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message {
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

/// A store whose runs are driven by any number of workers.
///
/// A run is *due* if nobody has a lease on it, it has begun and not ended, and something is to be done: a message is
/// there, [`Commit::due`](super::Commit::due) of its last commit has come, or that commit was made by somebody who drove
/// it no further.
pub trait Queue: Store {
    /// Takes runs that are due and go by one of the programs, with a lease on each. Of workers that take at once each gets
    /// other runs.
    ///
    /// # Errors
    /// What failed below.
    fn take_due<'a>(&'a self, request: WorkRequest<'a>) -> StoreFuture<'a, TakenRuns>;

    /// Keeps a message for a run, and gives its number. When the future ends it is durable. The message is there until a
    /// commit takes it.
    ///
    /// # Errors
    /// [`StoreError::Unknown`](super::StoreError::Unknown), or what failed below.
    fn post<'a>(&'a self, run: &'a str, message: &'a Message) -> StoreFuture<'a, u64>;

    /// The messages that no commit has taken, of all runs that have not ended and on which that owner has a lease; those of a run in their order.
    ///
    /// # Errors
    /// What failed below.
    fn messages<'a>(&'a self, owner: &'a str) -> StoreFuture<'a, Vec<PostedMessage>>;

    /// Ends when a run may have become due or a message may have come since this was called. It may end without a reason,
    /// and a change may be missed while the store is not reached: whoever waits looks now and then all the same.
    fn changed(&self) -> BoxFuture<'_, ()>;
}
