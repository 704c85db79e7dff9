//! The result of a scenario.

use std::sync::Arc;

use super::bind::BoundExpressions;
use super::compare::compare;
use super::facts::RunFacts;
use super::failed_run::{answered_failure, failed_run};
use super::failure::ScenarioFault;
use super::file::Scenario;
use super::play::{PlayedRun, play};
use crate::diag::Diagnostic;
use crate::machine::{EventCursor, EventKind};
use crate::program::Program;
use crate::source::Span;
use crate::value::Str;

/// More faults of one run than these are not shown.
const MAX_ERRORS: usize = 3;

/// A played scenario and everything that went otherwise than expected.
#[derive(Debug, Clone)]
pub struct Report {
    /// The scenario's name.
    pub name: Str,
    /// The place in the file.
    pub span: Span,
    /// The run.
    pub run: PlayedRun,
    /// The facts of the run.
    pub facts: RunFacts,
    /// The differences; empty when the scenario passed.
    pub faults: Vec<ScenarioFault>,
    /// The faults of the graph's own text that the run met, each at its place; a scenario may expect them.
    pub errors: Vec<Diagnostic>,
}

impl Report {
    /// Plays a scenario and compares.
    #[must_use]
    pub fn of(program: &Program, bound: &Arc<BoundExpressions>, scenario: &Scenario) -> Self {
        Self::judge(program, scenario, play(program, bound, scenario))
    }

    /// Compares a run that was played already.
    #[must_use]
    pub fn judge(program: &Program, scenario: &Scenario, run: PlayedRun) -> Self {
        let facts = RunFacts::of(program, &run);
        let faults = compare(scenario, &run, &facts);
        let errors = errors(program, &run);
        Self { name: scenario.name.value.clone(), span: scenario.name.span, run, facts, faults, errors }
    }

    /// Returns true if everything went as expected.
    #[must_use]
    pub const fn passed(&self) -> bool {
        self.faults.is_empty()
    }
}

/// The faults of the graph's own text that a run met, the first ones.
fn errors(program: &Program, run: &PlayedRun) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut cursor = EventCursor::new();
    for (place, event) in run.events.iter().enumerate() {
        let graph = cursor.next(program, event).graph;
        let EventKind::Failed { node, error, .. } = &event.kind else { continue };
        let Some(origin) = run.origins.iter().find(|origin| origin.seq == event.seq) else { continue };
        if found.iter().any(|known| known.span() == origin.span) {
            continue;
        }
        let code = &program.graphs[graph as usize];
        let name = |node: u32| code.nodes[node as usize].name.as_str();
        // A frame is at one node at a time: after a failure it takes an edge, or ends.
        let next = run.events[place + 1..].iter().find(|next| next.frame == event.frame);
        found.push(match next.map(|next| &next.kind) {
            Some(EventKind::Took { edge, .. }) => {
                let edge = &code.edges[*edge as usize];
                answered_failure(name(*node), error, origin.span, (name(edge.from), name(edge.to)))
            }
            _ => failed_run(name(*node), error, origin.span, origin.frame == event.frame),
        });
        if found.len() == MAX_ERRORS {
            break;
        }
    }
    found
}
