//! Guards: whether some edge is always taken, and which edges never are.
//!
//! The guards of a node are decided together. Each is brought into a normal form ([`normal`]); what it says something about
//! is a subject ([`subject`]), and the values of a subject fall into classes that all guards treat alike ([`class`]).
//! The states in which a guard is true and those in which it is false are two decision diagrams over these classes
//! ([`set`], [`truth`], [`compare`], [`ties`]). A state in which all guards are false is made concrete ([`witness`],
//! [`state`]), and said to be one only if the evaluator that runs graphs agrees ([`confirm`]). It is an error if a run that
//! begins there is stuck at once ([`replay`]).
//!
//! # Why
//! - A guard that fails is neither true nor false: a node whose guard fails is left by its errors, it is not stuck.
//! - What is not known counts as possible on both sides. So an edge that is said to be dead is dead, and a node of which
//!   nothing is said is never stuck; a gap that is no gap is found by the evaluator.

mod arrival;
pub(crate) mod class;
mod compare;
mod confirm;
mod names;
mod node_guards;
mod normal;
mod reads;
mod replay;
mod say;
pub(super) mod set;
pub(crate) mod state;
mod subject;
mod term;
mod ties;
mod triggers;
mod truth;
mod verdict;
mod witness;
mod written;

use rustc_hash::{FxHashMap, FxHashSet};

use self::confirm::Confirmation;
use self::node_guards::{NodeGuards, OwnKinds};
use self::replay::Witness;
use self::witness::Chosen;
use crate::decide::{Cube, Diagram, TooLarge};
use crate::diag::Diagnostic;
use crate::model::Model;
use crate::model::expr::ExprKind;
use crate::model::node::{Answers, EdgeId, Trigger};
use crate::program::frame::Frame;
use crate::source::{Sources, Span};
use crate::value::Str;

/// The most states that are shown for one finding.
const MAX_SHOWN: usize = 3;

/// The most cubes that are looked at for them.
const MAX_CUBES: usize = 24;

/// The judgement of guards, graph by graph.
pub(super) struct Guards<'m> {
    model: &'m Model,
    sources: &'m Sources,
    confirmation: Confirmation<'m>,
}

/// A state in which something is so, as far as it could be found.
struct ShownState {
    /// The classes that are enough for it.
    cube: Cube,
    /// A state that the evaluator confirmed, by the values of its terms.
    state: Option<(Chosen, Frame)>,
}

impl<'m> Guards<'m> {
    pub(super) const fn new(model: &'m Model, sources: &'m Sources) -> Self {
        Self { model, sources, confirmation: Confirmation::new(model) }
    }

    /// Judges the edges of every node of a graph. `sound`: no use of a name or a value is wrong in it.
    pub(super) fn judge(&self, index: usize, sound: bool, findings: &mut Vec<Diagnostic>) {
        let graph = &self.model.graphs[index];
        let kinds = node_guards::own_kinds(graph);
        for id in graph.graph.node_indices() {
            let node = &graph.graph[id];
            let guarded = node.edges.iter().any(|edge| graph.graph[*edge].when.is_some());
            let unreadable = node.edges.iter().any(|edge| {
                graph.graph[*edge].when.as_ref().is_some_and(|guard| matches!(guard.kind, ExprKind::Error))
            });
            if node.edges.len() > 1 || guarded {
                let mut guards = NodeGuards::new(self.model, graph, id);
                dead(&kinds, &mut guards, sound, findings);
                if !unreadable {
                    self.open(index, &mut guards, findings);
                }
            }
        }
    }

    /// A node whose `done` edges all have guards that may all be false.
    fn open(&self, index: usize, guards: &mut NodeGuards<'m>, findings: &mut Vec<Diagnostic>) {
        let edges = guards.done_edges();
        let Some(last) = edges.last().copied() else { return };
        if edges.iter().any(|edge| guards.is_free(*edge)) {
            return;
        }
        if !guards.is_decided {
            findings.push(say::not_decided(guards));
            return;
        }
        let Ok(gap) = all_false(guards, &edges) else {
            findings.push(say::not_decided(guards));
            return;
        };
        if !gap.is_none() {
            let wanted: Vec<_> = edges.iter().map(|edge| (*edge, false)).collect();
            let shown = self.shown(index, guards, &wanted, gap);
            let witnesses = shown.iter().filter_map(|one| one.state.as_ref());
            let witnesses: Vec<Witness> = witnesses
                .map(|state| Witness::of(&self.confirmation, self.sources, (index, guards), state))
                .collect();
            findings.push(say::gap(self.sources, guards, last, &shown, &witnesses));
        }
    }

