//! Events on their way to the onlookers.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::drive::RunPorts;
use crate::machine::{Event, EventCursor, Snapshot};
use crate::port::{Claim, RunView};
use crate::program::Program;
use crate::value::Str;

/// Events that are recorded and not shown yet. They are shown in a step of Restate's journal, so that a replay, which skips the step,
/// does not show them again.
pub(super) struct Onlookers {
    run: Str,
    ports: RunPorts,
    claim: Claim,
    cursor: EventCursor,
    unshown: Vec<(Event, u32)>,
    /// True until a step in which events were shown has ended with its result: the same in a replay.
    has_pending: bool,
    /// The state after them.
    snapshot: Snapshot,
}

impl Onlookers {
    pub(super) fn new(run: Str, ports: RunPorts, snapshot: &Snapshot) -> Self {
        ports.forget(&run);
        // What onlookers do may be done twice: a segment that another worker drives shows the same.
        let claim = Claim::endless(Arc::clone(ports.clock()));
        let (cursor, snapshot) = (EventCursor::at(snapshot), snapshot.clone());
        Self { run, ports, claim, cursor, unshown: Vec::new(), has_pending: false, snapshot }
    }

    /// Lets those who look back go on from what they knew; false if that does not do.
    pub(super) fn recall(&self, memory: Option<&Json>) -> bool {
        !self.ports.looks_back() || memory.is_some_and(|memory| self.ports.recall(&self.run, memory))
    }

    /// The knowledge of those who look back, for the next segment.
    pub(super) fn memory(&self) -> Json {
        self.ports.memory(&self.run)
    }

    /// Shows what happened in earlier segments to those who look back.
    pub(super) fn look_back(&self, events: impl IntoIterator<Item = Event>) {
        events.into_iter().for_each(|event| self.ports.catch_up(&self.run, &event));
    }

    /// Takes events that led to a state.
    pub(super) fn add(&mut self, program: &Program, events: &[Event], snapshot: &Snapshot) {
        for event in events {
            let graph = self.cursor.next(program, event).graph;
            self.unshown.push((event.clone(), graph));
        }
        self.has_pending |= !events.is_empty();
        self.snapshot = snapshot.clone();
    }

    /// Returns true if there is something to show.
    pub(super) const fn has_pending(&self) -> bool {
        self.has_pending
    }

    /// Shows everything.
    pub(super) fn show(&mut self, program: &Program) {
        let view = RunView { program, snapshot: &self.snapshot, claim: &self.claim };
        for (event, graph) in self.unshown.drain(..) {
            self.ports.show(&self.run, &event, graph, view);
        }
    }

    /// Counts everything as shown that there was before a step which has ended: it was, here or by an earlier attempt to drive the
    /// segment.
    pub(super) fn pass(&mut self) {
        self.has_pending = false;
        for (event, _) in self.unshown.drain(..) {
            self.ports.catch_up(&self.run, &event);
        }
    }
}
