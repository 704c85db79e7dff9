//! One run and the loop that drives it.

mod cancel;
mod hear;
mod input;
mod interrupt;
mod output;
mod uncertain;
mod verify;

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tracing::Instrument;

use self::input::Next;
use self::uncertain::UncertainCalls;
use super::driven_time::{DrivenTime, Gauge};
use super::driver::{DriveError, Driver};
use super::handle::{AnswerHeard, Handle, RunCommand};
use super::held_lease::HeldLease;
use super::last_entries::last_entries;
use super::pending::PendingWork;
use super::trace::Trace;
use crate::machine::{
    Done, Event, EventCursor, FaultOrigin, InputKind, Output, Phase, Question, Snapshot, Time,
};
use crate::port::{Claim, JournalEntry, Observer, RunStatus, RunView, Store, StoreError};
use crate::value::Str;

/// The end of driving a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finished {
    /// The run ended.
    Done(Done),
    /// The run waits for people, and nobody is here; or for a timer that the driver [leaves](Driver::leaving_timers). Answer
    /// and drive on, or resume from the snapshot later.
    Waiting {
        /// The questions.
        asks: Vec<Question>,
        /// The time at which the timer runs out or the first question expires, if there is one.
        until: Option<Time>,
    },
    /// [`Handle::interrupt`] was called: the journal says so, and the run continues when it is resumed.
    Interrupted {
        /// The name of the signal, as `SIGTERM`.
        signal: Str,
    },
    /// [`Handle::stop`] was called: the run was left as it was.
    Stopped,
}

/// One run in progress.
///
/// Dropping it, or the future of [`Run::drive`], drops every call in progress, as a crash would; what was recorded is
/// in the store.
pub struct Run {
    driver: Driver,
    id: Str,
    snapshot: Snapshot,
    /// The position, as far as events were shown: they are shown when all that one input led to is stored, and by then a
    /// frame they tell of may be closed, or another's.
    cursor: EventCursor,
    /// See [`Run::origin`].
    origin: Option<FaultOrigin>,
    /// Outputs not yet acted on.
    queue: VecDeque<Output>,
    /// Entries on their way into the journal.
    pending: Vec<JournalEntry>,
    /// The numbers of the messages that they have taken in.
    taken: Vec<u64>,
    /// Those who gave answers that are not stored yet, and want to hear of it.
    unconfirmed: Vec<AnswerHeard>,
    /// True if the run does not go back as a person wanted, and waits again: the store does not say so yet.
    stays: bool,
    work: PendingWork,
    gauge: Gauge,
    spent: DrivenTime,
    uncertain_calls: UncertainCalls,
    trace: Trace,
    handle: Handle,
    inbox: UnboundedReceiver<RunCommand>,
    /// The time when the limit of `[run] timeout` is reached.
    limit: Option<Time>,
    /// The lease under which the run is driven.
    lease: Option<HeldLease>,
    /// The time of its renewal.
    renewal: Option<Time>,
    /// The time for which the run is surely this driver's.
    claim: Claim,
    /// True if whoever drives it ends it: the lease stays until it has ended.
    is_cancelled: bool,
}

impl Run {
    pub(super) fn new(driver: Driver, id: Str, snapshot: Snapshot, lease: Option<HeldLease>) -> Self {
        let (sender, inbox) = unbounded_channel();
        let gauge = Gauge::new(driver.clock.clone());
        let claim = Claim::endless(driver.clock.clone());
        if let Some(held) = &lease {
            driver.claims(&claim, held);
        }
        let limit = driver.limits.timeout.map(|timeout| driver.clock.now().saturating_add(timeout));
        Self {
            work: PendingWork::new(driver.limits.at_once, gauge.clone(), claim.clone()),
            claim,
            gauge,
            spent: DrivenTime::default(),
            uncertain_calls: UncertainCalls::default(),
            trace: Trace::new(&driver.program, &id, &snapshot),
            handle: Handle(sender),
            queue: VecDeque::new(),
            pending: Vec::new(),
            taken: Vec::new(),
            unconfirmed: Vec::new(),
            stays: false,
            renewal: lease.as_ref().map(|held| driver.renewal(held)),
            lease,
            driver,
            id,
            cursor: EventCursor::at(&snapshot),
            snapshot,
            origin: None,
            inbox,
            limit,
            is_cancelled: false,
        }
    }

