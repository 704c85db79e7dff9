//! The proof that every run ends, and how long it can be at most.
//!
//! A transition is paid if a hard budget was surely spent on it. No run can go round for ever where every way round is
//! paid: [`region::endless`] looks for those that are not. [`bound`] counts what runs can do at most.

mod bound;
mod budgets;
mod cost;
mod cycle;
mod formula;
mod lists;
mod region;
mod solve;
mod vain;
mod walk;

pub use self::bound::{Amount, Bound};
pub use self::budgets::Given;

use self::budgets::Unknowns;
use self::region::Part;
use self::walk::{Point, Walk};
use super::ways::Ways;
use crate::diag::Diagnostic;
use crate::model::node::NodeKind;
use crate::model::{Graph, GraphId, Model};
use crate::source::Span;

/// Looks for loops without end in every graph of a model. Gives the bound of the first graph, if it and all that it calls
/// come to an end. `given`: limits of the first graph, where they are those of one run.
pub(super) fn prove(model: &Model, given: Option<&Given>, findings: &mut Vec<Diagnostic>) -> Option<Bound> {
    let mut bounds: Vec<Option<Bound>> = vec![None; model.graphs.len()];
    for id in callees_first(model) {
        let graph = &model.graphs[id];
        let walk = Walk::of(graph, id > 0);
        let unknowns = Unknowns::of(graph, &walk.arcs, given.filter(|_| id == 0));
        let endless = region::endless(&walk, &unknowns, &Part::whole(&walk), |_| false);
        if endless.is_empty() && calls(model, id).iter().all(|called| bounds[*called].is_some()) {
            bounds[id] = Some(bound::bound(model, graph, &walk, unknowns, &bounds));
        } else {
            let endless = without_dead_ends(graph, &walk, endless, findings);
            cycle::report(graph, &walk, &unknowns, &endless, findings);
        }
    }
    bounds.into_iter().next().flatten()
}

/// The loops that have a way out, where a dead end was found: mending that mends those without, too.
fn without_dead_ends(graph: &Graph, walk: &Walk, endless: Vec<Part>, said: &[Diagnostic]) -> Vec<Part> {
    let here = |place: Span| {
        place == graph.id.span || graph.graph.node_weights().any(|node| node.name.span == place)
    };
    if !said.iter().any(|finding| finding.rule == "dead-end" && here(finding.span())) {
        return endless;
    }
    let ending = Ways::of(graph).ending();
    let has_way_out = |part: &Part| {
        let mut nodes = part.points.iter().filter_map(|point| match walk.points[*point as usize] {
            Point::Work(node) | Point::Exit(node, ..) => Some(node),
            Point::Start | Point::End => None,
        });
        nodes.any(|node| ending[node.index()])
    };
    endless.into_iter().filter(has_way_out).collect()
}

/// The graphs that a graph calls.
fn calls(model: &Model, graph: usize) -> Vec<usize> {
    let mut called: Vec<GraphId> = Vec::new();
    for node in model.graphs[graph].graph.node_weights() {
        match &node.kind {
            NodeKind::Call(own) => called.push(own.graph),
            NodeKind::Each(own) => called.push(own.graph),
            NodeKind::Parallel(own) => called.extend(own.branches.iter().map(|branch| branch.graph)),
            _ => {}
        }
    }
    called.sort_unstable();
    called.dedup();
    called.into_iter().map(|id| id.0 as usize).collect()
}

/// All graphs, each behind those it calls. Graphs call each other in no circle.
fn callees_first(model: &Model) -> Vec<usize> {
    let mut placed = vec![false; model.graphs.len()];
    let mut order = Vec::with_capacity(model.graphs.len());
    for first in 0..model.graphs.len() {
        let mut way = vec![(first, calls(model, first))];
        while let Some((at, open)) = way.last_mut() {
            if placed[*at] {
                way.pop();
            } else if let Some(next) = open.pop() {
                if !placed[next] {
                    way.push((next, calls(model, next)));
                }
            } else {
                placed[*at] = true;
                order.push(*at);
                way.pop();
            }
        }
    }
    order
}
