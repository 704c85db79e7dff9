//! All that is found in a graph without running it.

use std::fmt::Write as _;

use crate::check::{Bound, Checked, check_file};
use crate::compile::compile_unnamed;
use crate::diag::{Diagnostic, rule};
use crate::machine::MAX_DRAIN;
use crate::model::node::NodeKind;
use crate::model::{Loader, Model};
use crate::program::Program;
use crate::program::graph::Delivery;
use crate::source::Sources;

/// All that is found in a graph without running it.
#[derive(Debug)]
pub struct Examined {
    /// The findings, the model and the bound. The findings that only show when the graph is compiled are among them.
    pub checked: Checked,
    /// The program, without a digest: nobody runs it. None of a graph with errors.
    pub program: Option<Program>,
}

/// Reads, judges and compiles the graph at `path`, with its tools as they are declared. Its texts are added to `sources`.
pub fn examine(
    path: &str,
    sources: &mut Sources,
    loader: &mut dyn Loader,
    declared: &mut dyn FnMut(&str) -> Option<Delivery>,
) -> Examined {
    let mut checked = check_file(sources, loader, path);
    checked.judge_tools(declared);
    // What only shows when the graph is compiled is reported here, and not first when it runs.
    let compiled = checked.model.as_ref().filter(|_| checked.is_sound()).map(compile_unnamed);
    let program = match compiled {
        Some(Ok(program)) => Some(program),
        Some(Err(faults)) => {
            checked.add(faults.iter().map(Diagnostic::from).collect());
            None
        }
        None => None,
    };
    Examined { checked, program }
}

/// The finding on a graph whose runs may be stopped, since they need nothing from outside for too long.
pub(super) fn long_loop(model: &Model, bound: &Bound) -> Option<Diagnostic> {
    let transitions = &bound.transitions;
    let nodes = || model.graphs.iter().flat_map(|graph| graph.graph.node_weights());
    let asks = |kind: &NodeKind| match kind {
        NodeKind::Model(_) | NodeKind::Tool(_) | NodeKind::Human(_) | NodeKind::Wait(_) => true,
        NodeKind::Composite(composite) => composite.pause.is_some(),
        _ => false,
    };
    let pauses = model.graphs.iter().any(|graph| graph.pause.is_some());
    if transitions.number.is_none_or(|number| number <= MAX_DRAIN) || pauses || nodes().any(|n| asks(&n.kind))
    {
        return None;
    }
    let mut message =
        format!("a run that makes more than {MAX_DRAIN} transitions is stopped with `too_large`");
    if transitions.number < Some(u64::MAX) {
        let _ = write!(message, ", and this one may make {transitions}");
    }
    let note = Diagnostic::note(rule::LONG_LOOP, model.root().id.span, message);
    Some(
        note.help(
            "give budgets smaller limits: nothing in this graph needs a model, a tool, a person or time",
        ),
    )
}