    /// Adds an onlooker of this run alone.
    pub(super) fn observe(&mut self, observer: Arc<dyn Observer>) {
        self.driver.observers.push(observer);
    }

    /// The run's id.
    #[must_use]
    pub const fn id(&self) -> &Str {
        &self.id
    }

    /// The state of the run. From a clone of it the run can be resumed.
    #[must_use]
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The place in the graph's text of the error that ended the run, if it has such a place.
    #[must_use]
    pub const fn origin(&self) -> Option<FaultOrigin> {
        self.origin
    }

    /// The time spent driving, split by where it went.
    #[must_use]
    pub fn spent(&self) -> DrivenTime {
        DrivenTime { outside: self.spent.outside.clamp(0, self.spent.whole), ..self.spent }
    }

    /// The program and where the run is.
    #[must_use]
    pub fn view(&self) -> RunView<'_> {
        RunView { program: &self.driver.program, snapshot: &self.snapshot, claim: &self.claim }
    }

    /// A handle to this run.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Stores an entry that turned the run to where it is now.
    pub(super) async fn turn_to(&mut self, entry: JournalEntry) -> Result<(), DriveError> {
        self.pending.push(entry);
        self.record().await
    }

    /// Stores what has come in, and does nothing of what that wants done: whoever drives the run does. So it is known to last
    /// before anybody waits for its turn.
    ///
    /// # Errors
    /// The store's.
    pub async fn keep(&mut self) -> Result<(), DriveError> {
        self.record().await
    }

    /// Leaves the run to whoever drives it on, without having done anything.
    ///
    /// # Errors
    /// The store's.
    pub async fn leave(mut self) -> Result<(), DriveError> {
        self.give_back().await
    }

    /// Drives the run until it ends, waits for people while nobody is here, or is stopped.
    ///
    /// Each call is a task of the runtime. On a runtime of several threads it may be handed to one that sleeps; for a
    /// run alone, a runtime of one thread (`new_current_thread`) is faster.
    ///
    /// # Errors
    /// The store failed: what was not stored was not acted on.
    pub async fn drive(&mut self) -> Result<Finished, DriveError> {
        self.count_again().await?;
        let span = self.trace.run.clone();
        let (begun, in_progress) = (self.driver.clock.now(), self.gauge.sum());
        let finished = self.turn().instrument(span).await;
        if let Some(ledger) = &self.driver.ledger {
            ledger.leave(&self.id);
        }
        let whole = self.driver.clock.now().saturating_sub(begun);
        self.spent.whole += whole;
        self.spent.outside += whole - (self.gauge.sum() - in_progress);
        if matches!(finished, Err(DriveError::Store(StoreError::Full(_)))) {
            // Whoever makes room continues at once, if this still fits.
            self.work.settle().await;
            self.let_go_unless(self.driver.keeps_leases).await;
        }
        finished
    }

    /// Counts the calls that the journal has, so that limits are held against all of them. Of what was counted here before nothing
    /// is read again.
    async fn count_again(&self) -> Result<(), DriveError> {
        let (Some(ledger), Some(store)) = (&self.driver.ledger, &self.driver.store) else { return Ok(()) };
        let waiting: usize = self.pending.iter().map(|entry| entry.events.len()).sum();
        let stored = self.snapshot.seq.saturating_sub(u64::try_from(waiting).unwrap_or(u64::MAX));
        let known = ledger.next_event(&self.id);
        if known == 0 || known > stored {
            ledger.load(&self.id, &store.events(&self.id).await?);
            return Ok(());
        }
        let events = if known < stored { self.last_events(&**store, known).await? } else { Vec::new() };
        ledger.catch_up(&self.id, &events);
        Ok(())
    }

    /// The stored events of the run from that number on, and some before it.
    async fn last_events(&self, store: &dyn Store, from: u64) -> Result<Vec<Event>, DriveError> {
        let is_enough = |entries: &[JournalEntry]| {
            entries.iter().find_map(|entry| entry.events.first()).is_some_and(|first| first.seq <= from)
        };
        let entries = last_entries(store, &self.id, is_enough).await?;
        Ok(entries.into_iter().flat_map(|entry| entry.events).collect())
    }

    async fn turn(&mut self) -> Result<Finished, DriveError> {
        loop {
            self.act().await?;
            if let Some(done) = self.snapshot.done.as_deref().cloned() {
                self.work.settle().await;
                self.let_go().await;
                return Ok(Finished::Done(done));
            }
            if self.work.is_empty() && self.inbox.is_empty() {
                if self.snapshot.timer.is_some_and(|timer| timer <= self.driver.clock.now()) {
                    // What has run out is not waited for, whoever else is.
                    self.feed_now(InputKind::Time);
                    continue;
                }
                if self.waits_for_people() || self.is_left_to_a_timer() {
                    self.let_go_unless(self.is_cancelled).await;
                    let asks = self.snapshot.asks().cloned().collect();
                    return Ok(Finished::Waiting { asks, until: self.snapshot.timer });
                }
                if self.snapshot.timer.is_none() {
                    return Err(DriveError::Idle);
                }
            }
            match self.following().await {
                Next::Feed(kind) => self.feed_now(kind),
                Next::Act(kind, by) => self.feed_by(kind, by),
                Next::Renew => self.renew().await?,
                Next::Look => {}
                Next::Interrupt(signal) => {
                    if self.interrupt(&signal).await? {
                        return Ok(Finished::Interrupted { signal });
                    }
                }
                Next::Refuse(why) => {
                    self.work.settle().await;
                    self.let_go_unless(self.driver.keeps_leases).await;
                    return Err(why);
                }
                Next::Stop => {
                    self.work.settle().await;
                    self.let_go_unless(self.is_cancelled || self.driver.keeps_leases).await;
                    return Ok(Finished::Stopped);
                }
            }
        }
    }

    /// The next thing that happens. The time in which nothing is in progress and a timer is waited for is nobody's work.
    async fn following(&mut self) -> Next {
        if !self.work.is_empty() {
            return self.next().await;
        }
        let begun = self.driver.clock.now();
        let next = self.next().await;
        self.spent.outside -= self.driver.clock.now().saturating_sub(begun);
        next
    }

    /// Returns true if no lane waits for anything but people.
    fn waits_for_people(&self) -> bool {
        let still = |phase: &Phase| phase.ask().is_some() || matches!(phase, Phase::Joining(_));
        self.snapshot.asks().next().is_some()
            && self.snapshot.lanes.iter().flatten().all(|lane| still(&lane.phase))
    }

    /// Returns true if the run waits for nothing but a timer that the driver does not wait for.
    fn is_left_to_a_timer(&self) -> bool {
        let (Some(timer), Some(patience)) = (self.snapshot.timer, self.driver.patience) else { return false };
        timer > self.driver.clock.now().saturating_add(patience)
    }

    /// The status of the run in the store.
    fn status(&self) -> RunStatus {
        match self.snapshot.done.as_deref() {
            Some(done) => RunStatus::Done { outcome: done.outcome.clone(), ok: done.ok },
            None if self.waits_for_people() && !self.is_to_go_back() => RunStatus::Waiting,
            None => RunStatus::Running,
        }
    }

    /// Returns true if a person wants the run to go back: whoever drives it has something to do.
    fn is_to_go_back(&self) -> bool {
        self.queue.iter().any(|output| matches!(output, Output::Rollback { .. }))
    }

    /// Makes the lease last longer.
    async fn renew(&mut self) -> Result<(), DriveError> {
        if let Some(held) = &mut self.lease {
            self.driver.renew(&self.id, held).await?;
            self.driver.claims(&self.claim, held);
            self.renewal = Some(self.driver.renewal(held));
        }
        Ok(())
    }

    /// Gives the lease back, unless it is retained.
    async fn let_go_unless(&mut self, retained: bool) {
        if !retained {
            self.let_go().await;
        }
    }

    /// Gives the lease back. Where that cannot be stored, all else was, and the lease runs out by itself.
    async fn let_go(&mut self) {
        if let Err(error) = self.give_back().await {
            tracing::warn!(%error, "the lease could not be given back; it runs out by itself");
        }
    }

    /// Gives the lease back: whoever drives the run on from here takes one of their own.
    async fn give_back(&mut self) -> Result<(), DriveError> {
        if let (Some(held), Some(store)) = (self.lease.take(), &self.driver.store) {
            store.release(&self.id, &held.lease).await?;
        }
        self.renewal = None;
        Ok(())
    }
}
