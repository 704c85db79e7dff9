//! Calls that a rollback leaves to be undone.

use rustc_hash::FxHashMap;

use super::on_path::{events_after, path_events};
use crate::drive::driver::StepPlace;
use crate::machine::{Call, CallId, Event, EventKind, Outcome, Request};
use crate::port::{EntryCause, JournalEntry};
use crate::program::graph::Delivery;
use crate::value::Str;

/// A call of a tool on the way that is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compensation {
    /// The call.
    pub call: Call,
    /// The outcome, if it came back.
    pub outcome: Option<Outcome>,
    /// The tool that undoes it, if one is declared.
    pub by: Option<Str>,
    /// The state of its undoing.
    pub undo_state: UndoState,
}

/// The state of a call's undoing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoState {
    /// It was not begun.
    No,
    /// It was begun, and nobody knows how it ended.
    Begun,
    /// It was begun, and a person says whether it was undone. The journal does not have that yet.
    Answered(bool),
    /// It was undone.
    Done,
}

impl Compensation {
    /// The tool that was called.
    #[must_use]
    pub fn tool(&self) -> &str {
        match &self.call.request {
            Request::Tool { tool, .. } => tool,
            Request::Model { role, .. } => role,
        }
    }

    /// Returns true if it is still to be undone where calls are: there is something to undo, a tool that does it, and
    /// it was not done before.
    #[must_use]
    pub fn is_to_be_undone(&self) -> bool {
        self.can_be_undone() && !matches!(self.undo_state, UndoState::Done | UndoState::Answered(true))
    }

    /// Returns true if there is something to undo, and a tool that does it.
    #[must_use]
    pub fn can_be_undone(&self) -> bool {
        self.by.is_some() && matches!(self.outcome, Some(Outcome::Answer { .. }))
    }
}

/// The calls of tools after a place, the last first. Calls that change nothing are not among them, nor those that were
/// left behind before.
pub(super) fn calls_after(entries: &[JournalEntry], place: &StepPlace) -> Vec<Compensation> {
    let mut left: Vec<Compensation> = Vec::new();
    for part in path_events(entries) {
        let begin = match part.entry.cmp(&place.entry) {
            std::cmp::Ordering::Less => continue,
            std::cmp::Ordering::Equal => events_after(part.events, place.step - part.before, true),
            std::cmp::Ordering::Greater => 0,
        };
        part.events.get(begin..).into_iter().flatten().for_each(|event| note(event, &mut left));
    }
    let undone = undone(entries);
    for call in &mut left {
        call.undo_state = undone.get(&call.call.id).copied().unwrap_or(UndoState::No);
    }
    left.reverse();
    left
}

fn note(event: &Event, left: &mut Vec<Compensation>) {
    match &event.kind {
        EventKind::Called(call) => {
            if let Request::Tool { delivery, .. } = &call.request
                && *delivery != Delivery::Pure
            {
                let call = (**call).clone();
                left.push(Compensation { call, outcome: None, by: None, undo_state: UndoState::No });
            }
        }
        EventKind::Resolved { call, outcome } | EventKind::Late { call, outcome } => {
            if let Some(own) = left.iter_mut().rev().find(|own| own.call.id == *call) {
                own.outcome = Some((**outcome).clone());
            }
        }
        _ => {}
    }
}

/// Finds the calls that were undone in the journal.
fn undone(entries: &[JournalEntry]) -> FxHashMap<&CallId, UndoState> {
    let mut undone = FxHashMap::default();
    for entry in entries {
        match &entry.cause {
            EntryCause::Undo { call } => {
                undone.insert(call, UndoState::Begun);
            }
            EntryCause::Undone { call, outcome } => {
                let done = matches!(outcome, Outcome::Answer { .. });
                let known = !matches!(outcome, Outcome::Unknown { .. });
                undone.insert(
                    call,
                    if done {
                        UndoState::Done
                    } else if known {
                        UndoState::No
                    } else {
                        UndoState::Begun
                    },
                );
            }
            _ => {}
        }
    }
    undone
}
