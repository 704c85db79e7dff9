//! One run and the loop that drives it.

use std::collections::VecDeque;
use std::future::{Future, pending};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tracing::Instrument;

use super::driver::{DriveError, Driver};
use super::handle::{Command, Handle};
use super::trace::{self, Trace};
use super::work::{Came, Work};
use crate::machine::{
    self, Ask, Call, Done, Event, EventKind, Input, InputKind, Outcome, Output, Phase, Request, Snapshot,
    Time, roll_back,
};
use crate::port::{Reply, Status, View};
use crate::program::Span;
use crate::program::graph::{Delivery, NodeKind};
use crate::value::{Str, duration};

/// How driving a run came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// The run ended.
    Done(Done),
    /// The run waits for people, and nobody is here. Answer and drive on, or resume from the snapshot later.
    Waiting {
        /// What they are asked.
        asks: Vec<Ask>,
        /// When the first of the questions is over, if they have an end.
        until: Option<Time>,
    },
    /// [`Handle::stop`] was called: the run was left as it was.
    Stopped,
}

/// One run under way.
///
/// Dropping it, or the future of [`Run::drive`], drops every call under way, as a crash would; what was recorded is
/// in the store.
pub struct Run {
    driver: Driver,
    id: Str,
    snapshot: Snapshot,
    /// See [`Run::origin`].
    origin: Option<Span>,
    /// Outputs not yet acted on.
    queue: VecDeque<Output>,
    /// Events on their way into the store.
    batch: Vec<Event>,
    work: Work,
    trace: Trace,
    handle: Handle,
    inbox: UnboundedReceiver<Command>,
    /// When the limit of `[run] timeout` is reached.
    limit: Option<Time>,
    /// Whether a person may send the run back, so that snapshots are kept.
    may_go_back: bool,
}

/// The most events handed to the store at once.
const BATCH: usize = 1_024;

/// What the loop does next.
enum Next {
    Feed(InputKind),
    /// Look again: nobody was there to answer.
    Look,
    Stop,
}

impl Run {
    pub(super) fn new(driver: Driver, id: Str, snapshot: Snapshot) -> Self {
        let (sender, inbox) = unbounded_channel();
        let pauses =
            |kind: &NodeKind| matches!(kind, NodeKind::Composite(composite) if composite.pause.is_some());
        let graphs = &driver.program.graphs;
        let may_go_back = graphs
            .iter()
            .any(|graph| graph.pause.is_some() || graph.nodes.iter().any(|node| pauses(&node.kind)));
        let limit = driver.limits.timeout.map(|timeout| driver.clock.now().saturating_add(timeout));
        Self {
            work: Work::new(driver.limits.at_once),
            trace: Trace::new(&driver.program, &id),
            handle: Handle(sender),
            queue: VecDeque::new(),
            batch: Vec::new(),
            driver,
            id,
            snapshot,
            origin: None,
            inbox,
            limit,
            may_go_back,
        }
    }

    /// The run's id.
    #[must_use]
    pub const fn id(&self) -> &Str {
        &self.id
    }

    /// Where the run stands. From a clone of it the run can be resumed.
    #[must_use]
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Where in the graph's text the error happened that ended the run, if it has such a place.
    #[must_use]
    pub const fn origin(&self) -> Option<Span> {
        self.origin
    }

