//! The order in which the nodes of a graph can run, for its variables and for who decides about a call.

use petgraph::graph::NodeIndex;

use crate::model::Graph;
use crate::model::cfg::{Point, PointId, Step};
use crate::model::node::{Edge, NodeId};

/// A graph with more variables, counted once for each component, has one component: all writes count everywhere.
const MAX_VARIABLES: usize = 200_000;

/// A graph as its points lead to each other.
///
/// A variable has one vertex for each component, since a value that is written after a place is read does not flow there
/// unless a loop leads back.
#[derive(Debug)]
pub(super) struct FlowLayout {
    /// The component of each point.
    component: Vec<u32>,
    /// The components that lead to each.
    before: Vec<Vec<u32>>,
    /// The points that each point leads to, and that lead to it.
    next: Vec<Vec<usize>>,
    previous: Vec<Vec<usize>>,
}

/// The points that decide whether a run comes to a point.
#[derive(Debug)]
pub(super) struct Deciding {
    /// The points from which it can be reached and can be avoided.
    pub(super) points: Vec<PointId>,
    /// By point, whether it leads to the one that is decided about.
    reaches: Vec<bool>,
}

impl Deciding {
    /// True if an edge to that point leads to the one that is decided about.
    pub(super) fn is_reached_from(&self, point: PointId) -> bool {
        self.reaches[point.index()]
    }
}

impl FlowLayout {
    pub(super) fn of(graph: &Graph) -> Self {
        let cfg = &graph.cfg;
        let component = cfg.components();
        let count = component.iter().max().map_or(0, |most| *most as usize + 1);
        let mut layout = Self {
            before: vec![Vec::new(); count],
            next: vec![Vec::new(); cfg.len()],
            previous: vec![Vec::new(); cfg.len()],
            component,
        };
        if count.saturating_mul(graph.slots.len()) > MAX_VARIABLES {
            layout.component.fill(0);
        }
        for at in 0..cfg.len() {
            for (_, to) in cfg.steps(NodeIndex::new(at)) {
                layout.next[at].push(to.index());
                layout.previous[to.index()].push(at);
                let (from, to) = (layout.component[at], layout.component[to.index()]);
                if from != to {
                    layout.before[to as usize].push(from);
                }
            }
        }
        for before in &mut layout.before {
            before.sort_unstable();
            before.dedup();
        }
        layout
    }

    /// The component of a point.
    pub(super) fn component(&self, point: PointId) -> u32 {
        self.component[point.index()]
    }

    /// The components that lead to one.
    pub(super) fn before(&self, component: u32) -> &[u32] {
        &self.before[component as usize]
    }

    /// The number of points.
    pub(super) fn points(&self) -> usize {
        self.next.len()
    }

    /// The points that decide whether a run comes to a point, or comes to it once more.
    pub(super) fn deciding(&self, graph: &Graph, point: PointId) -> Deciding {
        let target = point.index();
        let reaches = self.back_from(target, None);
        let avoids = self.back_from(graph.cfg.end().index(), Some(target));
        let leads = |set: &[bool], at: usize| self.next[at].iter().any(|to| set[*to]);
        let decides = |at: &usize| {
            // A failure that nothing answers to ends the run: that is no other way.
            let alive = self.next[*at].iter().filter(|to| reaches[**to] || avoids[**to]).count();
            let chooses = alive > 1 && leads(&avoids, *at);
            leads(&reaches, *at) && (chooses || alive == 1 && is_guarded(graph, *at))
        };
        let points = (0..self.next.len()).filter(decides).map(NodeIndex::new).collect();
        Deciding { points, reaches }
    }

    /// By point, whether it leads to one without passing another; each leads to itself.
    fn back_from(&self, to: usize, without: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.next.len()];
        let mut open = vec![to];
        while let Some(at) = open.pop() {
            if Some(at) != without && !std::mem::replace(&mut seen[at], true) {
                open.extend(&self.previous[at]);
            }
        }
        seen
    }
}

/// True if the only edge of a point has a guard: a run that does not meet it is stuck.
fn is_guarded(graph: &Graph, at: usize) -> bool {
    edges(graph, NodeIndex::new(at)).any(|(_, edge)| edge.when.is_some())
}

/// The edges at a point with their targets.
pub(super) fn edges(graph: &Graph, point: PointId) -> impl Iterator<Item = (NodeId, &Edge)> {
    graph.cfg.edges(point).map(|(id, target)| (target, &graph.graph[id]))
}

/// The node that the edges of a point belong to.
pub(super) fn owner(point: Point) -> Option<NodeId> {
    match point {
        Point::Node(node) | Point::Done(node) | Point::Failed(node) => Some(node),
        Point::Start | Point::End => None,
    }
}

/// The composites that a step out of a point enters past their own point: what they do runs on the way.
pub(super) fn crossed(graph: &Graph, from: PointId, step: Step, to: NodeId) -> Vec<NodeId> {
    if !matches!(step, Step::Edge(_) | Step::Begin) {
        return Vec::new();
    }
    let from = owner(graph.cfg.point(from));
    graph.cfg.entered(from, to).into_iter().filter(|composite| *composite != to).collect()
}
