//! Triggers that never come: edges on them can never be taken.

use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::expr::BudgetRef;
use crate::model::node::{Edge, Node, NodeId, NodeKind, Trigger};
use crate::program::graph::Gate;

/// Reports an edge on what never comes; true if it did.
pub(super) fn judge(graph: &Graph, edge: &Edge, findings: &mut Vec<Diagnostic>) -> bool {
    let dead = edge.on.iter().all(|t| never_fires(graph, t)) && !edge.on.is_empty();
    if dead {
        let message = "this edge can never be taken: an advisory budget stops nothing";
        let fault = Diagnostic::warning(rule::DEAD_EDGE, edge.span, message);
        findings.push(fault.help("test it with `when: exhausted(budget)`, or make the budget's gate `hard`"));
    }
    dead
}

/// Reports the first edge for a composite being done that is never done.
pub(super) fn judge_composite(
    graph: &Graph,
    (id, node): (NodeId, &Node),
    edges: &[&Edge],
    findings: &mut Vec<Diagnostic>,
) {
    if matches!(node.kind, NodeKind::Composite(_))
        && let Some(edge) = edges.iter().find(|e| e.on.iter().all(Trigger::is_done) && !e.on.is_empty())
        && graph.cfg.finals(id).next().is_none()
    {
        let message = format!("this edge can never be taken: `{}` contains no final", node.name.value);
        let fault = Diagnostic::warning(rule::DEAD_EDGE, edge.span, message);
        findings.push(fault.help("a composite is done when a final directly inside it is entered"));
    }
}

fn never_fires(graph: &Graph, trigger: &Trigger) -> bool {
    let Trigger::Exhausted(budget) = trigger else { return false };
    let (BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) = budget;
    graph.budgets[id.0 as usize].gate == Gate::Advisory
}
