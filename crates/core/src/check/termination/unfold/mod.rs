//! The control-flow graph, unfolded by why nodes are left, with what each step surely spends.
//!
//! The graph's [`Cfg`](crate::model::cfg::Cfg) says where a run can go: every arc follows its steps. An edge answers to some
//! causes only, so each point from which a node is left is looked at once for each cause that can lead there. What no
//! run comes to is not in it.

mod leave;
mod work;

use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cause::{Cause, Heard};
use super::declared::Declared;
use super::holds::Atoms;
use super::linear::Linear;
use super::lists::{Lists, Summary};
use super::payer::{Payments, Pays};
use crate::model::Graph;
use crate::model::expr::BudgetId;
use crate::model::node::{EdgeId, NodeId, NodeKind};
use crate::program::graph::{Charge, Gate};

/// Index of a [`State`].
pub(super) type StateId = NodeIndex<u32>;

/// Index of an [`Arc`].
pub(super) type ArcId = EdgeIndex<u32>;

/// A point of the control-flow graph, and why a run is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// Before anything.
    Start,
    /// At the end.
    End,
    /// About to do the work of a leaf.
    Work(NodeId),
    /// About to leave a leaf or composite, and whether an edge or guard of it failed before.
    Exit(NodeId, Cause, bool),
}

/// The things that happen along an arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ArcKind {
    /// The run begins.
    Start,
    /// A leaf does its work, or fails in it.
    Work(NodeId),
    /// A leaf fails before its work begins.
    Refused(NodeId),
    /// An edge is taken: a transition.
    Edge(EdgeId),
    /// Only what a failure is changes, or who is to handle it.
    Nothing,
}

/// A step from a state to the next.
#[derive(Debug, Clone)]
pub(super) struct Arc {
    pub(super) kind: ArcKind,
    /// The spends that surely happen.
    pub(super) pays: Pays,
    /// The composites that are entered; their budgets begin afresh.
    pub(super) enters: SmallVec<[NodeId; 2]>,
    /// The atoms that are true before an edge is taken.
    pub(super) holds: Atoms,
}

/// The counter of a guard that pays: it only ever grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Counter {
    /// `step()`: it grows with every transition.
    Steps,
    /// `visits(node)` at an edge of the node itself: each edge that is taken there belongs to another visit.
    Own(NodeId),
    /// `visits(node)` elsewhere.
    Visits(NodeId),
}

/// A guard that holds a limited number of times: the counter is less than the limit.
#[derive(Debug, Clone)]
pub(super) struct PayingGuard {
    pub(super) counter: Counter,
    /// The same for the whole of a run.
    pub(super) limit: Linear,
}

/// The states that can be reached and the arcs between them.
pub(super) struct Unfolding {
    pub(super) graph: DiGraph<State, Arc, u32>,
    /// The guards that pay.
    pub(super) guards: Vec<PayingGuard>,
}

impl Unfolding {
    /// Unfolds the control-flow graph of a graph; `called`: other graphs call it.
    pub(super) fn of(declared: Declared<'_>, called: bool) -> Self {
        let mut unfolder = Unfolder::of(declared, called);
        unfolder.begin();
        let mut next = 1;
        while let Some(state) = unfolder.unfolded.node_weight(StateId::new(next)).copied() {
            unfolder.follow(StateId::new(next), state);
            next += 1;
        }
        // It lives while costs are counted: of a large graph the spare room would be megabytes.
        unfolder.unfolded.shrink_to_fit();
        Self { graph: unfolder.unfolded, guards: unfolder.guards }
    }

    /// The state in which a run begins.
    pub(super) fn start() -> StateId {
        StateId::new(0)
    }

    /// The arcs that lead from a state.
    pub(super) fn leaving(&self, state: StateId) -> impl Iterator<Item = ArcId> {
        self.graph.edges(state).map(|arc| arc.id())
    }

    /// The state that an arc leads from.
    pub(super) fn from(&self, arc: ArcId) -> StateId {
        self.graph.raw_edges()[arc.index()].source()
    }

    /// The state that an arc leads to.
    pub(super) fn to(&self, arc: ArcId) -> StateId {
        self.graph.raw_edges()[arc.index()].target()
    }
}

