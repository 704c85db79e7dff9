//! Calls that may be made at most once, and a `retry` that would repeat them.

use crate::diag::Diagnostic;
use crate::model::Graph;
use crate::model::expr::ExprKind;
use crate::model::node::{Delivery, Node, NodeId, NodeKind, Trigger};
use crate::value::Value;

/// Judges the retries of a graph.
pub(super) fn judge(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    for id in graph.graph.node_indices() {
        let node = &graph.graph[id];
        let (NodeKind::Tool(tool), Some(retry)) = (&node.kind, &node.retry) else { continue };
        let once = tool.delivery == Some(Delivery::AtMostOnce);
        if !once || matches!(retry.attempts.kind, ExprKind::Const(Value::Int(1))) {
            continue;
        }
        let message = format!(
            "the call of `{}` may be made at most once: `retry` repeats it only where it surely never began",
            node.name.value
        );
        let span = retry.attempts.span;
        // An author who answers `unknown` knows of it.
        let finding = if answers_unknown(graph, id) {
            Diagnostic::note("retried-once", span, message)
        } else {
            Diagnostic::warning("retried-once", span, message)
        };
        let cure = "if the tool bears to be called twice, take `delivery: at_most_once` away; else answer `on: unknown`, or take `retry` away";
        findings.push(finding.help(cure));
    }
}

/// True where an edge of the node, or of a composite around it, is for calls of which nobody knows if they took place.
fn answers_unknown(graph: &Graph, id: NodeId) -> bool {
    let answers = |node: &Node| {
        node.edges.iter().flat_map(|edge| &graph.graph[*edge].on).any(|on| matches!(on, Trigger::Unknown))
    };
    std::iter::successors(Some(id), |id| graph.graph[*id].parent).any(|id| answers(&graph.graph[id]))
}
