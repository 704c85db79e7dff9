//! Runs that any of several workers may drive.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::journal::Lease;
use super::store_error::StoreError;
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
        /// The name of the person who gives it, if one is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Str>,
    },
    /// The run is to end for good.
    Cancel {
        /// The reason, as the journal has it.
        reason: Str,
        /// The name of the person who ends it, if one is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Str>,
    },
    /// The run is to continue from where `rollback` or `fork` put it.
    Resume {
        /// The name of the person who wants that, if one is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Str>,
    },
}

impl Message {
    /// The run is to continue, as nobody by name wants it.
    pub const RESUME: Self = Self::Resume { by: None };

    /// The greatest number of messages that wait for one run.
    pub const MAX_FOR_RUN: u16 = 1_000;

    /// The greatest length of a message as JSON, in bytes.
    pub const MAX_BYTES: usize = 16 << 20;

    /// The message as JSON, as queues store it for a run.
    ///
    /// # Errors
    /// [`StoreError::NotPosted`] for one that is longer than [`Message::MAX_BYTES`].
    pub fn to_json(&self, run: &str) -> Result<String, StoreError> {
        let not_posted = |why: String| StoreError::NotPosted { run: run.into(), why };
        let json = serde_json::to_string(self)
            .map_err(|error| not_posted(format!("it cannot be written: {error}")))?;
        if json.len() > Self::MAX_BYTES {
            let (found, most) = (json.len(), Self::MAX_BYTES >> 20);
            return Err(not_posted(format!(
                "it has {found} bytes, and a message may have {most} MiB; drive the run without `--detach`"
            )));
        }
        Ok(json)
    }

    /// Refuses one more message for a run for which so many wait.
    ///
    /// # Errors
    /// [`StoreError::NotPosted`] if they are [`Message::MAX_FOR_RUN`].
    pub fn refuse_too_many(run: &str, waiting: usize) -> Result<(), StoreError> {
        let most = Self::MAX_FOR_RUN;
        if waiting < most.into() {
            return Ok(());
        }
        let why = format!("{most} messages wait for it already; a worker takes them: `loopwright work`");
        Err(StoreError::NotPosted { run: run.into(), why })
    }

    /// Returns true if it lets a run begin.
    #[must_use]
    pub const fn is_start(&self) -> bool {
        matches!(self, Self::Start(_))
    }
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

/// The messages for runs of an owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostedMessages {
    /// Those that can be read; those of a run in their order.
    pub messages: Vec<PostedMessage>,
    /// The runs with a message that cannot be read, since it is damaged or of a later version, and why.
    pub unreadable: Vec<(Str, String)>,
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
