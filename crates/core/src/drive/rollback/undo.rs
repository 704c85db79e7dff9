//! Undoing calls, by the tools declared for it.

use super::compensation::{Compensation, UndoState};
use crate::drive::driver::{DriveError, Driver};
use crate::drive::held_lease::HeldLease;
use crate::machine::{Call, Outcome, Request, Snapshot};
use crate::port::{BoxFuture, Commit, EntryCause, JournalEntry, RunStatus, undo_id};
use crate::program::error::ErrorKind;
use crate::program::graph::Delivery;
use crate::value::Map;

/// A run whose calls are undone.
pub(super) struct Undo<'a> {
    pub(super) driver: &'a Driver,
    pub(super) run: &'a str,
    /// The state of the run. Undoing does not move it.
    pub(super) now: &'a Snapshot,
    pub(super) lease: Option<HeldLease>,
    pub(super) status: RunStatus,
}

impl Undo<'_> {
    /// Undoes what can be undone and was not yet, in this order.
    pub(super) async fn all(&mut self, left: &[Compensation]) -> Result<(), DriveError> {
        for call in left {
            if let UndoState::Answered(undone) = call.undo_state {
                self.record_answer(call, undone).await?;
            }
            if call.is_to_be_undone() {
                self.one(call).await?;
            }
        }
        Ok(())
    }

    /// Keeps what a person knows of an undoing that was cut off.
    async fn record_answer(&self, left: &Compensation, undone: bool) -> Result<(), DriveError> {
        let outcome = if undone {
            Outcome::answer("a person said so")
        } else {
            Outcome::failed(ErrorKind::ToolFailed, "a person said so")
        };
        self.keep(EntryCause::Undone { call: left.call.id.clone(), outcome }).await
    }

    async fn one(&mut self, left: &Compensation) -> Result<(), DriveError> {
        let tools = &self.driver.tools;
        let (Some(Outcome::Answer { value, .. }), Some(info)) =
            (&left.outcome, tools.compensation(left.tool()))
        else {
            return Ok(());
        };
        let refused =
            |why: String| DriveError::Undo { call: left.call.id.0.clone(), tool: info.name.clone(), why };
        if left.undo_state == UndoState::Begun && info.delivery == Delivery::AtMostOnce {
            return Err(DriveError::Undoing { call: left.call.id.0.clone(), tool: info.name.clone() });
        }
        if left.undo_state == UndoState::Begun {
            let request =
                Request::Tool { tool: info.name.clone(), args: Map::new(), delivery: info.delivery };
            self.driver.clear(&Call { id: undo_id(&left.call.id), request, ..left.call.clone() }).await?;
        }
        let call = left.call.id.clone();
        // The intent comes first: whoever finds it alone knows that nobody knows.
        self.keep(EntryCause::Undo { call: call.clone() }).await?;
        let Some(work) = tools.compensate(&left.call, value) else {
            return Err(refused("it is not there any more".to_owned()));
        };
        let outcome = self.leased(work).await?;
        // Of a tool that may be called at most once and was cut off nobody knows what it did.
        let outcome = if info.delivery == Delivery::AtMostOnce { outcome.of_once() } else { outcome };
        let why = match &outcome {
            Outcome::Answer { .. } => None,
            Outcome::Failed { message, .. } | Outcome::Unknown { message } => Some(message.to_string()),
        };
        self.keep(EntryCause::Undone { call, outcome }).await?;
        why.map_or(Ok(()), |why| Err(refused(why)))
    }

    async fn keep(&self, cause: EntryCause) -> Result<(), DriveError> {
        let at = self.driver.clock.now().max(self.now.at);
        let entries = [JournalEntry { at, cause, step: self.now.step(), events: Vec::new(), by: None }];
        let commit = Commit {
            entries: &entries,
            status: self.status.clone(),
            snapshot: self.now,
            whole: false,
            lease: self.lease.as_ref().map(|held| &held.lease),
            messages: &[],
        };
        Ok(self.driver.stored_in(self.run)?.commit(self.run, commit).await?)
    }

    /// Waits for something that may take longer than the lease. Whoever was stopped for a while may have lost the run, and
    /// undoes nothing of it.
    async fn leased(&mut self, mut work: BoxFuture<'static, Outcome>) -> Result<Outcome, DriveError> {
        let (driver, run) = (self.driver, self.run);
        let Some(held) = &mut self.lease else { return Ok(work.await) };
        while driver.sure_end(held) <= driver.clock.now() {
            driver.renew(run, held).await?;
        }
        loop {
            let due = driver.renewal(held);
            tokio::select! {
                biased;
                outcome = &mut work => return Ok(outcome),
                () = driver.clock.sleep_until(due) => driver.renew(run, held).await?,
            }
        }
    }
}
