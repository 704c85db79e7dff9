//! Loops in which guards exclude each other: each state of them is looked at once for each class of what the guards ask about.
//!
//! # Why
//! Ways round are not judged one by one: guards may exclude each other on every single one and let two take turns for ever.
//! In an unfolding whose states are split by classes, a way round that guards rule out is none, and everything else
//! is judged and counted as before.

use std::collections::VecDeque;

use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::classes::LoopClasses;
use super::region::Component;
use super::unfold::{Arc, ArcKind, State, StateId, Unfolding};
use crate::model::node::{EdgeId, NodeId};
use crate::model::{Graph, Model};

/// Loops of more states than this are not split.
const MAX_SPLIT_STATES: usize = 400;
/// The most arcs of an unfolding with split loops, more than those it had before.
const MAX_SPLIT_ARCS: usize = 20_000;

/// The guards of a loop that are asked. A way out that was not taken says something, too; but where all guards together
/// tell apart too much, those on the ways round may still be few.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedGuards {
    /// Of the edges on ways round.
    Inside,
    /// Of all edges of its nodes.
    All,
}

/// An unfolding with split loops.
pub(super) struct SplitUnfolding {
    pub(super) unfolding: Unfolding,
    /// For each state the one it was split from.
    origins: Vec<StateId>,
    is_cut: bool,
}

impl SplitUnfolding {
    /// Splits these parts of an unfolding. [`None`] if nothing can be split, or it would be too much.
    pub(super) fn of<'g>(
        model: &'g Model,
        graph: &'g Graph,
        unfolding: &Unfolding,
        parts: &[Component],
        asked: AskedGuards,
    ) -> Option<Self> {
        let mut splitter = Splitter {
            before: unfolding,
            loops: Vec::new(),
            loop_of: FxHashMap::default(),
            after: DiGraph::default(),
            origins: Vec::new(),
            known: FxHashMap::default(),
            open: VecDeque::new(),
        };
        for states in disjoint(parts).into_iter().filter(|states| states.len() <= MAX_SPLIT_STATES) {
            let edges = match asked {
                AskedGuards::Inside => taken(unfolding, parts, &states),
                AskedGuards::All => left(unfolding, &states)
                    .iter()
                    .flat_map(|node| graph.graph[*node].edges.clone())
                    .collect(),
            };
            if let Some(classes) = LoopClasses::of(model, graph, &edges) {
                let number = splitter.loops.len();
                splitter.loops.push(classes);
                splitter.loop_of.extend(states.into_iter().map(|state| (state, number)));
            }
        }
        if splitter.loops.is_empty() {
            return None;
        }
        splitter.state((Unfolding::start(), None));
        while let Some(state) = splitter.open.pop_front() {
            splitter.follow(state)?;
        }
        let is_cut = splitter.loops.iter().any(LoopClasses::is_cut);
        let unfolding = Unfolding { graph: splitter.after, guards: unfolding.guards.clone() };
        Some(Self { unfolding, origins: splitter.origins, is_cut })
    }

    /// True if the guards of a loop tell apart more than is followed.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// True if one of these states was split from a state of a part.
    pub(super) fn is_of(&self, states: &[StateId], part: &Component) -> bool {
        let own: FxHashSet<StateId> = part.states.iter().copied().collect();
        states.iter().any(|state| own.contains(&self.origins[state.index()]))
    }
}

/// A state, and the class of its loop that the run is in.
type SplitState = (StateId, Option<usize>);

struct Splitter<'g, 'u> {
    before: &'u Unfolding,
    loops: Vec<LoopClasses<'g>>,
    loop_of: FxHashMap<StateId, usize>,
    after: DiGraph<State, Arc, u32>,
    origins: Vec<StateId>,
    known: FxHashMap<SplitState, StateId>,
    open: VecDeque<SplitState>,
}

impl Splitter<'_, '_> {
    fn state(&mut self, state: SplitState) -> StateId {
        if let Some(known) = self.known.get(&state) {
            return *known;
        }
        let id = self.after.add_node(self.before.graph[state.0]);
        self.origins.push(state.0);
        self.known.insert(state, id);
        self.open.push_back(state);
        id
    }

    /// Adds the arcs out of a state; [`None`] if they are too many.
    fn follow(&mut self, state: SplitState) -> Option<()> {
        let from = self.known[&state];
        let own = self.loop_of.get(&state.0).copied();
        for edge in self.before.graph.edges(state.0) {
            let (arc, to) = (edge.weight(), edge.target());
            let ends = (self.before.graph[state.0], self.before.graph[to]);
            let target = self.loop_of.get(&to).copied();
            let mut classes: Vec<Option<usize>> = vec![None];
            if let Some(number) = target.or(own) {
                let class = if own == Some(number) { state.1 } else { None };
                let after = self.loops[number].after(class, arc, ends).ok()?;
                classes = match target {
                    Some(_) => after.iter().copied().map(Some).collect(),
                    None if after.is_empty() => Vec::new(),
                    None => classes,
                };
            }
            for class in classes {
                let to = self.state((to, class));
                self.after.add_edge(from, to, arc.clone());
                if self.after.edge_count() > self.before.graph.edge_count() + MAX_SPLIT_ARCS {
                    return None;
                }
            }
        }
        Some(())
    }
}

/// The states of parts, those of parts that share one together.
fn disjoint(parts: &[Component]) -> Vec<FxHashSet<StateId>> {
    let mut all: Vec<FxHashSet<StateId>> = Vec::new();
    for part in parts {
        let mut states: FxHashSet<StateId> = part.states.iter().copied().collect();
        let (shared, others) = all.into_iter().partition(|own: &FxHashSet<_>| !own.is_disjoint(&states));
        let shared: Vec<FxHashSet<StateId>> = shared;
        all = others;
        states.extend(shared.into_iter().flatten());
        all.push(states);
    }
    all
}

/// The edges that are taken inside of parts with these states.
fn taken(unfolding: &Unfolding, parts: &[Component], states: &FxHashSet<StateId>) -> Vec<EdgeId> {
    let arcs = parts.iter().flat_map(|part| &part.arcs).filter(|id| states.contains(&unfolding.from(**id)));
    let edges = arcs.filter_map(|id| match unfolding.graph[*id].kind {
        ArcKind::Edge(edge) => Some(edge),
        _ => None,
    });
    let mut edges: Vec<EdgeId> = edges.collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The nodes that are left at these states.
fn left(unfolding: &Unfolding, states: &FxHashSet<StateId>) -> Vec<NodeId> {
    let nodes = states.iter().filter_map(|state| match unfolding.graph[*state] {
        State::Exit(node, ..) => Some(node),
        State::Start | State::Work(_) | State::End => None,
    });
    let mut nodes: Vec<NodeId> = nodes.collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