    /// The program and where the run stands.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { program: &self.driver.program, snapshot: &self.snapshot }
    }

    /// A handle to this run.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Drives the run until it ends, waits for people while nobody is here, or is stopped.
    ///
    /// # Errors
    /// The store failed: what was not kept was not acted on.
    pub async fn drive(&mut self) -> Result<Finished, DriveError> {
        let span = self.trace.run.clone();
        self.turn().instrument(span).await
    }

    async fn turn(&mut self) -> Result<Finished, DriveError> {
        loop {
            self.act().await?;
            if let Some(done) = self.snapshot.done.as_deref().cloned() {
                self.work.settle().await;
                self.leave(Status::Done { outcome: done.outcome.clone(), ok: done.ok }).await?;
                return Ok(Finished::Done(done));
            }
            if self.work.is_empty() && self.inbox.is_empty() {
                if self.waits_for_people() {
                    self.leave(Status::Waiting).await?;
                    let asks = self.snapshot.asks().cloned().collect();
                    return Ok(Finished::Waiting { asks, until: self.snapshot.timer });
                }
                if self.snapshot.timer.is_none() {
                    return Err(DriveError::Idle);
                }
            }
            if self.may_go_back {
                self.save().await?;
            }
            match self.next().await {
                Next::Feed(kind) => self.feed_now(kind),
                Next::Look => {}
                Next::Stop => {
                    self.work.settle().await;
                    return Ok(Finished::Stopped);
                }
            }
        }
    }

    /// Whether no lane waits for anything but people.
    fn waits_for_people(&self) -> bool {
        let still = |phase: &Phase| {
            matches!(phase, Phase::Asking(_) | Phase::Paused { .. } | Phase::Lost { .. } | Phase::Joining(_))
        };
        self.snapshot.asks().next().is_some()
            && self.snapshot.lanes.iter().flatten().all(|lane| still(&lane.phase))
    }

    // ---- inputs ------------------------------------------------------------------------------------------

    /// Lets the machine take an input; what it wants done waits in the queue.
    pub(super) fn feed(&mut self, input: Input) {
        let mut out = Vec::new();
        let mut origins = Vec::new();
        machine::step_located(&self.driver.program, &mut self.snapshot, input, &mut out, &mut origins);
        let end = out.iter().find_map(|output| match output {
            Output::Record(event) if matches!(event.kind, EventKind::Done(_)) => Some(event.seq),
            _ => None,
        });
        if let Some(end) = end {
            self.origin = origins.iter().find(|origin| origin.seq == end).map(|origin| origin.span);
        }
        if self.queue.is_empty() {
            self.queue = out.into();
        } else {
            self.queue.extend(out);
        }
    }

    fn feed_now(&mut self, kind: InputKind) {
        let at = self.driver.clock.now().max(self.snapshot.at);
        self.feed(Input { at, kind });
    }

    /// The next thing that happens.
    async fn next(&mut self) -> Next {
        let timer = sleep(&self.driver, self.snapshot.timer);
        let limit = sleep(&self.driver, self.limit);
        tokio::select! {
            biased;
            command = self.inbox.recv() => match command {
                Some(Command::Cancel(reason)) => Next::Feed(InputKind::Cancel { reason }),
                Some(Command::Answer(ask, answer)) => {
                    self.work.withdraw(&ask);
                    Next::Feed(InputKind::Answered { ask, answer })
                }
                Some(Command::Stop) | None => Next::Stop,
            },
            came = self.work.next() => match came {
                Came::Outcome(call, outcome) => Next::Feed(InputKind::Resolved { call, outcome }),
                Came::Reply(ask, Reply::Answer(answer)) => Next::Feed(InputKind::Answered { ask, answer }),
                Came::Reply(_, Reply::Nobody) => Next::Look,
            },
            () = timer => Next::Feed(InputKind::Time),
            () = limit => {
                self.limit = None;
                let limit = duration::text(self.driver.limits.timeout.unwrap_or_default());
                Next::Feed(InputKind::Cancel { reason: ecow::eco_format!("the run took longer than {limit}") })
            }
        }
    }

    /// Takes up what was under way when the snapshot was taken. What may have reached a tool that is to be reached at
    /// most once is not known.
    pub(super) fn pick_up(&mut self) {
        let calls: Vec<Call> = self.snapshot.calls().cloned().collect();
        let asks: Vec<Ask> = self.snapshot.asks().cloned().collect();
        self.feed_now(InputKind::Time);
        for call in calls {
            if !self.snapshot.calls().any(|open| open.id == call.id) {
                continue;
            }
            if matches!(call.request, Request::Tool { delivery: Delivery::AtMostOnce, .. }) {
                let message = "the run was interrupted while this call was under way".into();
                self.feed_now(InputKind::Resolved { call: call.id, outcome: Outcome::Unknown { message } });
            } else {
                self.queue.push_back(Output::Call(Box::new(call)));
            }
        }
        self.ask_again(asks);
    }

    fn ask_again(&mut self, asks: Vec<Ask>) {
        for ask in asks {
            if self.snapshot.asks().any(|open| open.id == ask.id) {
                self.queue.push_back(Output::Ask(Box::new(ask)));
            }
        }
    }

    // ---- outputs -----------------------------------------------------------------------------------------

    /// Acts on every output in the queue, in order.
    async fn act(&mut self) -> Result<(), DriveError> {
        loop {
            self.record().await?;
            match self.queue.pop_front() {
                None => return Ok(()),
                Some(Output::Call(call)) => self.begin(&call),
                Some(Output::Cancel(call)) => self.work.cancel(&call),
                Some(Output::Ask(ask)) => self.put(&ask),
                Some(Output::Withdraw(ask)) => self.work.withdraw(&ask),
                Some(Output::Rollback { step }) => self.go_back(step).await?,
                // The snapshot says when the timer is due and how the run ended.
                Some(Output::Wait(_) | Output::Done(_) | Output::Record(_)) => {}
            }
        }
    }

    /// Keeps the events at the head of the queue, then shows them to the onlookers.
    async fn record(&mut self) -> Result<(), DriveError> {
        while let Some(Output::Record(_)) = self.queue.front() {
            if let Some(Output::Record(event)) = self.queue.pop_front() {
                self.batch.push(event);
            }
            if self.batch.len() >= BATCH {
                self.flush().await?;
            }
        }
        self.flush().await
    }

    async fn flush(&mut self) -> Result<(), DriveError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        if let Some(store) = &self.driver.store {
            store.append(&self.id, &self.batch).await?;
        }
        let view = View { program: &self.driver.program, snapshot: &self.snapshot };
        for event in self.batch.drain(..) {
            let graph = self.snapshot.lane(event.frame).map(|lane| lane.frame.graph);
            self.trace.follow(view.program, graph, &event);
            self.driver.observers.iter().for_each(|observer| observer.recorded(&event, view));
        }
        Ok(())
    }

    fn begin(&mut self, call: &Call) {
        if self.work.makes(&call.id) {
            return;
        }
        let span = self.trace.call(call, &*self.driver.model);
        let view = View { program: &self.driver.program, snapshot: &self.snapshot };
        let work = span.in_scope(|| match &call.request {
            Request::Model { .. } => self.driver.model.ask(call, view),
            Request::Tool { .. } => self.driver.tools.call(call, view),
        });
        let inner = span.clone();
        let work = async move {
            let outcome = work.await;
            trace::outcome(&inner, &outcome);
            outcome
        };
        self.work.call(call.id.clone(), work.instrument(span));
    }

    fn put(&mut self, ask: &Ask) {
        if !self.work.asks(&ask.id) {
            let view = View { program: &self.driver.program, snapshot: &self.snapshot };
            let reply = self.driver.human.ask(ask, view);
            self.work.ask(ask.id.clone(), reply);
        }
    }

    /// A person sends the run back to a step.
    async fn go_back(&mut self, step: u64) -> Result<(), DriveError> {
        let then = match &self.driver.store {
            Some(store) => store.snapshot(&self.id, Some(step)).await?,
            None => None,
        };
        let Some(then) = then else {
            tracing::warn!(step, "no snapshot of this step or an earlier one was kept; the question stands");
            let asks = self.snapshot.asks().cloned().collect();
            self.ask_again(asks);
            return Ok(());
        };
        self.work.settle().await;
        // What is recorded has happened; what was still to be done belongs to the way that is left.
        self.queue.retain(|output| matches!(output, Output::Record(_)));
        self.snapshot = roll_back(&self.driver.program, then, &self.snapshot);
        let (calls, asks): (Vec<_>, Vec<_>) =
            (self.snapshot.calls().cloned().collect(), self.snapshot.asks().cloned().collect());
        self.queue.extend(calls.into_iter().map(|call| Output::Call(Box::new(call))));
        self.ask_again(asks);
        self.feed_now(InputKind::Time);
        Ok(())
    }

    // ---- the store ---------------------------------------------------------------------------------------

    /// Keeps the snapshot and notes how the run stands.
    async fn leave(&mut self, status: Status) -> Result<(), DriveError> {
        self.save().await?;
        if let Some(store) = &self.driver.store {
            store.mark(&self.id, &status).await?;
        }
        Ok(())
    }

    async fn save(&self) -> Result<(), DriveError> {
        let step = self.snapshot.root().map_or(0, |root| root.frame.steps);
        if let Some(store) = &self.driver.store {
            store.save(&self.id, step, &self.snapshot).await?;
        }
        Ok(())
    }
}

/// Ends at `until`, or never.
fn sleep(driver: &Driver, until: Option<Time>) -> impl Future<Output = ()> + use<> {
    let sleep = until.map(|until| driver.clock.sleep_until(until));
    async move {
        match sleep {
            Some(sleep) => sleep.await,
            None => pending().await,
        }
    }
}
