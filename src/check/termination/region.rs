//! Regions of a walk: some of its arcs, and the parts of them that lead round.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::FxHashSet;

use super::budgets::Unknowns;
use super::walk::{PointId, Walk};
use crate::model::expr::BudgetId;
use crate::model::node::NodeId;

/// Index of an arc of the walk.
pub(super) type ArcId = u32;

/// Points that lead round to each other, with the arcs between them. A part without arcs is one point.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    pub(super) points: Vec<PointId>,
    pub(super) arcs: Vec<ArcId>,
}

/// The parts of a region, each before those that lead to it, and the arcs between them.
pub(super) struct Parts {
    pub(super) all: Vec<Part>,
    /// For each part, the arcs that leave it.
    pub(super) leaving: Vec<Vec<ArcId>>,
}

/// Finds the parts of regions of one walk.
pub(super) struct Parting<'w> {
    walk: &'w Walk,
    /// Where each point stands among those of the region at hand.
    place: Vec<u32>,
}

impl Part {
    /// The whole walk as one region.
    pub(super) fn whole(walk: &Walk) -> Self {
        let count = |n: usize| u32::try_from(n).expect("points and arcs are counted in u32");
        Self { points: (0..count(walk.points.len())).collect(), arcs: (0..count(walk.arcs.len())).collect() }
    }
}

impl<'w> Parting<'w> {
    pub(super) fn of(walk: &'w Walk) -> Self {
        Self { walk, place: vec![0; walk.points.len()] }
    }

    /// The parts of a region without the arcs that `left_out` names.
    pub(super) fn parts(&mut self, region: &Part, left_out: impl Fn(ArcId) -> bool) -> Parts {
        let mut graph: DiGraph<PointId, ()> = DiGraph::with_capacity(region.points.len(), region.arcs.len());
        for point in &region.points {
            let place = graph.add_node(*point).index();
            self.place[*point as usize] = u32::try_from(place).expect("points are counted in u32");
        }
        let kept: Vec<ArcId> = region.arcs.iter().copied().filter(|id| !left_out(*id)).collect();
        for id in &kept {
            let (from, to) = self.places(*id);
            graph.add_edge(from.into(), to.into(), ());
        }
        let groups = kosaraju_scc(&graph);
        let mut part_of = vec![0; region.points.len()];
        let mut all: Vec<Part> = Vec::with_capacity(groups.len());
        for (i, group) in groups.iter().enumerate() {
            for place in group {
                part_of[place.index()] = i;
            }
            all.push(Part { points: group.iter().map(|place| graph[*place]).collect(), arcs: Vec::new() });
        }
        let mut leaving = vec![Vec::new(); all.len()];
        for id in kept {
            let (from, to) = self.places(id);
            let (from, to) = (part_of[from as usize], part_of[to as usize]);
            if from == to { all[from].arcs.push(id) } else { leaving[from].push(id) }
        }
        Parts { all, leaving }
    }

    fn places(&self, id: ArcId) -> (u32, u32) {
        let arc = &self.walk.arcs[id as usize];
        (self.place[arc.from as usize], self.place[arc.to as usize])
    }
}

/// The composites that a region enters: their own budgets begin afresh in it.
pub(super) fn entered(walk: &Walk, region: &Part) -> FxHashSet<NodeId> {
    region.arcs.iter().flat_map(|id| walk.arcs[*id as usize].enters.iter().copied()).collect()
}

/// Whether a budget bounds how often a region goes round: nothing in the region sets it afresh.
pub(super) fn counts(budget: BudgetId, unknowns: &Unknowns<'_>, entered: &FxHashSet<NodeId>) -> bool {
    unknowns.scope(budget).is_none_or(|scope| !entered.contains(&scope))
}

/// The parts of a region that go round without end: nothing that is spent in them bounds it. Arcs that `left_out` names do
/// not count.
pub(super) fn endless(
    walk: &Walk,
    unknowns: &Unknowns<'_>,
    region: &Part,
    left_out: impl Fn(ArcId) -> bool,
) -> Vec<Part> {
    let mut parting = Parting::of(walk);
    let circles = |parts: Parts| parts.all.into_iter().filter(|part| !part.arcs.is_empty());
    let mut open: Vec<Part> = circles(parting.parts(region, left_out)).collect();
    let mut endless = Vec::new();
    while let Some(region) = open.pop() {
        let entered = entered(walk, &region);
        let paid =
            |id: ArcId| walk.arcs[id as usize].pays.iter().any(|(b, _)| counts(*b, unknowns, &entered));
        if region.arcs.iter().any(|id| paid(*id)) {
            open.extend(circles(parting.parts(&region, paid)));
        } else {
            endless.push(region);
        }
    }
    endless
}
