//! The guards of one node, decided together.

use rustc_hash::FxHashMap;

use super::arrival::{Arrival, when_left};
use super::set::GuardSet;
use crate::decide::{Diagram, DiagramVariable, TooLarge};
use crate::model::expr::{Expr, ExprKind};
use crate::model::node::{Answers, Edge, EdgeId, Node, NodeId, Trigger};
use crate::model::{Graph, Model};
use crate::program::error::ErrorKind;
use crate::value::{Str, Value};

/// The most subjects of the guards of a node and of the edges that lead to it. Beyond it only the facts that are
/// known at the node count.
const MAX_SUBJECTS_ON_ARRIVAL: usize = 12;

/// Of more edges than this that leave nothing for another one, all are to blame.
const MAX_BLAMED: usize = 32;

/// The classes of the error kinds that a graph declares.
pub(super) type OwnKinds<'g> = FxHashMap<&'g str, &'g Str>;

/// A node's edges with the truth of their guards.
pub(super) struct NodeGuards<'g> {
    pub(super) id: NodeId,
    pub(super) node: &'g Node,
    pub(super) ids: Vec<EdgeId>,
    pub(super) edges: Vec<&'g Edge>,
    pub(super) set: GuardSet<'g>,
    /// The guard of each edge in the set.
    guards: Vec<Option<usize>>,
    /// The states in which the node may be when it is done, and when it failed.
    pub(super) done: Diagram,
    failed: Diagram,
    /// False if the guards are too many to be decided: each may hold then, or not.
    pub(super) is_decided: bool,
}