/// An unfolding while it is made.
struct Unfolder<'g> {
    declared: Declared<'g>,
    graph: &'g Graph,
    unfolded: DiGraph<State, Arc, u32>,
    guards: Vec<PayingGuard>,
    /// Guards that all edges share which have them, by their limit.
    shared_guards: FxHashMap<(Counter, Linear), u32>,
    /// Of the edge that is followed.
    holds: Atoms,
    nothing: Atoms,
    /// The atoms of the guards of edges, where they hold and where they do not.
    atoms: FxHashMap<(EdgeId, bool), Atoms>,
    known: FxHashMap<State, StateId>,
    entries: Vec<Summary>,
    thens: Vec<Summary>,
    actions: Vec<Summary>,
    /// The nodes that have an edge for a failure, or lie in one that has.
    hears: Vec<bool>,
    heard: Heard,
    /// Hard budgets that the runtime charges.
    metered: Vec<(BudgetId, Charge)>,
    pauses: bool,
    called: bool,
}

impl<'g> Unfolder<'g> {
    fn of(declared: Declared<'g>, called: bool) -> Self {
        let graph = declared.graph;
        let lists = Lists::of(graph);
        let nodes = || graph.graph.node_weights();
        let mut hears: Vec<bool> = Vec::with_capacity(graph.graph.node_count());
        for node in nodes() {
            // Inner nodes stand behind their composite.
            let outer = node.parent.is_some_and(|outer| hears.get(outer.index()).copied().unwrap_or(true));
            let own = |id: &EdgeId| graph.graph[*id].on.iter().any(|trigger| !trigger.is_done());
            hears.push(outer || node.edges.iter().any(own));
        }
        let metered = graph.budgets.iter().zip(0..).filter(|(b, _)| b.gate == Gate::Hard);
        let paused = |kind: &NodeKind| matches!(kind, NodeKind::Composite(own) if own.pause.is_some());
        Self {
            declared,
            graph,
            unfolded: DiGraph::default(),
            guards: Vec::new(),
            shared_guards: FxHashMap::default(),
            holds: Atoms::default(),
            nothing: Atoms::default(),
            atoms: FxHashMap::default(),
            known: FxHashMap::default(),
            entries: nodes().map(|n| lists.summary(&n.entry)).collect(),
            thens: nodes().map(|n| lists.summary(&n.then)).collect(),
            actions: graph.graph.edge_weights().map(|e| lists.summary(&e.action)).collect(),
            hears,
            heard: Heard::by(graph),
            called,
            metered: metered.filter_map(|(b, i)| Some((BudgetId(i), b.charge?))).collect(),
            pauses: graph.pause.is_some() || nodes().any(|n| paused(&n.kind)),
        }
    }

    fn begin(&mut self) {
        let from = self.state(State::Start);
        if let Some(first) = self.graph.cfg.first(self.graph.cfg.start()) {
            self.enter(from, None, first, (ArcKind::Start, Payments::one(Pays::new())));
        }
    }

    /// Adds the arcs out of a state.
    fn follow(&mut self, id: StateId, state: State) {
        match state {
            State::Start | State::End => {}
            State::Work(node) => self.work(id, node),
            State::Exit(node, cause, tried) => self.leave(id, node, cause, tried),
        }
    }

    fn state(&mut self, state: State) -> StateId {
        *self.known.entry(state).or_insert_with(|| self.unfolded.add_node(state))
    }

    fn arc(&mut self, from: StateId, to: State, kind: ArcKind, pays: Pays, enters: &[NodeId]) {
        let to = self.state(to);
        let holds = if matches!(kind, ArcKind::Edge(_)) { self.holds.clone() } else { self.nothing.clone() };
        self.unfolded.add_edge(from, to, Arc { kind, pays, enters: enters.into(), holds });
    }

    /// A failure at a node: it is left so, or the run is over, if nobody could hear of it.
    fn fail(&mut self, from: StateId, at: (NodeId, bool), cause: Cause, how: (ArcKind, Pays, &[NodeId])) {
        // At a pause it may still become another failure; a person may end the run there.
        let heard = self.hears[at.0.index()] && (self.pauses || self.is_ended() || self.heard.has(cause));
        let to = if heard { State::Exit(at.0, cause, at.1) } else { State::End };
        self.arc(from, to, how.0, how.1, how.2);
    }

    /// True if a person may end a run at any node, by an operator's pause, and some edge answers to that.
    fn is_ended(&self) -> bool {
        !self.called && self.heard.has(Cause::Cancelled)
    }
}
