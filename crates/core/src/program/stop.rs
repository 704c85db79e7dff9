//! The early end of a statement list.

use crate::source::Span;
use crate::value::Str;

/// The early end of a statement list. One pointer, so that continuing costs nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stop(Box<StopKind>);

/// The kinds of stop.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StopKind {
    /// An error with a kind: `evaluation`, `too_large`, or one the graph's `fail` names.
    Error {
        /// The kind.
        kind: Str,
        /// The fault that happened.
        message: Str,
        /// The place of the error.
        span: Span,
    },
    /// A hard budget refused a spend: the index of the budget (or meter) and the key of its family.
    Exhausted {
        /// Index into the graph's budgets.
        budget: u32,
        /// The key, where the budget is a meter.
        key: Option<Str>,
        /// The `spend`.
        span: Span,
    },
}

impl Stop {
    /// An error of this kind at this place.
    #[cold]
    #[must_use]
    pub fn error(kind: impl Into<Str>, message: impl Into<Str>, span: Span) -> Self {
        Self(Box::new(StopKind::Error { kind: kind.into(), message: message.into(), span }))
    }

    /// A spend at this place that a hard budget refused.
    #[cold]
    #[must_use]
    pub fn exhausted(budget: u32, key: Option<Str>, span: Span) -> Self {
        Self(Box::new(StopKind::Exhausted { budget, key, span }))
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> &StopKind {
        &self.0
    }

    /// Its kind, taken out.
    #[must_use]
    pub fn into_kind(self) -> StopKind {
        *self.0
    }
}
