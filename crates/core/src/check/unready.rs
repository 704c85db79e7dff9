//! The state of a composite that could not begin: where the first value of a field fails, that field and those after it have
//! none, and the edges of the composite that answer the error must not read them. Lets and actions cannot: they stand outside.

use super::uses::Uses;
use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::expr::{ExprKind, SlotId, SlotKind};
use crate::model::graph::Slot;
use crate::model::node::{Edge, NodeId, NodeKind, Trigger};
use crate::program::error::ErrorKind;

/// Judges the edges of all composites.
pub(super) fn judge(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    for id in graph.graph.node_indices() {
        if !matches!(graph.graph[id].kind, NodeKind::Composite(_)) {
            continue;
        }
        let unready = unready(graph, id);
        if unready.is_empty() {
            continue;
        }
        for edge in graph.graph[id].edges.iter().map(|edge| &graph.graph[*edge]) {
            if !edge.on.iter().any(answers_a_failed_beginning) {
                continue;
            }
            let read = Uses::of_edge(edge);
            if let Some(slot) = unready.iter().find(|id| read.contains(id)) {
                findings.push(finding(&graph.slots[slot.0 as usize], edge));
            }
        }
    }
}

/// The fields of a composite's state that may have no value: from the first on that is computed. A nullable field is none of
/// them: null is a value of it.
fn unready(graph: &Graph, composite: NodeId) -> Vec<SlotId> {
    let own = graph.slots.iter().zip(0..).filter(|(slot, _)| slot.kind == SlotKind::Inner(composite));
    let is_ready = |(slot, _): &(&Slot, u32)| {
        let init = slot.init.as_ref();
        init.is_none_or(|init| matches!(init.kind, ExprKind::Const(_)))
    };
    let rest = own.skip_while(is_ready);
    rest.filter(|(slot, _)| !slot.ty.nullable).map(|(_, id)| SlotId(id)).collect()
}

fn answers_a_failed_beginning(trigger: &Trigger) -> bool {
    match trigger {
        Trigger::AnyError | Trigger::Class(_) => true,
        Trigger::Kind(kind) => [ErrorKind::Evaluation, ErrorKind::TooLarge, ErrorKind::Stuck]
            .iter()
            .any(|own| own.name() == kind.as_str()),
        Trigger::Done | Trigger::Exhausted(_) | Trigger::Unknown => false,
    }
}

fn finding(slot: &Slot, edge: &Edge) -> Diagnostic {
    let name = &slot.name.value;
    let message =
        format!("`{name}` may have no value here: this edge is taken, too, where a first value fails");
    let fault = Diagnostic::error(rule::MAYBE_NULL, edge.span, message);
    fault.also(slot.name.span, "this value, or one before it, is computed").help(format!(
        "begin with a constant and compute `{name}` in the `do` of the composite, or read a field of the state outside"
    ))
}
