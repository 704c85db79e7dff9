//! Nodes: what can be reached, what can come to an end, and who may wait for ever.

use crate::diag::Diagnostic;
use crate::model::Graph;
use crate::model::node::NodeKind;

/// Judges the nodes of a graph.
pub(super) fn judge(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    for node in graph.graph.node_weights() {
        if matches!(node.kind, NodeKind::Human(_)) && node.timeout.is_none() {
            let message = format!("`{}` has no `timeout`: it may wait for ever", node.name.value);
            findings.push(Diagnostic::note("waits-for-ever", node.name.span, message));
        }
    }
}
