//! Regions of an unfolding: some of its arcs, and the parts of them that lead round.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::FxHashSet;

use super::budgets::Unknowns;
use super::unfold::{ArcId, StateId, Unfolding};
use crate::model::expr::BudgetId;
use crate::model::node::NodeId;

/// States that lead round to each other, with the arcs between them. A part without arcs is one state.
#[derive(Debug, Clone, Default)]
pub(super) struct Component {
    pub(super) states: Vec<StateId>,
    pub(super) arcs: Vec<ArcId>,
}

/// The parts of a region, each before those that lead to it, and the arcs between them.
pub(super) struct Parts {
    pub(super) all: Vec<Component>,
    /// For each part, the arcs that leave it.
    pub(super) leaving: Vec<Vec<ArcId>>,
}

/// Finds the parts of regions of one unfolding.
pub(super) struct Parting<'w> {
    unfolding: &'w Unfolding,
    /// The position of each state among those of the region at hand.
    place: Vec<StateId>,
}

impl Component {
    /// The whole unfolding as one region.
    pub(super) fn whole(unfolding: &Unfolding) -> Self {
        let graph = &unfolding.graph;
        Self { states: graph.node_indices().collect(), arcs: graph.edge_indices().collect() }
    }
}

impl<'w> Parting<'w> {
    pub(super) fn of(unfolding: &'w Unfolding) -> Self {
        Self { unfolding, place: vec![StateId::default(); unfolding.graph.node_count()] }
    }

    /// The parts of a region without the arcs that `left_out` names.
    pub(super) fn parts(&mut self, region: &Component, left_out: impl Fn(ArcId) -> bool) -> Parts {
        let mut graph: DiGraph<StateId, ()> = DiGraph::with_capacity(region.states.len(), region.arcs.len());
        for state in &region.states {
            self.place[state.index()] = graph.add_node(*state);
        }
        let remaining: Vec<ArcId> = region.arcs.iter().copied().filter(|id| !left_out(*id)).collect();
        for id in &remaining {
            let (from, to) = self.places(*id);
            graph.add_edge(from, to, ());
        }
        let groups = kosaraju_scc(&graph);
        let mut part_of = vec![0; region.states.len()];
        let mut all: Vec<Component> = Vec::with_capacity(groups.len());
        for (i, group) in groups.iter().enumerate() {
            for place in group {
                part_of[place.index()] = i;
            }
            all.push(Component {
                states: group.iter().map(|place| graph[*place]).collect(),
                arcs: Vec::new(),
            });
        }
        let mut leaving = vec![Vec::new(); all.len()];
        for id in remaining {
            let (from, to) = self.places(id);
            let (from, to) = (part_of[from.index()], part_of[to.index()]);
            if from == to { all[from].arcs.push(id) } else { leaving[from].push(id) }
        }
        Parts { all, leaving }
    }

    fn places(&self, id: ArcId) -> (StateId, StateId) {
        let (from, to) = (self.unfolding.from(id), self.unfolding.to(id));
        (self.place[from.index()], self.place[to.index()])
    }
}

/// The composites that a region enters: their own budgets begin afresh in it.
pub(super) fn entered(unfolding: &Unfolding, region: &Component) -> FxHashSet<NodeId> {
    region.arcs.iter().flat_map(|id| unfolding.graph[*id].enters.iter().copied()).collect()
}

/// True if a budget bounds how often a region goes round: nothing in the region sets it afresh.
pub(super) fn counts(budget: BudgetId, unknowns: &Unknowns<'_>, entered: &FxHashSet<NodeId>) -> bool {
    unknowns.scope(budget).is_none_or(|scope| !entered.contains(&scope))
}

/// The parts of a region that go round without end: nothing that is spent in them bounds it. Arcs that `left_out` names do
/// not count.
pub(super) fn endless(
    unfolding: &Unfolding,
    unknowns: &Unknowns<'_>,
    region: &Component,
    left_out: impl Fn(ArcId) -> bool,
) -> Vec<Component> {
    let mut parting = Parting::of(unfolding);
    let circles = |parts: Parts| parts.all.into_iter().filter(|part| !part.arcs.is_empty());
    let mut open: Vec<Component> = circles(parting.parts(region, left_out)).collect();
    let mut endless = Vec::new();
    while let Some(region) = open.pop() {
        let entered = entered(unfolding, &region);
        let paid = |id: ArcId| unfolding.graph[id].pays.iter().any(|(b, _)| counts(*b, unknowns, &entered));
        if region.arcs.iter().any(|id| paid(*id)) {
            open.extend(circles(parting.parts(&region, paid)));
        } else {
            endless.push(region);
        }
    }
    endless
}
