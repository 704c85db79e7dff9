//! The edges of a region as arrows between what is seen.

use super::fault::RenderFault;
use super::label::is_error;
use super::region::{NodeAppearance, Region};
use super::scene::{EdgeSketch, Scene};
use crate::model::node::{Edge, EdgeId, NodeId, NodeKind, Trigger};

impl<'a> Region<'a> {
    /// Draws the edges of all nodes, in order of the text.
    pub(super) fn arrows(mut self, scene: &mut Scene<'a>) -> Result<(), RenderFault> {
        let graph = self.graph;
        for from in graph.graph.node_indices() {
            // What leaves the composite that is drawn alone has no place in the drawing.
            if Some(from) == self.top {
                continue;
            }
            for id in &graph.graph[from].edges {
                let wanted = scene.options.errors || !is_error(&graph.graph[*id]);
                if wanted && let Some((_, to)) = graph.graph.edge_endpoints(*id) {
                    self.edge(scene, *id, from, to)?;
                }
            }
        }
        Ok(())
    }

    fn edge(
        &mut self,
        scene: &mut Scene<'a>,
        id: EdgeId,
        from: NodeId,
        to: NodeId,
    ) -> Result<(), RenderFault> {
        if self.shown(from) == NodeAppearance::Absent {
            if self.shown(to) == NodeAppearance::Absent || Some(to) == self.top {
                return Ok(());
            }
            let from = self.stub(scene, from)?;
            return self.arrow(scene, id, None, from, to);
        }
        if let (NodeAppearance::Hidden(a), NodeAppearance::Hidden(b)) = (self.shown(from), self.shown(to))
            && a == b
        {
            return Ok(());
        }
        match self.shown(from) {
            NodeAppearance::Item(item) => self.arrow(scene, id, Some(from), item, to),
            NodeAppearance::Hidden(item) => self.arrow(scene, id, None, item, to),
            NodeAppearance::Dissolved | NodeAppearance::Absent => {
                let edge = &self.graph.graph[id];
                let mut items = Vec::new();
                self.sources(from, edge, &mut items);
                items.into_iter().try_for_each(|item| self.arrow(scene, id, None, item, to))
            }
        }
    }

    fn arrow(
        &mut self,
        scene: &mut Scene<'a>,
        id: EdgeId,
        drawn: Option<NodeId>,
        from: usize,
        to: NodeId,
    ) -> Result<(), RenderFault> {
        let graph = self.graph;
        let to = match self.entry(to) {
            Some(item) => item,
            None => self.stub(scene, to)?,
        };
        let collapsed = scene.is_collapsed(from) || scene.is_collapsed(to);
        let branch = drawn.map(|node| &graph.graph[node]);
        let edge = EdgeSketch {
            source: (self.number, id.index()),
            label: scene.texts.label(graph, id, collapsed, branch),
            error: is_error(&graph.graph[id]),
            taken: self.taken.is_some_and(|taken| taken.edge(id.index())),
        };
        scene.arrow((from, to), edge)
    }

    /// The sources of an edge of a composite without a box: on `done` at its finals, else at each node in it that can fail.
    fn sources(&self, composite: NodeId, edge: &Edge, items: &mut Vec<usize>) {
        let NodeKind::Composite(inner) = &self.graph.graph[composite].kind else { return };
        if edge.on.iter().any(|trigger| matches!(trigger, Trigger::Done)) {
            let finals =
                inner.children.iter().filter(|id| matches!(self.graph.graph[**id].kind, NodeKind::Final(_)));
            items.extend(finals.filter_map(|id| self.entry(*id)));
        }
        if edge.on.iter().any(|trigger| !matches!(trigger, Trigger::Done)) {
            self.failing(&inner.children, items);
        }
    }

    fn failing(&self, nodes: &[NodeId], items: &mut Vec<usize>) {
        for id in nodes {
            let node = &self.graph.graph[*id];
            match (self.shown(*id), &node.kind) {
                (_, NodeKind::Final(_) | NodeKind::Choice) => {}
                (_, NodeKind::Action) if node.entry.statements.is_empty() => {}
                (NodeAppearance::Item(item), _) => items.push(item),
                (NodeAppearance::Dissolved, NodeKind::Composite(inner)) => {
                    self.failing(&inner.children, items);
                }
                _ => {}
            }
        }
    }
}
