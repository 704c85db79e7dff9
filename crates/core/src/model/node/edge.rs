//! Edges and what they answer to.

use crate::model::expr::{Block, BudgetId, BudgetRef, Expr};
use crate::program::error::{ErrorClass, ErrorKind, is_answered_by_error};
use crate::source::Span;
use crate::value::Str;

/// An edge.
#[derive(Debug, Clone)]
pub struct Edge {
    /// `label`.
    pub label: Option<Str>,
    /// `outer`.
    pub outer: Option<Str>,
    /// The events it answers to; at least one.
    pub on: Vec<Trigger>,
    /// The guard.
    pub when: Option<Expr>,
    /// Its statements.
    pub action: Block,
    /// The whole declaration.
    pub span: Span,
}

impl Edge {
    /// True if a run may pass over this edge though it answers to `answers` and its guard holds.
    ///
    /// A node looks for an edge once more where the one it chose failed, and leaves that one out. A second search is
    /// always for a failure, so an edge for `done` is never left out. What refuses the transition itself is an
    /// exhausted budget: an edge that answers to exhaustion is left out then if it was chosen for something else.
    #[must_use]
    pub fn may_be_barred(&self, answers: &Answers) -> bool {
        let chosen_for_others = || self.on.iter().any(|trigger| !trigger.is_exhaustion());
        match answers {
            Answers::Done => false,
            _ if self.action.can_fail() => true,
            Answers::Exhausted(_) => chosen_for_others(),
            Answers::Kind(kind) => ErrorKind::BudgetExhausted.is(kind) && chosen_for_others(),
            Answers::AnyError | Answers::Class(_) | Answers::Unknown => false,
        }
    }
}

/// An event that an edge answers to.
#[derive(Debug, Clone)]
pub enum Trigger {
    /// The node did what it does.
    Done,
    /// Any error but `cancelled`, `unknown` and exhaustion.
    AnyError,
    /// An error of that kind (`timeout` too).
    Kind(Str),
    /// An error of that class.
    Class(Str),
    /// A spend past that budget's limit and grace was refused.
    Exhausted(BudgetRef),
    /// A call whose outcome is not known.
    Unknown,
}

/// The event a trigger answers to, as a key to find triggers by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answers {
    /// `done`.
    Done,
    /// `error`.
    AnyError,
    /// `error(kind)`.
    Kind(Str),
    /// `error(class)`.
    Class(Str),
    /// `exhausted(budget)`.
    Exhausted(BudgetId),
    /// `unknown`.
    Unknown,
}

impl Trigger {
    /// True for `done`.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }

    /// True if it answers to exhausted budgets only.
    fn is_exhaustion(&self) -> bool {
        match self {
            Self::Exhausted(_) => true,
            Self::Kind(kind) => ErrorKind::BudgetExhausted.is(kind),
            _ => false,
        }
    }

    /// The event it answers to; [`None`] for a meter of a family, whose key is computed.
    #[must_use]
    pub fn answers(&self) -> Option<Answers> {
        Some(match self {
            Self::Done => Answers::Done,
            Self::AnyError => Answers::AnyError,
            Self::Kind(kind) => Answers::Kind(kind.clone()),
            Self::Class(class) => Answers::Class(class.clone()),
            Self::Exhausted(BudgetRef::Counter(id)) => Answers::Exhausted(*id),
            Self::Exhausted(BudgetRef::Meter(..)) => return None,
            Self::Unknown => Answers::Unknown,
        })
    }

    /// The events of the triggers that answer to everything that this one answers to. `class_of` gives a kind's class.
    pub fn covering(&self, class_of: impl Fn(&str) -> Option<Str>) -> impl Iterator<Item = Answers> {
        let any = match self {
            Self::Kind(kind) => is_answered_by_error(kind) && !may_be_no_error(kind),
            Self::Class(class) => class != ErrorClass::Cancelled.name(),
            _ => false,
        };
        let class = match self {
            Self::Kind(kind) if !may_be_no_error(kind) => class_of(kind),
            _ => None,
        };
        let any = any.then_some(Answers::AnyError);
        self.answers().into_iter().chain(class.map(Answers::Class)).chain(any)
    }
}

/// True for a kind that also names what is no error: a time-out that hides the outcome of a call, a refused spend. Neither
/// `error` nor a class answers to those.
fn may_be_no_error(kind: &str) -> bool {
    ErrorKind::Timeout.is(kind) || ErrorKind::BudgetExhausted.is(kind)
}
