//! Lists of statements that run others so deep that no run gets through.

use super::blocks::callees;
use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::expr::{Block, StatementKind};
use crate::model::typing::dependencies_first;
use crate::program::level::MAX_NESTED_LISTS;
use crate::source::Span;

/// Judges the lists of all nodes and edges.
pub(super) fn judge(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    if graph.actions.is_empty() {
        return;
    }
    let needs: Vec<Vec<usize>> = graph.actions.iter().map(|action| callees(&action.body)).collect();
    let mut heights = vec![0; graph.actions.len()];
    for action in dependencies_first(&needs).0 {
        heights[action] = height(&graph.actions[action].body, &heights);
    }
    let mut judge = |block: &Block, span: Span| {
        let lists = height(block, &heights);
        if lists > MAX_NESTED_LISTS {
            let message = format!(
                "this fails: {lists} lists of statements run one in another, and {MAX_NESTED_LISTS} may"
            );
            let fault = Diagnostic::warning(rule::ALWAYS_FAILS, span, message);
            findings.push(fault.help("run some of the actions one after another, not in each other"));
        }
    };
    for node in graph.graph.node_weights() {
        judge(&node.entry, node.name.span);
        judge(&node.then, node.name.span);
    }
    for edge in graph.graph.edge_weights() {
        judge(&edge.action, edge.span);
    }
}

/// The number of lists that run one in another below a list.
fn height(block: &Block, actions: &[u32]) -> u32 {
    let mut deepest = 0;
    let mut open = vec![(block, 0)];
    while let Some((block, above)) = open.pop() {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Call(id) => deepest = deepest.max(above + 1 + actions[id.0 as usize]),
                other => open.extend(other.bodies().map(|list| (list, above + 1))),
            }
        }
        deepest = deepest.max(above);
    }
    deepest
}
