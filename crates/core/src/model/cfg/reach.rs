//! Finds the points before and after a point.

use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::visit::{
    Dfs, DfsPostOrder, GraphRef, IntoNeighbors, NodeFiltered, Reversed, VisitMap, Visitable,
};

use super::{Cfg, Point, PointId, Step};
use crate::model::id::NodeId;

impl Cfg {
    /// By point, whether it can be reached from the start.
    #[must_use]
    pub fn reached(&self) -> Vec<bool> {
        self.spread(&self.graph, self.start())
    }

    /// By point, whether the graph can come to its end from it.
    #[must_use]
    pub fn ending(&self) -> Vec<bool> {
        self.spread(Reversed(&self.graph), self.end())
    }

    fn spread<G>(&self, graph: G, from: PointId) -> Vec<bool>
    where
        G: GraphRef + Visitable<NodeId = PointId> + IntoNeighbors,
        G::Map: VisitMap<PointId>,
    {
        let mut search = Dfs::new(graph, from);
        while search.next(graph).is_some() {}
        self.graph.node_indices().map(|point| search.discovered.is_visited(&point)).collect()
    }

    /// By point, the number of its component: points that lead round to each other share one. The components that a component
    /// leads to have smaller numbers.
    #[must_use]
    pub fn components(&self) -> Vec<u32> {
        let mut component = vec![0; self.len()];
        for (number, group) in (0..).zip(kosaraju_scc(&self.graph)) {
            for point in group {
                component[point.index()] = number;
            }
        }
        component
    }

    /// True where the graph has a final of its own.
    #[must_use]
    pub fn has_end(&self) -> bool {
        self.graph.neighbors_directed(self.end(), Direction::Incoming).next().is_some()
    }

    /// The finals directly in a composite.
    pub fn finals(&self, composite: NodeId) -> impl Iterator<Item = PointId> {
        let own = self.is_composite(composite).then(|| self.done(composite));
        own.into_iter().flat_map(|done| self.graph.neighbors_directed(done, Direction::Incoming))
    }

    /// Groups of points among the chosen ones that lead round to each other, with no step from others chosen
    /// ([`Direction::Incoming`]) or no step to others chosen ([`Direction::Outgoing`]).
    #[must_use]
    pub fn outermost(&self, chosen: &[bool], without: Direction) -> Vec<Vec<PointId>> {
        let part = NodeFiltered::from_fn(&self.graph, |point: PointId| chosen[point.index()]);
        let groups = kosaraju_scc(&part);
        let mut group_of = vec![None; self.len()];
        for (i, group) in groups.iter().enumerate() {
            for point in group {
                group_of[point.index()] = Some(i);
            }
        }
        let mut is_outer = vec![true; groups.len()];
        for step in self.graph.raw_edges() {
            let ends = (group_of[step.source().index()], group_of[step.target().index()]);
            if let (Some(from), Some(to)) = ends
                && from != to
            {
                is_outer[if without == Direction::Outgoing { from } else { to }] = false;
            }
        }
        groups.into_iter().zip(is_outer).filter_map(|(group, is_outer)| is_outer.then_some(group)).collect()
    }

    /// By node, its place in an order that follows the flow: each after those that lead to it, but for steps that go back.
    #[must_use]
    pub fn flow_order(&self) -> Vec<u32> {
        let mut search = DfsPostOrder::empty(&self.graph);
        let mut finished = Vec::with_capacity(self.len());
        for root in self.graph.node_indices() {
            search.move_to(root);
            while let Some(point) = search.next(&self.graph) {
                finished.push(point);
            }
        }
        let mut order = vec![u32::MAX; self.outer.len()];
        let nodes = finished.into_iter().rev().filter_map(|point| match self.point(point) {
            Point::Node(node) => Some(node),
            _ => None,
        });
        for (place, node) in (0..).zip(nodes) {
            order[node.index()] = place;
        }
        order
    }

    /// The end of the graph or the composite around a final.
    #[must_use]
    pub fn finish(&self, node: NodeId) -> Option<PointId> {
        self.steps(self.node(node)).find_map(|(step, to)| (step == Step::Finish).then_some(to))
    }
}
