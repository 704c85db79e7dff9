//! One run and the loop that drives it.

mod input;
mod output;

use std::collections::VecDeque;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tracing::Instrument;

use self::input::Next;
use super::driver::{DriveError, Driver};
use super::handle::{Command, Handle};
use super::trace::Trace;
use super::work::Work;
use crate::machine::{Ask, Done, Event, Origin, Output, Phase, Snapshot, Time};
use crate::port::{Status, View};
use crate::program::graph::NodeKind;
use crate::value::Str;

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
    origin: Option<Origin>,
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
    pub const fn origin(&self) -> Option<Origin> {
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

    /// Keeps the snapshot and notes how the run stands.
    async fn leave(&mut self, status: Status) -> Result<(), DriveError> {
        self.save().await?;
        if let Some(store) = &self.driver.store {
            store.mark(&self.id, &status).await?;
        }
        Ok(())
    }

    async fn save(&self) -> Result<(), DriveError> {
        let step = self.snapshot.step();
        if let Some(store) = &self.driver.store {
            store.save(&self.id, step, &self.snapshot).await?;
        }
        Ok(())
    }
}
