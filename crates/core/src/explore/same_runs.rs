//! Two versions of a graph, run side by side with every answer that either of them tells apart.

use rustc_hash::FxHashSet;

use super::space::{AnswerCache, State, StateSpace, TakenInput};
use crate::machine::{Event, EventKind, Input, QuestionReason, Violation};
use crate::program::change::{Change, Changes, Emit};
use crate::value::Value;

/// A part of what a run shows to the outside.
#[derive(PartialEq)]
enum Shown<'e> {
    Entered(u32),
    Failed(u32, &'e Value),
    Retrying(u32, u32),
    Emitted(&'e Emit),
    /// Calls, questions, waits and ends.
    Other(&'e EventKind),
    Broken(&'e Violation),
}

/// True if every run of two versions of a graph shows the same: the same nodes, calls, questions, waits, errors, events and
/// ends, and breaks the same properties. None if that is not known: more than so many inputs are taken, the world's values are not
/// all stood for, or a person may send a run back.
#[must_use]
pub fn are_same_runs(one: &StateSpace<'_>, other: &StateSpace<'_>, most: usize) -> Option<bool> {
    let all = |_, _| true;
    if !one.sampled(&all).is_empty() || !other.sampled(&all).is_empty() {
        return None;
    }
    let mut caches = (AnswerCache::default(), AnswerCache::default());
    let mut open = vec![(State::default(), State::default())];
    let mut seen = FxHashSet::default();
    let mut taken = 0;
    while let Some((state, same)) = open.pop() {
        if may_go_back(&state) {
            return None;
        }
        let inputs = either(one.choices(&state, &mut caches.0), other.choices(&same, &mut caches.1));
        for input in inputs {
            taken += 1;
            if taken > most {
                return None;
            }
            let path = Vec::new;
            let (after, also) =
                (one.take_whole(&state, input.clone(), &path), other.take_whole(&same, input, &path));
            if shown(&after) != shown(&also) {
                return Some(false);
            }
            let is_end = after.state.snapshot.done.is_some();
            if !is_end && seen.insert((after.state.clone(), also.state.clone())) {
                open.push((after.state, also.state));
            }
        }
    }
    Some(true)
}

/// True for a run that a pause has stopped: whoever answers may send it back.
fn may_go_back(state: &State) -> bool {
    state.snapshot.asks().any(|ask| ask.reason == QuestionReason::Pause)
}

/// The inputs that are in either list.
fn either(one: Vec<Input>, other: Vec<Input>) -> Vec<Input> {
    let known: FxHashSet<Input> = one.iter().cloned().collect();
    one.into_iter().chain(other.into_iter().filter(|input| !known.contains(input))).collect()
}

fn shown(taken: &TakenInput) -> Vec<Shown<'_>> {
    let mut all = Vec::new();
    for Event { kind, .. } in &taken.events {
        all.extend(match kind {
            EventKind::Entered { node, .. } | EventKind::Crossed { node, .. } => Some(Shown::Entered(*node)),
            EventKind::Failed { node, error, .. } => Some(Shown::Failed(*node, error)),
            EventKind::Retrying { node, attempt, .. } => Some(Shown::Retrying(*node, *attempt)),
            EventKind::Completed { .. } | EventKind::Took { .. } | EventKind::Started { .. } => None,
            other => Some(Shown::Other(other)),
        });
        let changes = kind.changes().into_iter().flat_map(Changes::as_slice);
        all.extend(changes.filter_map(|change| match change {
            Change::Emit(emit) => Some(Shown::Emitted(emit)),
            _ => None,
        }));
    }
    all.extend(taken.violations.iter().map(Shown::Broken));
    all
}
