//! The proof that every run ends, and how long it can be at most.
//!
//! A transition is paid if a hard budget was surely spent on it. No run can go round for ever where every way round is
//! paid: [`region::endless`] looks for those that are not. [`bound`] counts what runs can do at most.

mod bound;
mod budgets;
mod cause;
mod cost;
mod cycle;
mod formula;
mod lists;
mod region;
mod solve;
mod unbounding_spends;
mod unfold;

pub use self::bound::{Amount, Bound};
pub use self::budgets::Given;

use self::budgets::Unknowns;
use self::region::Component;
use self::unfold::{State, Unfolding};
use crate::diag::{Diagnostic, rule};
use crate::model::typing::dependencies_first;
use crate::model::{Graph, Model};
use crate::source::Span;

/// Looks for loops without end in every graph of a model. Gives the bound of the first graph, if it and all that it calls
/// come to an end. `given`: limits of the first graph, where they are those of one run.
pub(super) fn prove(model: &Model, given: Option<&Given>, findings: &mut Vec<Diagnostic>) -> Option<Bound> {
    let mut bounds: Vec<Option<Bound>> = vec![None; model.graphs.len()];
    let calls: Vec<Vec<usize>> = model.graphs.iter().map(called).collect();
    for id in dependencies_first(&calls).0 {
        let graph = &model.graphs[id];
        let unfolding = Unfolding::of(graph, id > 0);
        let unknowns = Unknowns::of(graph, &unfolding, given.filter(|_| id == 0));
        let endless = region::endless(&unfolding, &unknowns, &Component::whole(&unfolding), |_| false);
        if endless.is_empty() && calls[id].iter().all(|called| bounds[*called].is_some()) {
            bounds[id] = Some(bound::bound(model, graph, &unfolding, unknowns, &bounds));
        } else {
            let endless = without_dead_ends(graph, &unfolding, endless, findings);
            cycle::report(graph, &unfolding, &unknowns, &endless, findings);
        }
    }
    bounds.into_iter().next().flatten()
}

/// The loops that have a way out, where a dead end was found: mending that mends those without, too.
fn without_dead_ends(
    graph: &Graph,
    unfolding: &Unfolding,
    endless: Vec<Component>,
    reported: &[Diagnostic],
) -> Vec<Component> {
    let here = |place: Span| {
        place == graph.id.span || graph.graph.node_weights().any(|node| node.name.span == place)
    };
    if !reported.iter().any(|finding| finding.rule == rule::DEAD_END && here(finding.span())) {
        return endless;
    }
    let ending = graph.cfg.ending();
    let has_exit = |part: &Component| {
        let mut nodes = part.states.iter().filter_map(|state| match unfolding.graph[*state] {
            State::Work(node) | State::Exit(node, ..) => Some(node),
            State::Start | State::End => None,
        });
        nodes.any(|node| ending[graph.cfg.node(node).index()])
    };
    endless.into_iter().filter(has_exit).collect()
}

/// The graphs that a graph calls, as indices into the model.
fn called(graph: &Graph) -> Vec<usize> {
    graph.called().into_iter().map(|id| id.0 as usize).collect()
}
