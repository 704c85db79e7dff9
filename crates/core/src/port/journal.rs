//! The stored form of a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::process::ProcessSignature;
use super::run_info::{RunInfo, RunStatus};
use super::store_error::StoreError;
use crate::machine::{CallId, Event, InputKind, Outcome, Snapshot, Time};
use crate::value::{List, Str};

/// One entry of a run's journal: something that came in, and what it led to.
///
/// The state of a run is what the [machine](crate::machine) makes of all causes in order, so the entries alone are
/// enough to build it again. The events say what happened, and are what a rebuilt run is held against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The time of arrival.
    pub at: Time,
    /// The input.
    pub cause: EntryCause,
    /// The number of transitions the root graph has made after it.
    pub step: u64,
    /// The events it led to, in order; each has the time of the entry.
    pub events: Vec<Event>,
    /// The name of the person whose act it is, if somebody was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Str>,
}

/// The cause of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryCause {
    /// An input of the machine.
    Input(InputKind),
    /// A person sent the run back to a step. What lies between stays in the journal, as the branch that was left.
    Back {
        /// The entry in which the step was made, from 0.
        to: u64,
        /// The step: so many transitions the root graph had made. What the last of them leads to is entered again.
        step: u64,
    },
    /// A call made after the step of a rollback is about to be undone.
    Undo {
        /// The id of the call.
        call: CallId,
    },
    /// The result of that.
    Undone {
        /// The id of the call.
        call: CallId,
        /// The outcome of the undoing tool.
        outcome: Outcome,
    },
    /// A person let the run continue with an edited graph: its state was carried over to another program.
    Moved {
        /// The digest of that program.
        program: Str,
        /// The catalogue of tools from then on.
        tools: List,
    },
    /// A signal interrupted the run: what was in progress was ended, and nothing of it is settled. Changes no state.
    Interrupted {
        /// The signal's name, as `SIGTERM`.
        signal: Str,
        /// Calls that were wanted and had not begun: they may be made whatever their delivery is.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unmade: Vec<CallId>,
    },
    /// The run continues after an interruption, or because a person said so. From here on what had not begun may have.
    /// Changes no state.
    Resumed,
    /// A person, who is named, began the run where another one was at a step. Changes no state.
    Forked {
        /// The id of the other run.
        of: Str,
        /// The step: so many transitions its root graph had made.
        step: u64,
    },
}

impl EntryCause {
    /// Returns true if it is an input of the machine, rather than something that was done with the run.
    #[must_use]
    pub const fn is_input(&self) -> bool {
        matches!(self, Self::Input(_))
    }
}

/// All that belongs to one effect and is stored in one transaction: its outcome, what it changed, and the intent of the
/// effects that follow.
#[derive(Debug, Clone)]
pub struct Commit<'a> {
    /// The entries, in order. Their events follow those that are there.
    pub entries: &'a [JournalEntry],
    /// The status of the run after them.
    pub status: RunStatus,
    /// The state of the run after them. A store keeps it now and then, to have less to build again.
    pub snapshot: &'a Snapshot,
    /// True if the snapshot must be stored: what it holds cannot be built from the entries before it.
    pub whole: bool,
    /// The lease under which the run is driven.
    pub lease: Option<&'a Lease>,
    /// The numbers of the messages that the entries have taken in; see [`Queue`](super::Queue). They are gone with the
    /// commit. A store that is no queue has none.
    pub messages: &'a [u64],
}

impl Commit<'_> {
    /// The time from which a worker has something to do of the run if nobody drives it further: at once, when its timer
    /// runs out, or never unless a message comes. At once is [`Time::MIN`]: clocks of workers differ, and who takes a run
    /// over waits for no clock of the one before.
    #[must_use]
    pub fn due(&self) -> Option<Time> {
        match self.status {
            RunStatus::Done { .. } | RunStatus::Ready => None,
            RunStatus::Waiting => self.snapshot.timer,
            RunStatus::Running if self.snapshot.calls().next().is_some() => Some(Time::MIN),
            RunStatus::Running => Some(self.snapshot.timer.unwrap_or(Time::MIN)),
        }
    }
}

/// The stored parts from which a run is rebuilt: the state after its first entries, and the entries after those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    /// The run.
    pub info: RunInfo,
    /// The number of entries before the state.
    pub from: u64,
    /// The state; a run before its first input if it is 0 and none was stored.
    pub snapshot: Snapshot,
    /// The entries that follow.
    pub entries: Vec<JournalEntry>,
}

impl StoredRun {
    /// Returns true if the run has begun; before that it is only a name.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        !self.entries.is_empty() || !self.snapshot.lanes.is_empty()
    }
}

/// The right to drive a run until it ends, is taken over or runs out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The owner.
    pub owner: Str,
    /// Its fencing number: each owner has a higher one than the owner before.
    pub fence: u64,
}

/// The lease of a run: it decides what every store decides by who may drive it next, and who may write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseState {
    /// The last lease.
    pub lease: Lease,
    /// The time left, zero once it has run out; none once it was given back.
    pub left: Option<Duration>,
}

impl Lease {
    /// The longest time for which a lease is given; whoever drives longer renews it. One that seems to last longer is over:
    /// the clock was set back since.
    pub const MAX_DURATION: Duration = Duration::from_mins(10);
}

impl LeaseState {
    /// The driver that has the run now, as people see it.
    #[must_use]
    pub fn driver(self) -> Option<Str> {
        self.left
            .is_some_and(|left| !left.is_zero())
            .then(|| ProcessSignature::named(&self.lease.owner).into())
    }

    /// The lease `owner` gets of a run that was driven last as `last` says: its own again if it was not given back, else
    /// one with the next fencing number.
    ///
    /// # Errors
    /// [`StoreError::Held`] while somebody else's lease has not run out.
    pub fn next(last: Option<&Self>, run: &str, owner: &str) -> Result<Lease, StoreError> {
        let fence = match last {
            Some(Self { lease, left: Some(_) }) if lease.owner == owner => lease.fence,
            Some(Self { lease, left: Some(left) }) if !left.is_zero() => {
                return Err(StoreError::Held { run: run.into(), owner: lease.owner.clone(), left: *left });
            }
            Some(Self { lease, .. }) => lease.fence + 1,
            None => 1,
        };
        Ok(Lease { owner: owner.into(), fence })
    }

    /// Returns true if a commit under the lease `own` may be stored.
    ///
    /// # Errors
    /// [`StoreError::Lost`] if somebody else drove the run since, or nobody is known to have driven it under a lease; or
    /// if there is no lease while somebody has one.
    pub fn check(last: Option<&Self>, run: &str, own: Option<&Lease>) -> Result<(), StoreError> {
        let by = match (last, own) {
            (None | Some(Self { left: None, .. }), None) => return Ok(()),
            (None, Some(_)) => Str::from("nobody"),
            (Some(last), Some(own)) if own.fence == last.lease.fence => return Ok(()),
            (Some(last), _) => last.lease.owner.clone(),
        };
        Err(StoreError::Lost { run: run.into(), by })
    }
}

/// A program as it can be compiled again: the texts it was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramText {
    /// The digest of the program.
    pub digest: Str,
    /// The name of the file that holds the graph.
    pub main: Str,
    /// Every file that was read for it, by name.
    pub files: Vec<(Str, Str)>,
    /// The functions that it calls and that are not built in, by name, with their versions.
    pub functions: Vec<(Str, u32)>,
}