    /// States of a set that do not overlap, confirmed ones where there are any.
    fn shown(
        &self,
        index: usize,
        guards: &mut NodeGuards<'m>,
        wanted: &[(usize, bool)],
        set: Diagram,
    ) -> Vec<ShownState> {
        let ids: Vec<_> = wanted.iter().map(|(edge, truth)| (guards.ids[*edge], *truth)).collect();
        let asked = guards.asked(wanted.iter().map(|(edge, _)| *edge));
        let (mut confirmed, mut possible) = (Vec::new(), Vec::new());
        let mut rest = set;
        for _ in 0..MAX_CUBES {
            let Some(cube) = guards.set.seen().cube(rest) else { break };
            let inputs = &guards.set.inputs;
            let mut accepts = |frame: &Frame| self.confirmation.agrees(index, &ids, inputs, frame);
            let state = guards.set.find_state(guards.id, &cube, &mut accepts);
            let Ok(without) = guards.set.diagrams().without(rest, &cube) else { break };
            rest = without;
            let list = if state.is_some() { &mut confirmed } else { &mut possible };
            if list.len() < MAX_SHOWN {
                // What only the edges that lead here ask about is not said.
                let own = cube.0.into_iter().filter(|(variable, _)| asked.contains(variable));
                list.push(ShownState { cube: Cube(own.collect()), state });
            }
            if confirmed.len() == MAX_SHOWN {
                break;
            }
        }
        if confirmed.is_empty() { possible } else { confirmed }
    }

    /// Adds the pairs of edges of one node that follow each other, and whose order makes no difference: what one answers to the other
    /// does not, or where the guard of one is true, that of the other is surely false.
    pub(super) fn disjoint(&self, index: usize, found: &mut FxHashSet<(Span, Span)>) {
        let graph = &self.model.graphs[index];
        let kinds = node_guards::own_kinds(graph);
        for id in graph.graph.node_indices() {
            let mut guards = NodeGuards::new(self.model, graph, id);
            let apart =
                guards.edges.windows(2).filter(|pair| triggers::exclude(&kinds, &pair[0].on, &pair[1].on));
            found.extend(apart.map(|pair| (pair[0].span, pair[1].span)));
            let only_done = |edge: &usize| guards.edges[*edge].on.iter().all(Trigger::is_done);
            let done: Vec<usize> = guards.done_edges().into_iter().filter(only_done).collect();
            let follows = |pair: &&[usize]| pair[0] + 1 == pair[1];
            for pair in done.windows(2).filter(follows) {
                let (one, other) = (pair[0], pair[1]);
                let is_free = guards.is_free(one) || guards.is_free(other);
                if !is_free && guards.is_decided && exclude(&mut guards, one, other) == Ok(true) {
                    found.insert((guards.edges[one].span, guards.edges[other].span));
                }
            }
        }
    }

    /// Pairs of guards of one node that hold in one state.
    pub(super) fn overlaps(&self, index: usize, found: &mut Vec<GuardOverlap>) {
        let graph = &self.model.graphs[index];
        for id in graph.graph.node_indices() {
            let guarded = |edge: &&EdgeId| graph.graph[**edge].when.is_some();
            if graph.graph[id].edges.iter().filter(guarded).count() < 2 {
                continue;
            }
            let mut guards = NodeGuards::new(self.model, graph, id);
            let edges: Vec<usize> =
                guards.done_edges().into_iter().filter(|edge| !guards.is_free(*edge)).collect();
            if !guards.is_decided {
                continue;
            }
            for (place, second) in edges.iter().enumerate() {
                for first in &edges[..place] {
                    let Ok(both) = both_true(&mut guards, *first, *second) else { break };
                    let wanted = [(*first, true), (*second, true)];
                    if let Some(one) = self.shown(index, &mut guards, &wanted, both).first() {
                        found.push(say::overlap(self.sources, &guards, (*first, *second), one));
                    }
                }
            }
        }
    }
}

