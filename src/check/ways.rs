//! Where a run can go from each node, as a plain graph: edges, starts of composites, and what leaves a composite.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::model::Graph;
use crate::model::node::{NodeId, NodeKind, Trigger};

/// The ways of one graph. Besides the nodes it knows two points for every composite: the one where an inner
/// final was entered, and the one where something inside failed or ran out.
pub(super) struct Ways<'g> {
    graph: &'g Graph,
    count: usize,
    next: Steps,
    before: Steps,
}

/// Which points follow each point, in one list.
struct Steps {
    /// Where the points that follow each one begin in `to`; the last entry is the end.
    first: Vec<usize>,
    to: Vec<usize>,
}

impl Steps {
    /// Sorts steps by the point that `from` gives, each point's own in their order.
    fn sorted(
        points: usize,
        steps: &[(usize, usize)],
        from: impl Fn(&(usize, usize)) -> usize,
        to: impl Fn(&(usize, usize)) -> usize,
    ) -> Self {
        let mut first = vec![0; points + 1];
        for step in steps {
            first[from(step) + 1] += 1;
        }
        for point in 0..points {
            first[point + 1] += first[point];
        }
        let mut free = first.clone();
        let mut sorted = vec![0; steps.len()];
        for step in steps {
            sorted[free[from(step)]] = to(step);
            free[from(step)] += 1;
        }
        Self { first, to: sorted }
    }

    fn points(&self) -> usize {
        self.first.len() - 1
    }

    fn of(&self, point: usize) -> &[usize] {
        &self.to[self.first[point]..self.first[point + 1]]
    }
}

impl<'g> Ways<'g> {
    /// Lays out the ways of a graph.
    pub(super) fn of(graph: &'g Graph) -> Self {
        let count = graph.graph.node_count();
        let mut laying = Laying { graph, count, steps: Vec::with_capacity(2 * count) };
        for id in graph.graph.node_indices() {
            laying.lay(id);
        }
        let next = Steps::sorted(3 * count, &laying.steps, |step| step.0, |step| step.1);
        let before = Steps::sorted(3 * count, &laying.steps, |step| step.1, |step| step.0);
        Self { graph, count, next, before }
    }

    fn done(&self, composite: NodeId) -> usize {
        self.count + composite.index()
    }

    /// Whether this point is that of a failure inside a composite.
    pub(super) const fn is_failure(&self, point: usize) -> bool {
        point >= 2 * self.count
    }

    /// The node at this point, if it is one.
    pub(super) fn node(&self, point: usize) -> Option<NodeId> {
        (point < self.count).then(|| NodeId::new(point))
    }

    /// The points that can be reached from the start.
    pub(super) fn reached(&self) -> Vec<bool> {
        spread(vec![self.graph.start.index()], &self.next)
    }

    /// The points from which the graph can come to an end.
    pub(super) fn ending(&self) -> Vec<bool> {
        spread(self.ends(), &self.before)
    }

    /// The finals of the graph itself.
    pub(super) fn ends(&self) -> Vec<usize> {
        let nodes = self.graph.graph.node_indices();
        let end = |id: &NodeId| {
            let node = &self.graph.graph[*id];
            node.parent.is_none() && matches!(node.kind, NodeKind::Final(_))
        };
        nodes.filter(end).map(NodeIndex::index).collect()
    }

    /// Whether an inner final of the composite is among the reached points.
    pub(super) fn comes_to_its_end(&self, composite: NodeId, reached: &[bool]) -> bool {
        self.before.of(self.done(composite)).iter().any(|point| reached[*point])
    }

    /// Groups of points among the chosen ones that lead round to each other, with no way in from others chosen
    /// (or, with `last`, no way out to others).
    pub(super) fn outermost(&self, chosen: &[bool], last: bool) -> Vec<Vec<usize>> {
        let mut part: DiGraph<usize, ()> = DiGraph::new();
        let mut places = vec![None; chosen.len()];
        for point in (0..chosen.len()).filter(|p| chosen[*p]) {
            places[point] = Some(part.add_node(point));
        }
        for (from, place) in places.iter().enumerate().filter(|(_, place)| place.is_some()) {
            for to in self.next.of(from) {
                if let (Some(a), Some(b)) = (*place, places[*to]) {
                    part.add_edge(a, b, ());
                }
            }
        }
        let groups = kosaraju_scc(&part);
        let mut group_of = vec![0; part.node_count()];
        for (i, group) in groups.iter().enumerate() {
            for place in group {
                group_of[place.index()] = i;
            }
        }
        let mut outer = vec![true; groups.len()];
        for edge in part.raw_edges() {
            let (a, b) = (group_of[edge.source().index()], group_of[edge.target().index()]);
            if a != b {
                outer[if last { a } else { b }] = false;
            }
        }
        let kept = groups.into_iter().zip(outer).filter(|(_, outer)| *outer);
        kept.map(|(group, _)| group.into_iter().map(|place| part[place]).collect()).collect()
    }
}

/// The steps of a graph, while they are gathered.
struct Laying<'g> {
    graph: &'g Graph,
    count: usize,
    steps: Vec<(usize, usize)>,
}

impl Laying<'_> {
    fn lay(&mut self, id: NodeId) {
        let node = &self.graph.graph[id];
        let composite = matches!(node.kind, NodeKind::Composite(_));
        for edge in &node.edges {
            let Some((_, to)) = self.graph.graph.edge_endpoints(*edge) else { continue };
            let on = &self.graph.graph[*edge].on;
            if !composite {
                self.add(id.index(), to.index());
                continue;
            }
            if on.iter().any(is_done) {
                self.add(self.done(id), to.index());
            }
            if !on.iter().all(is_done) {
                self.add(self.failed(id), to.index());
            }
        }
        if let NodeKind::Composite(own) = &node.kind {
            self.add(id.index(), own.start.index());
            self.add(id.index(), self.failed(id));
        }
        let Some(outer) = node.parent else { return };
        if matches!(node.kind, NodeKind::Final(_)) {
            self.add(id.index(), self.done(outer));
        }
        let from = if composite { self.failed(id) } else { id.index() };
        self.add(from, self.failed(outer));
    }

    fn add(&mut self, from: usize, to: usize) {
        self.steps.push((from, to));
    }

    fn done(&self, composite: NodeId) -> usize {
        self.count + composite.index()
    }

    fn failed(&self, composite: NodeId) -> usize {
        2 * self.count + composite.index()
    }
}

pub(super) const fn is_done(trigger: &Trigger) -> bool {
    matches!(trigger, Trigger::Done)
}

/// All points that can be reached from some.
fn spread(from: Vec<usize>, along: &Steps) -> Vec<bool> {
    let mut seen = vec![false; along.points()];
    let mut open = from;
    while let Some(point) = open.pop() {
        if !std::mem::replace(&mut seen[point], true) {
            open.extend(along.of(point));
        }
    }
    seen
}
