//! What the end of a run's journal says of what was begun and not finished.

use super::driver::{DriveError, Driver};
use super::last_entries::last_entries;
use crate::machine::{InputKind, QuestionReason, Snapshot, wanted_step};
use crate::port::{EntryCause, JournalEntry, StoredRun};
use crate::value::Value;

/// What was begun when a run was left.
#[derive(Debug, Default)]
pub(super) struct JournalEnd {
    /// The cause of the last entry.
    pub(super) last: Option<EntryCause>,
    /// The step to which a person wants the run to go back. It has not.
    pub(super) rollback: Option<u64>,
}

impl Driver {
    /// The end of the journal of a run that is to continue. What a store loads begins at a snapshot, which may have been
    /// stored after the last entry: then the last entries are read, as many as it takes.
    pub(super) async fn journal_end(
        &self,
        stored: &StoredRun,
        snapshot: &Snapshot,
    ) -> Result<JournalEnd, DriveError> {
        let is_cut = stored.from > 0
            && (stored.entries.is_empty()
                || is_paused(snapshot) && stored.entries.iter().all(|entry| says_nothing(&entry.cause)));
        if !is_cut {
            return Ok(JournalEnd::of(&stored.entries, snapshot));
        }
        let run = &stored.info.run;
        // Only where somebody may wish to go back, it matters what lies further back.
        let is_enough = |entries: &[JournalEntry]| {
            !is_paused(snapshot) || entries.iter().any(|entry| !says_nothing(&entry.cause))
        };
        let entries = last_entries(self.stored_in(run)?, run, is_enough).await?;
        Ok(JournalEnd::of(&entries, snapshot))
    }
}

impl JournalEnd {
    fn of(entries: &[JournalEntry], snapshot: &Snapshot) -> Self {
        let last = entries.last().map(|entry| entry.cause.clone());
        let mut causes = entries.iter().rev().map(|entry| &entry.cause);
        let rollback = match causes.find(|cause| !says_nothing(cause)) {
            Some(EntryCause::Input(InputKind::Answered { ask, answer })) => {
                let open = snapshot.asks().find(|open| open.id == *ask);
                open.filter(|open| open.reason == QuestionReason::Pause).and_then(|_| step(answer, snapshot))
            }
            _ => None,
        };
        Self { last, rollback }
    }
}

/// The step that an answer wants, if the run has come so far.
fn step(answer: &Value, snapshot: &Snapshot) -> Option<u64> {
    wanted_step(answer).filter(|step| *step <= snapshot.step())
}

fn is_paused(snapshot: &Snapshot) -> bool {
    snapshot.asks().any(|open| open.reason == QuestionReason::Pause)
}

/// Returns true if an entry may lie between a person's wish to go back and its fulfilment: calls are undone before. One that
/// could not be undone ends it.
fn says_nothing(cause: &EntryCause) -> bool {
    match cause {
        EntryCause::Undo { .. }
        | EntryCause::Interrupted { .. }
        | EntryCause::Resumed
        | EntryCause::Forked { .. } => true,
        EntryCause::Undone { outcome, .. } => matches!(outcome, crate::machine::Outcome::Answer { .. }),
        EntryCause::Input(kind) => matches!(kind, InputKind::Time),
        EntryCause::Back { .. } | EntryCause::Moved { .. } => false,
    }
}
