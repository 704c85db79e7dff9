//! Laying out a control-flow graph.

use petgraph::graph::DiGraph;
use rustc_hash::FxHashMap;

use super::{Cfg, FIRST_NODE, Point, PointId, Step};
use crate::model::id::{EdgeId, NodeId};

/// A [`Cfg`] while it is laid out: first all nodes, then the steps.
#[derive(Debug)]
pub struct CfgBuilder {
    cfg: Cfg,
    steps: Vec<(PointId, PointId, Step)>,
}

impl CfgBuilder {
    /// The points for nodes, given in order of their ids with the composites around them.
    #[must_use]
    pub fn new(outer: Vec<Option<NodeId>>) -> Self {
        let mut graph = DiGraph::with_capacity(FIRST_NODE + outer.len(), 2 * outer.len());
        graph.add_node(Point::Start);
        graph.add_node(Point::End);
        for node in 0..outer.len() {
            graph.add_node(Point::Node(NodeId::new(node)));
        }
        let mut exits = FxHashMap::default();
        for composite in outer.iter().copied().flatten() {
            exits.entry(composite).or_insert_with(|| {
                [graph.add_node(Point::Done(composite)), graph.add_node(Point::Failed(composite))]
            });
        }
        let mut builder = Self { cfg: Cfg { graph, outer, exits }, steps: Vec::new() };
        builder.failures();
        builder
    }

    /// Any node can fail, and a failure inside can continue to the next composite.
    fn failures(&mut self) {
        for node in 0..self.cfg.outer.len() {
            let id = NodeId::new(node);
            if self.cfg.is_composite(id) {
                self.step(self.cfg.node(id), self.cfg.failed(id), Step::Fail);
            }
            if let Some(outer) = self.cfg.outer[node] {
                self.step(self.cfg.failed(id), self.cfg.failed(outer), Step::Fail);
            }
        }
    }

    /// The first node of the graph, or of a composite.
    pub fn begins(&mut self, composite: Option<NodeId>, first: NodeId) {
        let from = composite.map_or_else(|| self.cfg.start(), |composite| self.cfg.node(composite));
        self.step(from, self.cfg.node(first), Step::Begin);
    }

    /// A final.
    pub fn finishes(&mut self, node: NodeId) {
        let to = self.cfg.outer[node.index()].map_or_else(|| self.cfg.end(), |outer| self.cfg.done(outer));
        self.step(self.cfg.node(node), to, Step::Finish);
    }

    /// The next edge of a node. It may be for the node being done, for failures, or for both.
    pub fn edge(&mut self, id: EdgeId, (from, to): (NodeId, NodeId), (done, failed): (bool, bool)) {
        let (from_done, from_failed) = (self.cfg.done(from), self.cfg.failed(from));
        let to = self.cfg.node(to);
        if done || from_done == from_failed {
            self.step(from_done, to, Step::Edge(id));
        }
        if failed && from_done != from_failed {
            self.step(from_failed, to, Step::Edge(id));
        }
    }

    fn step(&mut self, from: PointId, to: PointId, step: Step) {
        self.steps.push((from, to, step));
    }

    /// The whole.
    #[must_use]
    pub fn build(mut self) -> Cfg {
        // `petgraph` gives the steps of a point last first.
        for (from, to, step) in self.steps.into_iter().rev() {
            self.cfg.graph.add_edge(from, to, step);
        }
        self.cfg
    }
}
