//! Edges that answer to events that never happen together.

use crate::model::Graph;
use crate::model::node::Trigger;
use crate::program::error::ErrorKind;

/// True if no event is answered to by a trigger of either edge.
pub(super) fn exclude(graph: &Graph, one: &[Trigger], other: &[Trigger]) -> bool {
    one.iter().all(|one| {
        other.iter().all(|other| exclude_each(graph, one, other) || exclude_each(graph, other, one))
    })
}

fn exclude_each(graph: &Graph, one: &Trigger, other: &Trigger) -> bool {
    match (one, other) {
        (Trigger::Done, other) => !other.is_done(),
        (Trigger::Kind(kind), Trigger::Kind(same)) => kind != same,
        (Trigger::Class(class), Trigger::Class(same)) => class != same,
        (Trigger::Kind(kind), Trigger::Class(class)) => {
            class_of(graph, kind).is_some_and(|own| own != class.as_str())
        }
        // A refused spend is told by the budget, or by its kind.
        (Trigger::Exhausted(_), Trigger::Kind(kind)) => !ErrorKind::BudgetExhausted.is(kind),
        _ => false,
    }
}

/// The class of an error of that kind, if it is known.
fn class_of<'g>(graph: &'g Graph, kind: &str) -> Option<&'g str> {
    let own = graph.errors.iter().find(|(own, _)| own.value == kind).map(|(_, class)| class.as_str());
    own.or_else(|| ErrorKind::named(kind).map(|kind| kind.class().name()))
}
