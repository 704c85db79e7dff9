//! Work in progress outside: calls and questions, each a task.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::driven_time::Gauge;
use super::hosted::RunPorts;
use crate::machine::{CallId, Outcome, QuestionId};
use crate::port::{BoxFuture, Claim, HumanReply, Leftovers, ProbeResult};
use crate::program::error::ErrorKind;

/// Something that came back.
#[derive(Debug)]
pub enum Arrival {
    /// The outcome of a call.
    Outcome(CallId, Outcome),
    /// The result of a call's probe.
    Probed(CallId, ProbeResult),
    /// The fate of everything that was left at work of a call.
    Cleared(CallId, Leftovers),
    /// Nothing of a call: it had its turn when the run may have been another driver's.
    Late(CallId),
    /// The reply to a question.
    Reply(QuestionId, HumanReply),
}

/// Calls and questions in progress. When this is dropped they all are.
pub struct PendingWork {
    tasks: JoinSet<Arrival>,
    calls: FxHashMap<CallId, PendingCall>,
    asks: FxHashMap<QuestionId, AbortHandle>,
    /// The call a task makes, for a task that panics.
    owners: FxHashMap<Id, CallId>,
    room: Arc<Semaphore>,
    gauge: Gauge,
    claim: Claim,
}

/// A call in progress, or what is asked in its place.
struct PendingCall {
    task: AbortHandle,
    /// True if more than a place was waited for.
    begun: Arc<AtomicBool>,
}

impl PendingWork {
    /// Nothing in progress, within the limits of a run and for as long as it is its driver's own.
    #[must_use]
    pub fn of(ports: &RunPorts, claim: &Claim) -> Self {
        Self::new(ports.limits().at_once, Gauge::new(ports.clock().clone()), claim.clone())
    }

    /// Nothing in progress; at most so many calls at the same time, and none that begins after the end of `claim`.
    pub(super) fn new(at_once: usize, gauge: Gauge, claim: Claim) -> Self {
        Self {
            tasks: JoinSet::new(),
            calls: FxHashMap::default(),
            asks: FxHashMap::default(),
            owners: FxHashMap::default(),
            room: Arc::new(Semaphore::new(at_once.min(Semaphore::MAX_PERMITS))),
            gauge,
            claim,
        }
    }

