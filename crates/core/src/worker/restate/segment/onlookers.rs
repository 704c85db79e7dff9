//! Events on their way to the onlookers.

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
    /// The state after them.
    snapshot: Snapshot,
}

impl Onlookers {
    pub(super) fn new(run: Str, ports: RunPorts, claim: Claim, snapshot: &Snapshot) -> Self {
        ports.forget(&run);
        let (cursor, snapshot) = (EventCursor::at(snapshot), snapshot.clone());
        Self { run, ports, claim, cursor, unshown: Vec::new(), snapshot }
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
        self.snapshot = snapshot.clone();
    }

    /// Returns true if there is something to show.
    pub(super) fn has_unshown(&self) -> bool {
        !self.unshown.is_empty()
    }

    /// Shows everything.
    pub(super) fn show(&mut self, program: &Program) {
        let view = RunView { program, snapshot: &self.snapshot, claim: &self.claim };
        for (event, graph) in self.unshown.drain(..) {
            self.ports.show(&self.run, &event, graph, view);
        }
    }

    /// Counts everything as shown: it was, by an earlier attempt to drive the segment.
    pub(super) fn pass(&mut self) {
        for (event, _) in self.unshown.drain(..) {
            self.ports.catch_up(&self.run, &event);
        }
    }
}