/// Two guards of one node that are true in one state: the first is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardOverlap {
    /// The node.
    pub node: Str,
    /// The edge that is taken.
    pub first: Span,
    /// The edge that comes after it.
    pub second: Span,
    /// The conditions of the state, as text.
    pub state: Vec<String>,
    /// True if the evaluator confirmed it. Another one is not excluded by what is known of the guards.
    pub is_definite: bool,
}

fn both_true(guards: &mut NodeGuards<'_>, first: usize, second: usize) -> Result<Diagram, TooLarge> {
    let (done, one, other) = (guards.done, guards.when_true(first), guards.when_true(second));
    let both = guards.set.diagrams().and(one, other)?;
    guards.set.diagrams().and(done, both)
}

/// True if in all states in which one guard is true the other one is false: not true, and it does not fail.
fn exclude(guards: &mut NodeGuards<'_>, one: usize, other: usize) -> Result<bool, TooLarge> {
    let mut excludes = both_true(guards, one, other)?.is_none();
    for (yes, no) in [(one, other), (other, one)] {
        let (done, yes, no) = (guards.done, guards.when_true(yes), guards.when_false(no));
        let reached = guards.set.diagrams().and(done, yes)?;
        let is_false = guards.set.diagrams().and(reached, no)?;
        excludes &= is_false == reached;
    }
    Ok(excludes)
}

/// The states in which the guards of all these edges are false.
fn all_false(guards: &mut NodeGuards<'_>, edges: &[usize]) -> Result<Diagram, TooLarge> {
    let mut all = guards.done;
    for edge in edges {
        let no = guards.when_false(*edge);
        all = guards.set.diagrams().and(all, no)?;
    }
    Ok(all)
}

/// Edges that can never be taken.
fn dead(kinds: &OwnKinds<'_>, guards: &mut NodeGuards<'_>, sound: bool, findings: &mut Vec<Diagnostic>) {
    // By what they answer to, the states that the edges so far leave.
    let mut left: FxHashMap<Answers, Diagram> = FxHashMap::default();
    for place in 0..guards.edges.len() {
        let edge = guards.edges[place];
        let Ok(is_dead) = is_dead(kinds, guards, place, &left) else { return };
        let blamed = if is_dead { guards.blamed(kinds, place).ok() } else { None };
        // What a guard means that has a fault is not known.
        let by_guards = |blamed: &[usize]| !blamed.iter().any(|other| guards.is_free(*other));
        if let Some(blamed) = blamed.filter(|all| sound || !by_guards(all)) {
            findings.push(say::dead(guards, place, &blamed));
        }
        let no = guards.when_false(place);
        for answers in edge.on.iter().filter_map(Trigger::answers) {
            if edge.may_be_barred(&answers) {
                continue;
            }
            let before = left.get(&answers).copied().unwrap_or(Diagram::ALL);
            let Ok(after) = guards.set.diagrams().and(before, no) else { return };
            left.insert(answers, after);
        }
    }
}

/// True if the edges before one leave nothing for it.
fn is_dead(
    kinds: &OwnKinds<'_>,
    guards: &mut NodeGuards<'_>,
    place: usize,
    left: &FxHashMap<Answers, Diagram>,
) -> Result<bool, TooLarge> {
    let edge = guards.edges[place];
    for trigger in &edge.on {
        let mut own = guards.left(kinds, (place, trigger), &[])?;
        for answers in trigger.covering(|kind| node_guards::class_of(kinds, kind)) {
            if let Some(left) = left.get(&answers) {
                own = guards.set.diagrams().and(own, *left)?;
            }
        }
        if !own.is_none() {
            return Ok(false);
        }
    }
    Ok(!edge.on.is_empty())
}
