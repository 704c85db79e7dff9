//! The amounts of work that `check` bounds: of one input, or of a whole run.

use crate::machine::{Event, EventKind, Request};

/// The names of the amounts, in the order of those of a bound.
pub(super) const AMOUNTS: [&str; 3] = ["transition", "model call", "tool call"];

/// Amounts of work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunWork {
    /// Edges taken.
    pub transitions: u32,
    /// Calls of models, each attempt counted.
    pub model_calls: u16,
    /// Calls of tools, each attempt counted.
    pub tool_calls: u16,
}

impl RunWork {
    /// The work that events tell of.
    pub(super) fn of(events: &[Event]) -> Self {
        let mut work = Self::default();
        for event in events {
            match &event.kind {
                EventKind::Took { .. } => work.transitions = work.transitions.saturating_add(1),
                EventKind::Called(call) => match call.request {
                    Request::Model { .. } => work.model_calls = work.model_calls.saturating_add(1),
                    Request::Tool { .. } => work.tool_calls = work.tool_calls.saturating_add(1),
                },
                _ => {}
            }
        }
        work
    }

    /// The three amounts, in the order of their names.
    #[must_use]
    pub fn amounts(self) -> [u64; 3] {
        [self.transitions.into(), self.model_calls.into(), self.tool_calls.into()]
    }

    /// The greater of both, amount by amount.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            transitions: self.transitions.max(other.transitions),
            model_calls: self.model_calls.max(other.model_calls),
            tool_calls: self.tool_calls.max(other.tool_calls),
        }
    }
}
