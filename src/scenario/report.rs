//! What came of a scenario.

use std::sync::Arc;

use super::bind::Bound;
use super::compare::compare;
use super::facts::{Broken, Facts};
use super::failed_run::failed_run;
use super::file::Scenario;
use super::play::{Run, play};
use super::walk::Walk;
use crate::diag::Diagnostic;
use crate::machine::EventKind;
use crate::program::Program;
use crate::source::Span;
use crate::value::{Str, Value};

/// More faults of one run than these are not shown.
const MOST_ERRORS: usize = 3;

/// A played scenario and everything that went otherwise than expected.
#[derive(Debug, Clone)]
pub struct Report {
    /// The scenario's name.
    pub name: Str,
    /// Where it is written.
    pub span: Span,
    /// The run.
    pub run: Run,
    /// What it came to.
    pub facts: Facts,
    /// What went otherwise; empty when the scenario passed.
    pub faults: Vec<Fault>,
    /// The faults of the graph's own text that the run met, each at its place; a scenario may expect them.
    pub errors: Vec<Diagnostic>,
}

impl Report {
    /// Plays a scenario and compares.
    #[must_use]
    pub fn of(program: &Program, bound: &Arc<Bound>, scenario: &Scenario) -> Self {
        Self::judge(program, scenario, play(program, bound, scenario))
    }

    /// Compares a run that was played already.
    #[must_use]
    pub fn judge(program: &Program, scenario: &Scenario, run: Run) -> Self {
        let facts = Facts::of(program, &run);
        let faults = compare(scenario, &run, &facts);
        let errors = errors(program, &run);
        Self { name: scenario.name.value.clone(), span: scenario.name.span, run, facts, faults, errors }
    }

    /// Whether everything went as expected.
    #[must_use]
    pub const fn passed(&self) -> bool {
        self.faults.is_empty()
    }
}

/// The faults of the graph's own text that a run met, the first ones.
fn errors(program: &Program, run: &Run) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut walk = Walk::new();
    for event in &run.events {
        walk.next(event);
        let EventKind::Failed { node, error, .. } = &event.kind else { continue };
        let Some(origin) = run.origins.iter().find(|origin| origin.seq == event.seq) else { continue };
        if found.iter().any(|known| known.span() == origin.span) {
            continue;
        }
        let name = &program.graphs[walk.graph(event.frame) as usize].nodes[*node as usize].name;
        found.push(failed_run(name, error, origin.span, origin.frame == event.frame));
        if found.len() == MOST_ERRORS {
            break;
        }
    }
    found
}

/// Something that went otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The expectation it breaks.
    pub span: Span,
    /// What happened.
    pub failure: Failure,
}

/// The ways in which a scenario fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The run did not end, or not as runs should.
    Ended(String),
    /// One value is another.
    Value {
        /// The key of `expect`.
        what: &'static str,
        /// What was expected.
        expected: Value,
        /// What was found, if anything.
        found: Option<Value>,
    },
    /// The run took another path.
    Path {
        /// `path` or `leaf_path`.
        what: &'static str,
        /// Both paths side by side: expected, taken.
        rows: Vec<(Option<Str>, Option<Str>)>,
    },
    /// Fields have other values.
    Fields {
        /// The key of `expect`.
        what: &'static str,
        /// Field by field.
        differences: Vec<Difference>,
    },
    /// A call, question or event did not happen, or not in this order; or some did where none was expected.
    Calls {
        /// The key of `expect`.
        what: &'static str,
        /// The first one that is missing.
        missing: Option<Value>,
        /// Those that happened.
        found: Vec<Value>,
    },
    /// Properties of the graph do not hold.
    Broken(Vec<Broken>),
    /// Nobody asked for these answers.
    Unused(Vec<Span>),
}

/// A field with another value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The way to it: `answer.action`, `hits[2]`; empty for the whole.
    pub at: String,
    /// What was expected.
    pub expected: Value,
    /// What was found; nothing where the field is missing.
    pub found: Option<Value>,
}
