//! The control-flow graph of one graph: the points that a run can be at, and the steps between them.
//!
//! It is laid out once, from the hierarchy of nodes and the targets of edges, before anything is typed. Facts flow along it
//! while the graph is typed; the checks and the proof that runs end read the same one. Any node can fail here and any
//! guard can hold, since what a statement can come to is known only when it is typed: who knows more follows fewer steps.

mod builder;
mod reach;

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub use self::builder::CfgBuilder;
use super::id::{EdgeId, NodeId};

/// Index of a [`Point`] in its [`Cfg`].
pub type PointId = NodeIndex<u32>;

/// A point where a run can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Before the first node.
    Start,
    /// After a final of the graph itself.
    End,
    /// At a node; a leaf is left from here, too.
    Node(NodeId),
    /// In a composite, after one of its finals.
    Done(NodeId),
    /// In a composite where something failed that nothing inside answered to.
    Failed(NodeId),
}

/// A step from one point to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The run or a composite begins at its first node.
    Begin,
    /// An edge is taken.
    Edge(EdgeId),
    /// A final ends the graph or the composite it lies in.
    Finish,
    /// A failure goes to the composite.
    Fail,
}

/// The control-flow graph of one graph. A failure that no composite answers to ends the run: there is no step for it.
#[derive(Debug, Clone)]
pub struct Cfg {
    graph: DiGraph<Point, Step, u32>,
    /// The composite around each node.
    outer: Vec<Option<NodeId>>,
    /// The points [`Point::Done`] and [`Point::Failed`] of each composite.
    exits: FxHashMap<NodeId, [PointId; 2]>,
}

const START: usize = 0;
const END: usize = 1;
const FIRST_NODE: usize = 2;

impl Cfg {
    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// True where there is not even a start. No builder gives that.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The point of that index.
    #[must_use]
    pub fn point(&self, id: PointId) -> Point {
        self.graph[id]
    }

    /// All points, by their index.
    pub fn points(&self) -> impl Iterator<Item = Point> {
        self.graph.node_weights().copied()
    }

    /// The start of the graph.
    #[must_use]
    pub fn start(&self) -> PointId {
        PointId::new(START)
    }

    /// The end of the graph.
    #[must_use]
    pub fn end(&self) -> PointId {
        PointId::new(END)
    }

    /// The point at a node.
    #[must_use]
    pub fn node(&self, node: NodeId) -> PointId {
        PointId::new(FIRST_NODE + node.index())
    }

    /// The point from which a node is left when it is done: for a leaf the one at the node.
    #[must_use]
    pub fn done(&self, node: NodeId) -> PointId {
        self.exits.get(&node).map_or_else(|| self.node(node), |exits| exits[0])
    }

    /// The point from which a node is left when it failed: for a leaf the one at the node.
    #[must_use]
    pub fn failed(&self, node: NodeId) -> PointId {
        self.exits.get(&node).map_or_else(|| self.node(node), |exits| exits[1])
    }

    /// True for a node that holds others.
    #[must_use]
    pub fn is_composite(&self, node: NodeId) -> bool {
        self.exits.contains_key(&node)
    }

    /// The steps out of a point with the points they lead to, edges in order of the text.
    pub fn steps(&self, from: PointId) -> impl Iterator<Item = (Step, PointId)> {
        self.graph.edges(from).map(|step| (*step.weight(), step.target()))
    }

    /// The first node of the graph or of a composite.
    #[must_use]
    pub fn first(&self, from: PointId) -> Option<NodeId> {
        self.steps(from).find_map(|(step, to)| match (step, self.point(to)) {
            (Step::Begin, Point::Node(node)) => Some(node),
            _ => None,
        })
    }

    /// The edges that may be taken at a point, with their targets, in order of the text.
    pub fn edges(&self, from: PointId) -> impl Iterator<Item = (EdgeId, NodeId)> {
        self.steps(from).filter_map(|(step, to)| match (step, self.point(to)) {
            (Step::Edge(edge), Point::Node(target)) => Some((edge, target)),
            _ => None,
        })
    }

    /// The targets of a node's edges, in order of the text.
    #[must_use]
    pub fn targets(&self, node: NodeId) -> Vec<NodeId> {
        if !self.is_composite(node) {
            return self.edges(self.node(node)).map(|(_, target)| target).collect();
        }
        let mut edges: Vec<_> = self.edges(self.done(node)).chain(self.edges(self.failed(node))).collect();
        // An edge may be for both ways of leaving.
        edges.sort_unstable();
        edges.dedup();
        edges.into_iter().map(|(_, target)| target).collect()
    }

