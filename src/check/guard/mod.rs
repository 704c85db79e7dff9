//! Guards: whether some edge is always taken, and which edges never are.
//!
//! The guards of a node are decided together. Each is brought into a normal form ([`normal`]); what it says something about
//! is a subject ([`subject`]), and the values of a subject fall into classes that all guards treat alike ([`class`]).
//! The states in which a guard is true and those in which it is false are two decision diagrams over these classes
//! ([`set`], [`truth`], [`compare`], [`ties`]). A state in which all guards are false is made concrete ([`witness`],
//! [`state`]), and said to be one only if the evaluator that runs graphs agrees ([`confirm`]).
//!
//! # Why
//! - A guard that fails is neither true nor false: a node whose guard fails is left by its errors, it is not stuck.
//! - What is not known counts as possible on both sides. So an edge that is said to be dead is dead, and a node of which
//!   nothing is said is never stuck; a gap that is no gap is found by the evaluator.

mod arrival;
mod class;
mod compare;
mod confirm;
mod node_guards;
mod normal;
mod reads;
mod say;
mod set;
mod state;
mod subject;
mod term;
mod ties;
mod triggers;
mod truth;
mod verdict;
mod witness;
mod written;

use rustc_hash::FxHashMap;

use self::confirm::Confirmation;
use self::node_guards::{NodeGuards, OwnKinds};
pub(in crate::check) use self::set::GuardSet;
use self::witness::Chosen;
use crate::decide::{Cube, Diagram, TooLarge};
use crate::diag::Diagnostic;
use crate::model::Model;
use crate::model::expr::ExprKind;
use crate::model::node::{Answers, Trigger};
use crate::program::frame::Frame;
use crate::source::Sources;

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
    pub(super) fn judge(&mut self, index: usize, sound: bool, findings: &mut Vec<Diagnostic>) {
        let graph = &self.model.graphs[index];
        let kinds: OwnKinds<'_> =
            graph.errors.iter().map(|(own, class)| (own.value.as_str(), class)).collect();
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
            } else if let [only] = node.edges.as_slice() {
                triggers::judge(graph, &graph.graph[*only], findings);
            }
            let edges: Vec<_> = node.edges.iter().map(|edge| &graph.graph[*edge]).collect();
            triggers::judge_composite(graph, (id, node), &edges, findings);
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
            let shown = self.shown(index, guards, &edges, gap);
            findings.push(say::gap(self.sources, guards, last, &shown));
        }
    }

    /// States of a gap that do not overlap, confirmed ones where there are any.
    fn shown(
        &self,
        index: usize,
        guards: &mut NodeGuards<'m>,
        edges: &[usize],
        gap: Diagram,
    ) -> Vec<ShownState> {
        let ids: Vec<_> = edges.iter().map(|edge| guards.ids[*edge]).collect();
        let (mut confirmed, mut possible) = (Vec::new(), Vec::new());
        let mut rest = gap;
        let asked = guards.asked(edges);
        for _ in 0..MAX_CUBES {
            let Some(cube) = guards.set.diagrams().cube(rest) else { break };
            let inputs = guards.set.inputs.clone();
            let mut accepts = |frame: &Frame| self.confirmation.are_false(index, &ids, &inputs, frame);
            let state = guards.set.find_state(guards.id, &cube, &mut accepts);
            let Ok(without) = guards.set.diagrams().without(rest, &cube) else { break };
            rest = without;
            let list = if state.is_some() { &mut confirmed } else { &mut possible };
            if list.len() < MAX_SHOWN {
                // What only the edges that lead here ask about is not said.
                let said = cube.0.into_iter().filter(|(variable, _)| asked.contains(variable));
                list.push(ShownState { cube: Cube(said.collect()), state });
            }
            if confirmed.len() == MAX_SHOWN {
                break;
            }
        }
        if confirmed.is_empty() { possible } else { confirmed }
    }
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
        let blamed = if is_dead { guards.blamed(kinds, place) } else { Ok(None) };
        // What a guard means that has a fault is not known.
        let by_guards = |blamed: &[usize]| !blamed.iter().any(|other| guards.is_free(*other));
        if let Ok(Some(blamed)) = blamed.map(|all| all.filter(|all| sound || !by_guards(all))) {
            findings.push(say::dead(guards, place, &blamed));
        } else {
            triggers::judge(guards.graph, edge, findings);
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
