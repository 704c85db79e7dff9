//! What is under way outside: calls and questions, each a task.

use std::future::Future;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, Id, JoinSet};

use super::spent::Gauge;
use crate::machine::{AskId, CallId, Outcome};
use crate::port::{BoxFuture, Probed, Reply};

/// Something that came back.
#[derive(Debug)]
pub(super) enum Came {
    /// The outcome of a call.
    Outcome(CallId, Outcome),
    /// What a probe says of a call.
    Probed(CallId, Probed),
    /// What came of a question.
    Reply(AskId, Reply),
}

/// Calls and questions under way. When this is dropped they all are.
pub(super) struct Work {
    tasks: JoinSet<Came>,
    calls: FxHashMap<CallId, AbortHandle>,
    asks: FxHashMap<AskId, AbortHandle>,
    /// Which call a task makes, for a task that panics.
    owners: FxHashMap<Id, CallId>,
    room: Arc<Semaphore>,
    gauge: Gauge,
}

impl Work {
    /// Nothing under way; at most so many calls at the same time.
    pub(super) fn new(at_once: usize, gauge: Gauge) -> Self {
        Self {
            tasks: JoinSet::new(),
            calls: FxHashMap::default(),
            asks: FxHashMap::default(),
            owners: FxHashMap::default(),
            room: Arc::new(Semaphore::new(at_once.min(Semaphore::MAX_PERMITS))),
            gauge,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.asks.is_empty()
    }

    pub(super) fn makes(&self, call: &CallId) -> bool {
        self.calls.contains_key(call)
    }

    pub(super) fn asks(&self, ask: &AskId) -> bool {
        self.asks.contains_key(ask)
    }

    /// Makes a call as soon as there is room.
    pub(super) fn call(&mut self, id: CallId, work: impl Future<Output = Outcome> + Send + 'static) {
        let own = id.clone();
        self.spawn(id, async move { Came::Outcome(own, work.await) });
    }

    /// Asks after a call, in its place.
    pub(super) fn probe(&mut self, id: CallId, work: impl Future<Output = Probed> + Send + 'static) {
        let own = id.clone();
        self.spawn(id, async move { Came::Probed(own, work.await) });
    }

    fn spawn(&mut self, id: CallId, work: impl Future<Output = Came> + Send + 'static) {
        let (room, gauge) = (Arc::clone(&self.room), self.gauge.clone());
        let task = self.tasks.spawn(async move {
            // The semaphore is never closed; were it, the call would be made without its place.
            let _place = room.acquire_owned().await;
            let _under_way = gauge.begin();
            work.await
        });
        self.owners.insert(task.id(), id.clone());
        self.calls.insert(id, task);
    }

    /// Puts a question.
    pub(super) fn ask(&mut self, id: AskId, reply: BoxFuture<'static, Reply>) {
        let own = id.clone();
        let gauge = self.gauge.clone();
        let task = self.tasks.spawn(async move {
            let _under_way = gauge.begin();
            Came::Reply(own, reply.await)
        });
        self.asks.insert(id, task);
    }

    /// Drops a call nobody waits for, which ends what it started. One that has come back already stays.
    pub(super) fn cancel(&mut self, call: &CallId) {
        if let Some(task) = self.calls.get(call)
            && !task.is_finished()
        {
            task.abort();
            self.owners.remove(&task.id());
            self.calls.remove(call);
        }
    }

    /// Drops a question nobody waits for.
    pub(super) fn withdraw(&mut self, ask: &AskId) {
        if let Some(task) = self.asks.remove(ask) {
            task.abort();
        }
    }

    /// Drops everything.
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

    /// The next thing that comes back; waits for ever if nothing is under way.
    pub(super) async fn next(&mut self) -> Came {
        loop {
            match self.tasks.join_next_with_id().await {
                Some(Ok((task, came))) => {
                    if let Some(came) = self.accept(task, came) {
                        return came;
                    }
                }
                Some(Err(error)) => {
                    if let Some(call) = self.owners.remove(&error.id()) {
                        self.calls.remove(&call);
                        return Came::Outcome(call, Outcome::failed("internal", "the call panicked"));
                    }
                }
                None => std::future::pending().await,
            }
        }
    }

    /// Takes a task off the books. A question that was withdrawn just before it was answered counts as withdrawn.
    fn accept(&mut self, task: Id, came: Came) -> Option<Came> {
        self.owners.remove(&task);
        match &came {
            Came::Outcome(call, _) | Came::Probed(call, _) => {
                self.calls.remove(call);
                Some(came)
            }
            Came::Reply(ask, _) => self.asks.remove(ask).map(|_| came),
        }
    }
}
