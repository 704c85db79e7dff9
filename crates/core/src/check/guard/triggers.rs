//! Edges that answer to events which never happen together.

use super::node_guards::{OwnKinds, class_of};
use crate::model::node::Trigger;
use crate::program::error::{ErrorKind, is_answered_by_error};

/// True if no event is answered to by a trigger of either edge.
pub(super) fn exclude(kinds: &OwnKinds<'_>, one: &[Trigger], other: &[Trigger]) -> bool {
    let apart = |one, other| exclude_each(kinds, one, other) || exclude_each(kinds, other, one);
    one.iter().all(|one| other.iter().all(|other| apart(one, other)))
}

fn exclude_each(kinds: &OwnKinds<'_>, one: &Trigger, other: &Trigger) -> bool {
    match (one, other) {
        (Trigger::Done, other) => !other.is_done(),
        (Trigger::Kind(kind), Trigger::Kind(same)) => kind != same,
        (Trigger::Class(class), Trigger::Class(same)) => class != same,
        (Trigger::Kind(kind), Trigger::Class(class)) => {
            class_of(kinds, kind).is_some_and(|own| own != *class)
        }
        (Trigger::Kind(kind), Trigger::AnyError) => !is_answered_by_error(kind),
        // A refused spend is told by the budget, or by its kind.
        (Trigger::Exhausted(_), Trigger::Kind(kind)) => !ErrorKind::BudgetExhausted.is(kind),
        (Trigger::Exhausted(_) | Trigger::Unknown, Trigger::AnyError | Trigger::Class(_)) => true,
        // A time-out may hide the outcome of a call, and is told by either.
        (Trigger::Unknown, Trigger::Kind(kind)) => !ErrorKind::Timeout.is(kind),
        _ => false,
    }
}
