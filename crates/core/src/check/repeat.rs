//! Calls that may be made at most once, and a `retry` that would repeat them.

use super::Declared;
use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::expr::ExprKind;
use crate::model::node::{NameSource, Node, NodeId, NodeKind, ToolNode, Trigger};
use crate::program::graph::Delivery;
use crate::value::Value;

/// Judges the calls whose node says that they may be made at most once.
pub(super) fn judge(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    let cure = "if the tool can be called twice, remove `delivery: at_most_once`; otherwise add an edge `on: unknown`, or remove `retry`";
    for (id, tool) in retried(graph) {
        if tool.delivery == Some(Delivery::AtMostOnce) {
            findings.push(finding(graph, id, cure));
        }
    }
}

/// Judges the calls whose node leaves that to its tool.
pub(super) fn judge_declared(graph: &Graph, declared: &mut Declared<'_>, findings: &mut Vec<Diagnostic>) {
    let mut once = |name: &str| declared(name) == Some(Delivery::AtMostOnce);
    for (id, tool) in retried(graph) {
        if tool.delivery == Some(Delivery::AtMostOnce) {
            continue;
        }
        let all_once = match &tool.tool {
            NameSource::Fixed(name) => once(&name.value),
            // If one of the tools bears it, `retry` is for that one.
            NameSource::Computed(_) => {
                !tool.allow.is_empty() && tool.allow.iter().all(|name| once(&name.value))
            }
        };
        if all_once {
            let cure = "if the tool can be called twice, declare it with `delivery = \"idempotent\"` in the configuration; otherwise add an edge `on: unknown`, or remove `retry`";
            findings.push(finding(graph, id, cure));
        }
    }
}

/// The calls of tools that are to be tried more than once.
fn retried(graph: &Graph) -> impl Iterator<Item = (NodeId, &ToolNode)> {
    graph.graph.node_indices().filter_map(|id| match &graph.graph[id] {
        Node { kind: NodeKind::Tool(tool), retry: Some(retry), .. }
            if !matches!(retry.attempts.kind, ExprKind::Const(Value::Int(1))) =>
        {
            Some((id, &**tool))
        }
        _ => None,
    })
}

/// The finding about a call that may be made at most once.
fn finding(graph: &Graph, id: NodeId, cure: &str) -> Diagnostic {
    let node = &graph.graph[id];
    let span = node.retry.as_ref().map_or(node.name.span, |retry| retry.attempts.span);
    let message = format!(
        "the call of `{}` may be made at most once: `retry` repeats it only if it certainly never started",
        node.name.value
    );
    // An author who answers `unknown` knows of it.
    let finding = if answers_unknown(graph, id) {
        Diagnostic::note(rule::RETRIED_ONCE, span, message)
    } else {
        Diagnostic::warning(rule::RETRIED_ONCE, span, message)
    };
    finding.help(cure)
}

/// True where an edge of the node, or of a composite around it, is for calls of which nobody knows if they took place.
fn answers_unknown(graph: &Graph, id: NodeId) -> bool {
    let answers = |node: &Node| {
        node.edges.iter().flat_map(|edge| &graph.graph[*edge].on).any(|on| matches!(on, Trigger::Unknown))
    };
    std::iter::successors(Some(id), |id| graph.graph[*id].parent).any(|id| answers(&graph.graph[id]))
}
