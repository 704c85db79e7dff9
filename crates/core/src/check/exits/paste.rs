//! Edges to paste, in the form of the file that they are for.

use crate::diag::{EditKind, SuggestedEdit};
use crate::model::Graph;
use crate::model::expr::ExprKind;
use crate::model::node::{NodeId, NodeKind};
use crate::source::Span;
use crate::value::Value;

/// Names for a final that says that a run failed.
const NAMES: [&str; 3] = ["failed", "given_up", "broken"];

/// The text of new edges of one graph.
pub(super) struct EdgeText<'g> {
    /// The file is not YAML.
    arrows: bool,
    /// The final they lead to.
    target: &'g str,
    exists: bool,
}

impl<'g> EdgeText<'g> {
    /// Edges to a final of the graph that says that it failed, or to a new one.
    pub(super) fn of(graph: &'g Graph) -> Self {
        let fails = |node: &&crate::model::node::Node| {
            let NodeKind::Final(own) = &node.kind else { return false };
            let constant = own.ok.as_ref().map(|ok| &ok.kind);
            node.parent.is_none() && matches!(constant, Some(ExprKind::Const(Value::Bool(false))))
        };
        let own = graph.graph.node_weights().find(fails).map(|node| node.name.value.as_str());
        let is_free = |name: &&&str| !graph.graph.node_weights().any(|node| node.name.value == **name);
        let target = own.unwrap_or_else(|| NAMES.iter().find(is_free).unwrap_or(&NAMES[0]));
        Self {
            arrows: std::path::Path::new(&graph.path).extension().is_some_and(|end| end == "loop"),
            target,
            exists: own.is_some(),
        }
    }

    /// An edge on a trigger.
    pub(super) fn edge(&self, trigger: &str) -> String {
        let dash = if self.arrows { "" } else { "- " };
        format!("`{dash}{}`", self.edge_item(trigger))
    }

    /// The same as an item of a list.
    fn edge_item(&self, trigger: &str) -> String {
        if self.arrows {
            format!("-> {} on {trigger}", self.target)
        } else {
            format!("{{to: {}, on: {trigger}}}", self.target)
        }
    }

    /// The edits that add such an edge to nodes, and the final if there is none. [`None`] where one of the nodes has no edge.
    pub(super) fn edits(&self, graph: &Graph, nodes: &[NodeId], trigger: &str) -> Option<Vec<SuggestedEdit>> {
        let next = |span: Span, text: String| SuggestedEdit { span, text, kind: EditKind::NextItem };
        let last_edge = |id: &NodeId| Some(graph.graph[*graph.graph[*id].edges.last()?].span);
        let edges: Option<Vec<Span>> = nodes.iter().map(last_edge).collect();
        let mut edits: Vec<SuggestedEdit> =
            edges?.into_iter().map(|span| next(span, self.edge_item(trigger))).collect();
        if !self.exists {
            let outer = graph.graph.node_weights().filter(|node| node.parent.is_none());
            let last = outer.map(|node| node.span).max_by_key(|span| span.start)?;
            edits.push(next(last, self.final_item()));
        }
        Some(edits)
    }

    /// The declaration of the final, where the graph has none like it.
    pub(super) fn new_final(&self) -> Option<String> {
        (!self.exists).then(|| format!("`{}`", self.final_item()))
    }

    fn final_item(&self) -> String {
        if self.arrows {
            format!("final {} ok false", self.target)
        } else {
            format!("{}: {{kind: final, ok: false}}", self.target)
        }
    }
}