impl<'g> NodeGuards<'g> {
    pub(super) fn new(model: &'g Model, graph: &'g Graph, id: NodeId) -> Self {
        let node = &graph.graph[id];
        let ids = node.edges.clone();
        let edges: Vec<&Edge> = ids.iter().map(|id| &graph.graph[*id]).collect();
        let mut next = 0;
        let guards = edges
            .iter()
            .map(|edge| {
                edge.when.as_ref().map(|_| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let written: Vec<&Expr> = edges.iter().filter_map(|edge| edge.when.as_ref()).collect();
        let arrival = if written.is_empty() { None } else { Arrival::new(graph, id) };
        let more = arrival.as_ref().map_or(&[][..], Arrival::guards);
        let wide = arrival
            .is_some()
            .then(|| GuardSet::new(model, graph, written.iter().chain(more).copied()).ok())
            .flatten()
            .filter(|set| set.subjects.len() <= MAX_SUBJECTS_ON_ARRIVAL);
        let arrival = arrival.filter(|_| wide.is_some());
        let made = wide.map_or_else(|| GuardSet::new(model, graph, written.iter().copied()), Ok);
        let is_decided = made.is_ok();
        let set = made.unwrap_or_else(|TooLarge| GuardSet::empty(model, graph));
        let mut own =
            Self { id, node, ids, edges, guards, done: set.all(), failed: set.all(), set, is_decided };
        let known = super::arrival::known(&mut own.set, id).unwrap_or(own.failed);
        own.done = known;
        // Where a run comes from may not be known; what the node itself does is.
        let states = match arrival {
            Some(arrival) => arrival.when_done(&mut own.set, written.len()),
            None => when_left(&mut own.set, id),
        };
        if let Ok(states) = states
            && let Ok(both) = own.set.diagrams().and(states, known)
        {
            // A node that no way leads to is reported as that.
            own.done = if both.is_none() { known } else { both };
        }
        own
    }

    /// The edges for the node being done.
    pub(super) fn done_edges(&self) -> Vec<usize> {
        (0..self.edges.len()).filter(|place| self.edges[*place].on.iter().any(Trigger::is_done)).collect()
    }

    pub(super) fn when_true(&self, edge: usize) -> Diagram {
        match self.guards[edge] {
            Some(guard) if self.is_decided => self.set.when_true(guard),
            _ => Diagram::ALL,
        }
    }

    pub(super) fn when_false(&self, edge: usize) -> Diagram {
        match self.guards[edge] {
            Some(guard) if self.is_decided => self.set.when_false(guard),
            Some(_) => Diagram::ALL,
            None => Diagram::NONE,
        }
    }

    /// The variables that the guards of these edges are about.
    pub(super) fn asked(&self, edges: impl Iterator<Item = usize>) -> Vec<DiagramVariable> {
        let diagrams = self.set.seen();
        let both = |edge| [self.when_false(edge), self.when_true(edge)];
        edges.flat_map(both).flat_map(|one| diagrams.support(one)).collect()
    }

    /// True if the edge has no guard, or one that says nothing.
    pub(super) fn is_free(&self, edge: usize) -> bool {
        self.edges[edge].when.as_ref().is_none_or(is_true)
    }

    /// The states that are left for an edge by the edges of `earlier` that come before it, where it answers to the
    /// trigger; a part of them where that is enough to know.
    pub(super) fn left(
        &mut self,
        kinds: &OwnKinds<'_>,
        (edge, trigger): (usize, &Trigger),
        earlier: &[usize],
    ) -> Result<Diagram, TooLarge> {
        let mut left = if trigger.is_done() { self.done } else { self.failed };
        let yes = self.when_true(edge);
        left = self.set.diagrams().and(left, yes)?;
        for other in earlier {
            if left.is_none() {
                break;
            }
            if self.comes_first(kinds, *other, trigger) {
                let no = self.when_false(*other);
                left = self.set.diagrams().and(left, no)?;
            }
        }
        Ok(left)
    }

    /// True if an edge, where its guard holds, is surely taken for what the trigger answers to.
    fn comes_first(&self, kinds: &OwnKinds<'_>, edge: usize, trigger: &Trigger) -> bool {
        let edge = self.edges[edge];
        let mut covering = trigger.covering(|kind| class_of(kinds, kind));
        covering.any(|answers: Answers| {
            edge.on.iter().any(|own| own.answers().as_ref() == Some(&answers))
                && !edge.may_be_barred(&answers)
        })
    }

    /// The earlier edges that leave nothing for an edge that is dead: none can be left out.
    pub(super) fn blamed(&mut self, kinds: &OwnKinds<'_>, edge: usize) -> Result<Vec<usize>, TooLarge> {
        let own: &'g Edge = self.edges[edge];
        let mut blamed: Vec<usize> = Vec::new();
        for trigger in &own.on {
            blamed.extend(self.fewest(kinds, (edge, trigger))?);
        }
        blamed.sort_unstable();
        blamed.dedup();
        Ok(blamed)
    }

    fn fewest(&mut self, kinds: &OwnKinds<'_>, at: (usize, &Trigger)) -> Result<Vec<usize>, TooLarge> {
        let mut all: Vec<usize> = Vec::new();
        let mut left = self.left(kinds, at, &[])?;
        for other in 0..at.0 {
            if left.is_none() {
                break;
            }
            if self.comes_first(kinds, other, at.1) {
                let no = self.when_false(other);
                left = self.set.diagrams().and(left, no)?;
                all.push(other);
            }
        }
        if all.len() > MAX_BLAMED {
            return Ok(all);
        }
        // None that can be left out is left in.
        let mut place = 0;
        while place < all.len() {
            let without: Vec<usize> =
                all.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, other)| *other).collect();
            if self.left(kinds, at, &without)?.is_none() {
                all = without;
            } else {
                place += 1;
            }
        }
        Ok(all)
    }
}

/// The kinds of errors of a graph's own, with their classes.
pub(super) fn own_kinds(graph: &Graph) -> OwnKinds<'_> {
    graph.errors.iter().map(|(own, class)| (own.value.as_str(), class)).collect()
}

pub(super) fn class_of(kinds: &OwnKinds<'_>, kind: &str) -> Option<Str> {
    ErrorKind::named(kind)
        .map(|kind| kind.class().name().into())
        .or_else(|| kinds.get(kind).map(|class| Str::clone(class)))
}

pub(super) fn is_true(guard: &Expr) -> bool {
    matches!(guard.kind, ExprKind::Const(Value::Bool(true)))
}