    /// Returns true if nothing is in progress.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.asks.is_empty()
    }

    /// Returns true if a call is in progress.
    #[must_use]
    pub fn makes(&self, call: &CallId) -> bool {
        self.calls.contains_key(call)
    }

    pub(super) fn asks(&self, ask: &QuestionId) -> bool {
        self.asks.contains_key(ask)
    }

    /// Makes a call as soon as there is room.
    pub fn call(&mut self, id: CallId, work: impl Future<Output = Outcome> + Send + 'static) {
        let own = id.clone();
        self.spawn(id, false, async move { Arrival::Outcome(own, work.await) });
    }

    /// As [`PendingWork::call`], for a call that does nothing if it has its turn too late.
    pub fn call_in_time(&mut self, id: CallId, work: impl Future<Output = Option<Outcome>> + Send + 'static) {
        let own = id.clone();
        let arrival = async move {
            match work.await {
                Some(outcome) => Arrival::Outcome(own, outcome),
                None => Arrival::Late(own),
            }
        };
        self.spawn(id, false, arrival);
    }

    /// Asks after a call, in its place.
    pub(super) fn probe(&mut self, id: CallId, work: impl Future<Output = ProbeResult> + Send + 'static) {
        let own = id.clone();
        self.spawn(id, true, async move { Arrival::Probed(own, work.await) });
    }

    /// Ends what was left at work of a call, in its place.
    pub(super) fn end_left(&mut self, id: CallId, work: impl Future<Output = Leftovers> + Send + 'static) {
        let own = id.clone();
        self.spawn(id, true, async move { Arrival::Cleared(own, work.await) });
    }

    /// `begun` says that the call may have begun before.
    fn spawn(&mut self, id: CallId, begun: bool, work: impl Future<Output = Arrival> + Send + 'static) {
        let (room, gauge, claim) = (Arc::clone(&self.room), self.gauge.clone(), self.claim.clone());
        let own = id.clone();
        let begun = Arc::new(AtomicBool::new(begun));
        let begins = Arc::clone(&begun);
        let task = self.tasks.spawn(async move {
            // The semaphore is never closed; were it, the call would be made without its place.
            let _place = room.acquire_owned().await;
            if claim.is_over() {
                return Arrival::Late(own);
            }
            let _in_progress = gauge.begin();
            begins.store(true, Ordering::Release);
            work.await
        });
        self.owners.insert(task.id(), id.clone());
        self.calls.insert(id, PendingCall { task, begun });
    }

    /// Waits for the reply to a question.
    pub fn ask(&mut self, id: QuestionId, reply: BoxFuture<'static, HumanReply>) {
        let own = id.clone();
        let gauge = self.gauge.clone();
        let task = self.tasks.spawn(async move {
            let _in_progress = gauge.begin();
            Arrival::Reply(own, reply.await)
        });
        self.asks.insert(id, task);
    }

    /// Drops a call nobody waits for, which ends what it started. One that has come back already stays.
    pub fn cancel(&mut self, call: &CallId) {
        if let Some(PendingCall { task, .. }) = self.calls.get(call)
            && !task.is_finished()
        {
            task.abort();
            self.owners.remove(&task.id());
            self.calls.remove(call);
        }
    }

    /// Drops a question nobody waits for.
    pub fn withdraw(&mut self, ask: &QuestionId) {
        if let Some(task) = self.asks.remove(ask) {
            task.abort();
        }
    }

    /// Gives up all calls, questions and timers.
    pub(super) fn clear(&mut self) {
        self.tasks.abort_all();
        self.calls.clear();
        self.asks.clear();
        self.owners.clear();
    }

    /// Waits until every dropped task is gone, with all it held.
    pub(super) async fn settle(&mut self) {
        self.clear();
        while self.tasks.join_next().await.is_some() {}
    }

    /// As [`PendingWork::settle`]; gives the calls that had not begun.
    pub(super) async fn halt(&mut self) -> Vec<CallId> {
        let calls = std::mem::take(&mut self.calls);
        self.settle().await;
        // After that no task begins anything.
        let idle = |(id, call): (CallId, PendingCall)| (!call.begun.load(Ordering::Acquire)).then_some(id);
        calls.into_iter().filter_map(idle).collect()
    }

    /// The next thing that comes back; waits for ever if nothing is in progress.
    pub async fn next(&mut self) -> Arrival {
        loop {
            match self.tasks.join_next_with_id().await {
                Some(joined) => {
                    if let Some(arrival) = self.accept(joined) {
                        return arrival;
                    }
                }
                None => std::future::pending().await,
            }
        }
    }

    /// Takes everything that has come back already.
    pub(super) fn back(&mut self) -> Vec<Arrival> {
        let joined: Vec<_> = std::iter::from_fn(|| self.tasks.try_join_next_with_id()).collect();
        joined.into_iter().filter_map(|joined| self.accept(joined)).collect()
    }

    /// Takes a task off the books. A question that was withdrawn just before it was answered counts as withdrawn.
    fn accept(&mut self, joined: Result<(Id, Arrival), JoinError>) -> Option<Arrival> {
        let (task, arrival) = match joined {
            Ok(joined) => joined,
            Err(error) => {
                let call = self.owners.remove(&error.id())?;
                self.calls.remove(&call);
                return Some(Arrival::Outcome(
                    call,
                    Outcome::failed(ErrorKind::Internal, "the call panicked"),
                ));
            }
        };
        self.owners.remove(&task);
        match &arrival {
            Arrival::Outcome(call, _)
            | Arrival::Probed(call, _)
            | Arrival::Cleared(call, _)
            | Arrival::Late(call) => {
                self.calls.remove(call);
                Some(arrival)
            }
            Arrival::Reply(ask, _) => self.asks.remove(ask).map(|_| arrival),
        }
    }
}
