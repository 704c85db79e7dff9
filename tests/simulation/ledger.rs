//! What the world outside of the workers knows: calls that reached it, what it answered, what was acknowledged.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use loopwright::machine::{CallId, Outcome, QuestionId};
use loopwright::port::{JournalEntry, Message};
use loopwright::value::{Str, Value};
use tokio::time::Instant;

/// What the world knows. No worker reads it.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Known>);

/// Everything that is known.
#[derive(Default)]
pub(crate) struct Known {
    /// Commits that were acknowledged: the run, the place of the first entry, the entries.
    pub(crate) commits: Vec<(Str, usize, Vec<JournalEntry>)>,
    pub(crate) calls: BTreeMap<CallId, Vec<Attempt>>,
    /// How often a probe said of a call that it did not take place.
    pub(crate) denied: BTreeMap<CallId, usize>,
    /// What probes said of calls that took place.
    pub(crate) confirmed: BTreeMap<CallId, Vec<Value>>,
    /// Messages that were acknowledged, by their numbers.
    pub(crate) posted: BTreeMap<u64, (Str, Message)>,
    /// Answers that were given at a terminal.
    pub(crate) said: Vec<(QuestionId, Value)>,
    /// How often a run was taken up.
    pub(crate) drives: BTreeMap<Str, usize>,
    /// When workers failed with a run, not long ago.
    pub(crate) failures: BTreeMap<Str, Vec<Instant>>,
}

/// A call that reached a tool or a model.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// When it has its effect, if it has one and is not ended before.
    pub(crate) effect: Option<Instant>,
    /// When it is over.
    pub(crate) over: Instant,
    /// When it was ended from outside.
    pub(crate) ended: Option<Instant>,
    /// The result of its effect.
    pub(crate) result: Value,
    /// What was answered, once it was.
    pub(crate) answered: Option<Outcome>,
}

impl Attempt {
    /// True if it has had its effect by then.
    pub(crate) fn took_place(&self, by: Instant) -> bool {
        let ended = |effect: Instant| self.ended.is_some_and(|ended| ended < effect);
        self.effect.is_some_and(|effect| effect <= by && !ended(effect))
    }

    /// True while it is at work.
    pub(crate) fn is_at_work(&self, now: Instant) -> bool {
        self.ended.is_none() && self.over > now
    }
}

impl Ledger {
    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process was told that these entries are stored.
    pub(crate) fn acknowledged(&self, run: Str, from: usize, entries: Vec<JournalEntry>) {
        self.known().commits.push((run, from, entries));
    }
}