    /// The composites around a node, innermost first.
    pub fn around(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'_> {
        std::iter::successors(self.outer[node.index()], |at| self.outer[at.index()])
    }

    /// The composites that a step from one node to another enters, outermost first: those around the target that are not
    /// around the source, and the target if it is one. [`None`] is the start of the graph.
    #[must_use]
    pub fn entered(&self, from: Option<NodeId>, to: NodeId) -> SmallVec<[NodeId; 2]> {
        let stay: SmallVec<[NodeId; 4]> = from.into_iter().flat_map(|from| self.around(from)).collect();
        let mut entered: SmallVec<[NodeId; 2]> =
            self.around(to).take_while(|composite| !stay.contains(composite)).collect();
        entered.reverse();
        if self.is_composite(to) {
            entered.push(to);
        }
        entered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(index: usize) -> NodeId {
        NodeId::new(index)
    }

    /// `a -> outer`, and `outer` holds `b` and the final `last`; from `outer` one edge for both, then one for failures;
    /// `end` is the final.
    fn nested() -> Cfg {
        let (a, outer, b, last, end) = (node(0), node(1), node(2), node(3), node(4));
        let mut builder = CfgBuilder::new(vec![None, None, Some(outer), Some(outer), None]);
        builder.begins(None, a);
        builder.begins(Some(outer), b);
        builder.edge(EdgeId::new(0), (a, outer), (true, false));
        builder.edge(EdgeId::new(1), (outer, end), (true, true));
        builder.edge(EdgeId::new(2), (outer, a), (false, true));
        builder.edge(EdgeId::new(3), (b, last), (true, false));
        builder.finishes(last);
        builder.finishes(end);
        builder.build()
    }

    #[test]
    fn steps_follow_the_hierarchy() {
        let cfg = nested();
        let (a, outer, b, last, end) = (node(0), node(1), node(2), node(3), node(4));
        let steps = |from| cfg.steps(from).map(|(step, to)| (step, cfg.point(to))).collect::<Vec<_>>();
        let edge = |index| Step::Edge(EdgeId::new(index));
        assert_eq!(steps(cfg.start()), [(Step::Begin, Point::Node(a))]);
        assert_eq!(
            steps(cfg.node(outer)),
            [(Step::Fail, Point::Failed(outer)), (Step::Begin, Point::Node(b))]
        );
        assert_eq!(steps(cfg.done(outer)), [(edge(1), Point::Node(end))]);
        assert_eq!(steps(cfg.failed(outer)), [(edge(1), Point::Node(end)), (edge(2), Point::Node(a))]);
        assert_eq!(steps(cfg.node(b)), [(Step::Fail, Point::Failed(outer)), (edge(3), Point::Node(last))]);
        assert_eq!(
            steps(cfg.node(last)),
            [(Step::Fail, Point::Failed(outer)), (Step::Finish, Point::Done(outer))]
        );
        assert_eq!(steps(cfg.node(end)), [(Step::Finish, Point::End)]);
        assert_eq!(cfg.targets(outer), [end, a]);
        assert_eq!(cfg.first(cfg.node(outer)), Some(b));
        assert_eq!(cfg.entered(None, b).as_slice(), [outer]);
        assert_eq!(cfg.entered(Some(b), last).as_slice(), []);
        assert_eq!(cfg.entered(Some(outer), b).as_slice(), [outer]);
        assert_eq!(cfg.entered(Some(a), outer).as_slice(), [outer]);
    }

    #[test]
    fn a_chain_of_any_length_is_walked() {
        let count = 200_000;
        let mut builder = CfgBuilder::new(vec![None; count]);
        builder.begins(None, node(0));
        for i in 0..count {
            builder.edge(EdgeId::new(i), (node(i), node((i + 1) % count)), (true, false));
        }
        let cfg = builder.build();
        assert!(cfg.reached()[cfg.node(node(count - 1)).index()]);
        assert!(!cfg.ending()[cfg.start().index()]);
        assert_eq!(cfg.flow_order()[count - 1] as usize, count - 1);
        let all = vec![true; cfg.len()];
        let groups = cfg.outermost(&all, petgraph::Direction::Outgoing);
        assert_eq!(groups.iter().map(Vec::len).max(), Some(count));
    }
}
