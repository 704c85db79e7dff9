//! Outputs of the machine.

use tracing::Instrument;

use super::Run;
use crate::drive::driver::DriveError;
use crate::drive::rebuild::{RebuildError, reasons};
use crate::drive::rollback::RollbackPlan;
use crate::drive::trace;
use crate::machine::{Call, EventCursor, InputKind, Output, Question, QuestionReason, Snapshot, roll_back};
use crate::port::{Commit, EntryCause, JournalEntry, RunView};
use crate::value::Str;

impl Run {
    /// Stores what waits to be stored, then acts on every output in the queue, in order.
    pub(super) async fn act(&mut self) -> Result<(), DriveError> {
        loop {
            self.record().await?;
            match self.queue.pop_front() {
                None => return Ok(()),
                Some(Output::Call(call)) => {
                    // Whoever was stopped for a while may have lost the run, and makes no call of it.
                    if self.renewal.is_some_and(|due| due <= self.driver.clock.now()) {
                        self.renew().await?;
                    }
                    self.begin(&call);
                }
                Some(Output::Cancel(call)) => self.work.cancel(&call),
                Some(Output::Ask(ask)) => self.put(&ask),
                Some(Output::Withdraw(ask)) => self.work.withdraw(&ask),
                Some(Output::Rollback { step }) => self.go_back(step).await?,
                // The snapshot says when the timer is due and how the run ended.
                Some(Output::Wait(_) | Output::Done(_) | Output::Record(_)) => {}
            }
        }
    }

    /// Keeps the entries that wait in one commit, then shows their events to the onlookers. An input that led to
    /// nothing waits for the next that did: of it alone nothing would be lost.
    pub(in crate::drive) async fn record(&mut self) -> Result<(), DriveError> {
        let tells = |entry: &JournalEntry| !entry.events.is_empty() || !entry.cause.is_input();
        if !self.pending.iter().any(tells) && self.taken.is_empty() && !self.stays {
            return Ok(());
        }
        if let Some(store) = &self.driver.store {
            // After a turn the state is stored, so that nobody has to follow the way before it.
            let whole = self.pending.iter().any(turns);
            let commit = Commit {
                entries: &self.pending,
                status: self.status(),
                snapshot: &self.snapshot,
                whole,
                lease: self.lease.as_ref().map(|held| &held.lease),
                messages: &self.taken,
            };
            store.commit(&self.id, commit).await?;
            self.taken.clear();
            self.stays = false;
            if self.driver.rebuilding {
                self.verify(&**store, whole).await?;
            }
        }
        self.confirm();
        let view = RunView { program: &self.driver.program, snapshot: &self.snapshot, claim: &self.claim };
        for event in self.pending.drain(..).flat_map(|entry| entry.events) {
            let place = self.cursor.next(view.program, &event);
            self.trace.follow(view.program, &place, &event);
            self.driver.show(&self.id, &event, place.graph, view);
        }
        Ok(())
    }

    fn begin(&mut self, call: &Call) {
        if self.work.makes(&call.id) || self.ask_after(call) {
            return;
        }
        let span = self.trace.call(call, &*self.driver.model);
        let work = span.in_scope(|| self.driver.make(&self.id, call, self.view()));
        let open = trace::OpenCallSpan::new(&span);
        let work = async move {
            let outcome = work.await;
            open.end(&outcome);
            outcome
        };
        self.work.call(call.id.clone(), work.instrument(span));
    }

    fn put(&mut self, ask: &Question) {
        if !self.work.asks(&ask.id) {
            let view = self.view();
            let reply = self.driver.human.ask(ask, view);
            self.work.ask(ask.id.clone(), reply);
        }
    }

    /// A person sends the run back to a step. The calls made since then are undone first, where a tool is declared for it.
    async fn go_back(&mut self, step: u64) -> Result<(), DriveError> {
        let (plan, then) = match self.rollback_plan(step).await? {
            Ok(found) => found,
            Err(why) => {
                tracing::warn!(step, why = %why, "the run is not rolled back; the question stays open");
                self.stay(&why);
                return Ok(());
            }
        };
        match self.driver.undo(&self.id, &self.snapshot, self.lease.clone(), &plan.left).await {
            Err(error @ (DriveError::Undo { .. } | DriveError::Undoing { .. })) => {
                self.stay(&error.to_string().into());
                return Ok(());
            }
            undone => undone?,
        }
        self.work.settle().await;
        // What was still to be done belongs to the way that is left.
        self.queue.clear();
        let at = self.driver.clock.now().max(self.snapshot.at);
        self.snapshot = roll_back(&self.driver.program, then, &self.snapshot, at);
        self.cursor = EventCursor::at(&self.snapshot);
        self.trace.stand(&self.driver.program, &self.snapshot);
        let cause = EntryCause::Back { to: plan.place.entry, step };
        self.pending.push(JournalEntry { at, cause, step, events: Vec::new(), by: None });
        self.feed_now(InputKind::Time);
        Ok(())
    }

    /// The rollback to a step, and where the run was there as it would be in its graph now; or why there is none.
    async fn rollback_plan(&self, step: u64) -> Result<Result<(RollbackPlan, Snapshot), Str>, DriveError> {
        if self.driver.store.is_none() {
            return Ok(Err(ecow::eco_format!("nothing was stored of step {step}")));
        }
        let plan = match self.driver.rollback_plan(&self.id, step).await {
            Err(DriveError::Rebuild(error @ RebuildError::Program(_))) => {
                return Ok(Err(error.to_string().into()));
            }
            plan => plan?,
        };
        let Some(plan) = plan else { return Ok(Err(ecow::eco_format!("nothing was stored of step {step}"))) };
        match self.driver.carried(plan.place.snapshot.clone(), &self.snapshot) {
            Ok(then) => Ok(Ok((plan, then))),
            Err(DriveError::Unfit(unfit)) => Ok(Err(ecow::eco_format!(
                "step {step} is before the edit of the graph, and does not fit it: {}",
                reasons(&unfit)
            ))),
            Err(error) => Err(error),
        }
    }

    /// The run stays where it is; the question stays open, with a word why.
    fn stay(&mut self, misfit: &Str) {
        self.stays = true;
        let answer = |ask: &Question| match ask.reason {
            QuestionReason::Pause => Question { misfit: misfit.clone(), ..ask.clone() },
            _ => ask.clone(),
        };
        let asks = self.snapshot.asks().map(answer).collect();
        self.ask_again(asks);
    }
}

/// Returns true if the state after an entry is another one than an input makes of that before it.
const fn turns(entry: &JournalEntry) -> bool {
    match entry.cause {
        EntryCause::Back { .. } | EntryCause::Moved { .. } => true,
        EntryCause::Input(_)
        | EntryCause::Undo { .. }
        | EntryCause::Undone { .. }
        | EntryCause::Interrupted { .. }
        | EntryCause::Resumed
        | EntryCause::Forked { .. } => false,
    }
}
