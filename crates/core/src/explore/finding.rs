//! Findings: what a run comes to that it must not come to.

use super::space::{State, StateSpace, TakenInput};
use crate::machine::{Event, EventKind, EventPlace, Lane};
use crate::model::Graph;
use crate::model::expr::{Block, StatementKind};
use crate::program::Program;
use crate::program::error::ErrorKind;
use crate::program::frame::Frame;
use crate::program::graph::SlotCode;
use crate::value::{Str, Value};

/// The kinds of finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// A property of the graph does not hold; its number.
    Broken(u32),
    /// An error of the graph's own making happened: `stuck`, `evaluation`, `too_large`, `internal`.
    Fault(Str),
    /// The run ended by an error of this kind, which nothing answers.
    Unanswered(Str),
    /// A variable holds a value that its type does not have; its number.
    Misfit(u32),
    /// A run comes back to where it was, and so may never end.
    Endless,
    /// A run does more of an amount of work than its bound says; the name of the amount.
    PastBound(&'static str),
    /// A run is elsewhere when it is built again from its inputs.
    Diverged,
}

/// A finding at a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FindingKey {
    /// The kind.
    pub kind: FindingKind,
    /// The graph.
    pub graph: u32,
    /// The node.
    pub node: u32,
}

impl FindingKey {
    /// The fault, in a sentence.
    #[must_use]
    pub fn message(&self, program: &Program) -> String {
        let graph = &program.graphs[self.graph as usize];
        let node = &graph.nodes[self.node as usize].name;
        match &self.kind {
            FindingKind::Broken(property) => {
                let (name, _) = &graph.properties[*property as usize];
                format!("the property `{name}` does not hold at `{node}`")
            }
            FindingKind::Fault(kind) => format!("`{node}` fails with `{kind}`"),
            FindingKind::Unanswered(kind) => {
                format!("the run ends at `{node}` by the error `{kind}`, which no edge answers")
            }
            FindingKind::Misfit(slot) => {
                let name = &graph.slots[*slot as usize].name;
                format!("`{name}` holds a value that its type does not have, at `{node}`")
            }
            FindingKind::Endless => {
                format!("the run comes back to the state that it was in at `{node}`: it may never end")
            }
            FindingKind::PastBound(amount) => format!("a run has more {amount}s than its bound says"),
            FindingKind::Diverged => {
                format!("the run that is at `{node}` is elsewhere when it is built again from its inputs")
            }
        }
    }
}

/// The kinds that the `fail` statements of a graph name: it may end by them.
pub(super) fn declared_kinds(graph: &Graph) -> Vec<Str> {
    let mut open: Vec<&Block> = graph.blocks().collect();
    let mut kinds = Vec::new();
    while let Some(block) = open.pop() {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Fail(kind, _) => kinds.push(kind.clone()),
                other => open.extend(other.bodies()),
            }
        }
    }
    kinds
}

/// What is wrong with the events of an input.
pub(super) struct EventFaults<'d> {
    /// The kinds that a run may end by.
    declared: &'d [Str],
    found: Vec<FindingKey>,
    /// False after the start of a run before its first node: a start that is refused is no fault.
    has_begun: bool,
}

impl<'d> EventFaults<'d> {
    pub(super) const fn new(declared: &'d [Str]) -> Self {
        Self { declared, found: Vec::new(), has_begun: true }
    }

    /// Takes the next event, which happened at that place. `after` is the state after the last one.
    pub(super) fn take(&mut self, event: &Event, place: &EventPlace, after: &State) {
        match &event.kind {
            EventKind::Started { .. } => self.has_begun = false,
            EventKind::Failed { node, error, .. } => self.failed(place.graph, *node, text(error, "kind")),
            EventKind::Entered { .. } | EventKind::Crossed { .. } => self.has_begun = true,
            EventKind::Done(done) if self.has_begun && !done.error.is_null() => {
                let node = after.snapshot.root().map_or(place.node, |root| root.frame.node);
                self.ended(node, text(&done.error, "kind"));
            }
            _ => {}
        }
    }

    fn failed(&mut self, graph: u32, node: u32, kind: &str) {
        let is_fault = matches!(
            ErrorKind::named(kind),
            Some(ErrorKind::Stuck | ErrorKind::Evaluation | ErrorKind::TooLarge | ErrorKind::Internal)
        );
        if is_fault {
            self.found.push(FindingKey { kind: FindingKind::Fault(kind.into()), graph, node });
        }
    }

    fn ended(&mut self, node: u32, kind: &str) {
        let is_wanted = ErrorKind::Cancelled.is(kind) || self.declared.iter().any(|own| own == kind);
        let has_fault = self.found.iter().any(|own| own.kind == FindingKind::Fault(kind.into()));
        if !is_wanted && !has_fault {
            self.found.push(FindingKey { kind: FindingKind::Unanswered(kind.into()), graph: 0, node });
        }
    }
}

/// All that is wrong with what came of an input, whose events have these faults.
pub(super) fn judge(
    space: &StateSpace<'_>,
    before: &State,
    taken: &TakenInput,
    faults: EventFaults<'_>,
) -> Vec<FindingKey> {
    let mut found = faults.found;
    found.extend(taken.violations.iter().map(|own| FindingKey {
        kind: FindingKind::Broken(own.property),
        graph: own.graph,
        node: own.node,
    }));
    found.extend(misfits(space, before, taken));
    found.sort_unstable();
    found.dedup();
    found
}

/// Variables that have come to hold what their type does not have.
fn misfits(space: &StateSpace<'_>, before: &State, taken: &TakenInput) -> Vec<FindingKey> {
    let (mut found, shapes) = (Vec::new(), &space.program.shapes);
    if taken.state.snapshot.done.is_some() {
        return found;
    }
    for (number, lane) in (0..).zip(&taken.state.snapshot.lanes) {
        let Some(Lane { frame, .. }) = lane.as_deref() else { continue };
        let code = &space.program.graphs[frame.graph as usize];
        let was = before.snapshot.lane(number).map(|lane| &lane.frame).filter(|was| was.graph == frame.graph);
        let is_active = |own: &SlotCode, frame: &Frame| {
            let chain = &code.nodes[frame.node as usize].chain;
            own.scope.is_none_or(|scope| chain.contains(&scope))
        };
        for (slot, (own, value)) in (0..).zip(code.slots.iter().zip(&frame.slots)) {
            let was = was.filter(|was| is_active(own, was)).map(|was| &was.slots[slot as usize]);
            let is_fitted = || match was {
                Some(was) => shapes.is_still_fitted(own.shape, was, value),
                None => shapes.is_fitted(own.shape, value),
            };
            if is_active(own, frame) && !is_fitted() {
                found.push(FindingKey {
                    kind: FindingKind::Misfit(slot),
                    graph: frame.graph,
                    node: frame.node,
                });
            }
        }
    }
    found
}

fn text<'v>(error: &'v Value, field: &str) -> &'v str {
    error.as_map().and_then(|map| map.get(field)?.as_str()).unwrap_or_default()
}
