//! Going back to an earlier step of a stored run, and beginning another run there.

mod compensation;
mod on_path;
mod search;
mod undo;

pub use compensation::{Compensation, UndoState};
pub use on_path::events_on_path;

use self::compensation::calls_after;
use self::undo::Undo;
use super::driver::{DriveError, Driver, StepPlace};
use super::held_lease::HeldLease;
use super::rebuild::rebuild;
use crate::machine::{Snapshot, Time, branch_off, roll_back};
use crate::port::{Commit, EntryCause, JournalEntry, Lease, RunStatus, Store, StoreError};
use crate::value::Str;

/// A way back that a run may be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RollbackPlan {
    /// The target.
    pub place: StepPlace,
    /// The step the run is at.
    pub from: u64,
    /// The calls of tools made since then that may have changed something outside, the last first.
    pub left: Vec<Compensation>,
    /// The number of entries the journal had when it was read.
    entries: u64,
}

impl RollbackPlan {
    /// Takes what a person knows of an undoing that was cut off: whether the call was undone. It is stored when the run is
    /// sent back.
    ///
    /// # Errors
    /// The calls whose undoing was cut off, if this is none of them.
    pub fn tell(&mut self, call: &str, undone: bool) -> Result<(), Vec<Str>> {
        let open =
            |left: &&mut Compensation| matches!(left.undo_state, UndoState::Begun | UndoState::Answered(_));
        match self.left.iter_mut().filter(open).find(|left| left.call.id.0 == call) {
            Some(left) => {
                left.undo_state = UndoState::Answered(undone);
                Ok(())
            }
            None => Err(self.left.iter_mut().filter(open).map(|left| left.call.id.0.clone()).collect()),
        }
    }
}

impl Driver {
    /// The rollback of a stored run to a step, with the calls made since then; none if the run has not come so far.
    /// Nothing is changed.
    ///
    /// # Errors
    /// As [`Driver::reopen`].
    pub async fn rollback_plan(&self, run: &str, step: u64) -> Result<Option<RollbackPlan>, DriveError> {
        let Some(place) = self.state_at(run, step).await? else { return Ok(None) };
        let entries = self.stored_in(run)?.entries(run).await?;
        let mut left = calls_after(&entries, &place);
        for call in &mut left {
            call.by = self.tools.compensation(call.tool()).map(|info| info.name);
        }
        let from = entries.last().map_or(0, |entry| entry.step);
        let entries = u64::try_from(entries.len()).unwrap_or(u64::MAX);
        Ok(Some(RollbackPlan { place, from, left, entries }))
    }

    /// Sends a stored run back and leaves it there: it continues when it is driven on. With `undo` the calls that were left
    /// behind are undone first, the last first, by the tools declared for that; an entry is stored before and after each.
    ///
    /// # Errors
    /// [`DriveError::Undo`] or [`DriveError::Undoing`] if one cannot be undone: the run then is where it was, and what
    /// was undone is noted. [`DriveError::Changed`] if the run continued since the way was looked at.
    /// [`DriveError::Unfit`] if the step lies before the run continued with an edited graph, and does not fit that.
    /// Else as [`Driver::reopen`].
    pub async fn go_back(&self, run: &str, plan: RollbackPlan, undo: bool) -> Result<(), DriveError> {
        let store = self.stored_in(run)?;
        // After the lease nobody else changes what is read.
        let lease = self.acquire(run).await?;
        let done = self.leave(store, run, lease.clone(), plan, undo).await;
        if let Some(held) = &lease {
            store.release(run, &held.lease).await?;
        }
        done
    }

