//! Regions of an unfolding: some of its arcs, and the parts of them that lead round.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};

use super::budgets::Unknowns;
use super::payer::Payer;
use super::unfold::{ArcId, ArcKind, Counter, State, StateId, Unfolding};
use crate::model::node::NodeId;

/// Of a region with guards on the visits of more nodes than this, only those of the first ones pay.
const MAX_VISITED_NODES: usize = 16;

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

    /// The parts of a region that lead round, without the arcs that `left_out` names.
    pub(super) fn circles(&mut self, region: &Component, left_out: impl Fn(ArcId) -> bool) -> Vec<Component> {
        self.parts(region, left_out).all.into_iter().filter(|part| !part.arcs.is_empty()).collect()
    }

    fn places(&self, id: ArcId) -> (StateId, StateId) {
        let (from, to) = (self.unfolding.from(id), self.unfolding.to(id));
        (self.place[from.index()], self.place[to.index()])
    }
}

/// Facts about a region as a whole.
#[derive(Debug, Default)]
pub(super) struct RegionFacts {
    /// The composites that it enters: their own budgets begin afresh in it.
    entered: FxHashSet<NodeId>,
    /// Nodes that every way round in it enters.
    on_every_round: FxHashSet<NodeId>,
}

impl RegionFacts {
    pub(super) fn of(unfolding: &Unfolding, region: &Component) -> Self {
        let arcs = || region.arcs.iter().map(|id| &unfolding.graph[*id]);
        let entered = arcs().flat_map(|arc| arc.enters.iter().copied()).collect();
        let visited = arcs().flat_map(|arc| &arc.pays).filter_map(|(payer, _)| match payer {
            Payer::Guard(id) => match unfolding.guards[*id as usize].counter {
                Counter::Visits(node) => Some(node),
                Counter::Steps | Counter::Own(_) => None,
            },
            Payer::Budget(_) => None,
        });
        let mut nodes: Vec<NodeId> = visited.collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.truncate(MAX_VISITED_NODES);
        let on_every_round = nodes.into_iter().filter(|node| is_on_every_round(unfolding, region, *node));
        Self { entered, on_every_round: on_every_round.collect() }
    }

    /// True if a payer bounds how often the region goes round: nothing in the region sets it afresh, and what it
    /// counts happens on every way round.
    pub(super) fn counts(&self, payer: Payer, unfolding: &Unfolding, unknowns: &Unknowns<'_>) -> bool {
        match payer {
            Payer::Budget(budget) => {
                unknowns.scope(budget).is_none_or(|scope| !self.entered.contains(&scope))
            }
            Payer::Guard(id) => match unfolding.guards[id as usize].counter {
                Counter::Steps | Counter::Own(_) => true,
                Counter::Visits(node) => self.on_every_round.contains(&node),
            },
        }
    }

    /// True if something that counts pays for an arc.
    pub(super) fn is_paid(&self, id: ArcId, unfolding: &Unfolding, unknowns: &Unknowns<'_>) -> bool {
        unfolding.graph[id].pays.iter().any(|(payer, _)| self.counts(*payer, unfolding, unknowns))
    }
}

/// True if every way round in a region enters a node.
fn is_on_every_round(unfolding: &Unfolding, region: &Component, node: NodeId) -> bool {
    let enters = |id: ArcId| {
        let arc = &unfolding.graph[id];
        let leaf = matches!(arc.kind, ArcKind::Edge(_) | ArcKind::Start)
            && unfolding.graph[unfolding.to(id)] == State::Work(node);
        leaf || arc.enters.contains(&node)
    };
    let places: FxHashMap<StateId, StateId> =
        region.states.iter().enumerate().map(|(place, id)| (*id, StateId::new(place))).collect();
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(region.states.len(), region.arcs.len());
    for _ in &region.states {
        graph.add_node(());
    }
    for id in region.arcs.iter().filter(|id| !enters(**id)) {
        let ends = places.get(&unfolding.from(*id)).zip(places.get(&unfolding.to(*id)));
        let Some((from, to)) = ends.map(|(from, to)| (*from, *to)) else { continue };
        if from == to {
            return false;
        }
        graph.add_edge(from, to, ());
    }
    kosaraju_scc(&graph).iter().all(|group| group.len() == 1)
}