    async fn leave(
        &self,
        store: &dyn Store,
        run: &str,
        lease: Option<HeldLease>,
        plan: RollbackPlan,
        undo: bool,
    ) -> Result<(), DriveError> {
        let stored = store.load(run, None).await?;
        if stored.from + u64::try_from(stored.entries.len()).unwrap_or(u64::MAX) != plan.entries {
            return Err(DriveError::Changed(run.into()));
        }
        let now = rebuild(self.programs(), &stored)?;
        let StepPlace { entry: to, step, snapshot } = plan.place;
        let snapshot = self.carried(snapshot, &now)?;
        // A call that was cut off belongs to the branch that is left: nothing of it may continue.
        for call in now.calls() {
            self.clear(call).await?;
        }
        if undo {
            let (lease, status) = (lease.clone(), stored.info.status);
            Undo { driver: self, run, now: &now, lease, status }.all(&plan.left).await?;
        }
        let at = self.clock.now().max(now.at);
        let snapshot = roll_back(&self.program, snapshot, &now, at);
        let (cause, by) = (EntryCause::Back { to, step }, self.by.clone());
        let entries = [JournalEntry { at, cause, step, events: Vec::new(), by }];
        let commit = Commit {
            entries: &entries,
            status: RunStatus::Ready,
            snapshot: &snapshot,
            whole: true,
            lease: lease.as_ref().map(|held| &held.lease),
            messages: &[],
        };
        Ok(store.commit(run, commit).await?)
    }

    /// Undoes calls of a run that is being driven, before it goes back.
    pub(super) async fn undo(
        &self,
        run: &str,
        now: &Snapshot,
        lease: Option<HeldLease>,
        left: &[Compensation],
    ) -> Result<(), DriveError> {
        // It waits for nobody: whoever finds it half done continues.
        Undo { driver: self, run, now, lease, status: RunStatus::Running }.all(left).await
    }

    /// Begins another run where a stored run was at a step. Its journal is its own and begins there. An empty id is
    /// replaced by one made of the time. Gives the id; nothing if the run has not come so far.
    ///
    /// # Errors
    /// [`DriveError::RunId`], [`StoreError::Exists`], else as [`Driver::reopen`].
    pub async fn fork(&self, run: &str, step: u64, id: &str) -> Result<Option<Str>, DriveError> {
        let Some(place) = self.state_at(run, step).await? else { return Ok(None) };
        let at = self.clock.now();
        let id = Self::run_id(id, at)?;
        let then = self.carried(place.snapshot.clone(), &place.snapshot)?;
        self.note(&id, at).await?;
        let snapshot = branch_off(then, id.clone(), at);
        self.begin_with(&id, &snapshot, None).await?;
        if self.by.is_some() {
            let cause = EntryCause::Forked { of: run.into(), step };
            let entries = [JournalEntry { at, cause, step, events: Vec::new(), by: self.by.clone() }];
            let status = RunStatus::Ready;
            let commit = Commit {
                entries: &entries,
                status,
                snapshot: &snapshot,
                whole: false,
                lease: None,
                messages: &[],
            };
            self.stored_in(&id)?.commit(&id, commit).await?;
        }
        Ok(Some(id))
    }

    /// Keeps a state as the beginning of a run.
    pub(super) async fn begin_with(
        &self,
        run: &str,
        snapshot: &Snapshot,
        lease: Option<&Lease>,
    ) -> Result<(), DriveError> {
        let commit =
            Commit { entries: &[], status: RunStatus::Ready, snapshot, whole: true, lease, messages: &[] };
        Ok(self.stored_in(run)?.commit(run, commit).await?)
    }

    pub(super) fn stored_in(&self, run: &str) -> Result<&dyn Store, DriveError> {
        self.store.as_deref().ok_or_else(|| StoreError::Unknown(run.into()).into())
    }

    /// The id of a new run: the wanted one, or one made of the time.
    ///
    /// # Errors
    /// [`DriveError::RunId`].
    pub fn run_id(wanted: &str, at: Time) -> Result<Str, DriveError> {
        let id = if wanted.is_empty() { ecow::eco_format!("run-{at:x}") } else { wanted.into() };
        let fits = (1..=64).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
        if fits { Ok(id) } else { Err(DriveError::RunId(id)) }
    }
}
