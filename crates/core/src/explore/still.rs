//! Whether the time of day stands still while a graph is explored.
//!
//! Every run begins at one time, and models, tools and people answer at once. Only what waits for a time lets it pass.

use crate::machine::Time;
use crate::model::Model;
use crate::model::node::{Node, NodeKind};
use crate::program::Approval;
use crate::value::{List, Value};

/// The time at which runs begin.
pub(super) const BEGINNING: Time = 0;

/// The time of day of all that is explored, if nothing waits for another one.
pub(super) fn only_time(model: &Model, tools: &List) -> Option<Time> {
    let mut nodes = model.graphs.iter().flat_map(|graph| graph.graph.node_weights());
    (!nodes.any(waits) && !tools.iter().any(has_expiry)).then_some(BEGINNING)
}

fn waits(node: &Node) -> bool {
    node.timeout.is_some() || node.retry.is_some() || matches!(node.kind, NodeKind::Wait(_))
}

/// True for a tool whose calls a person may let pass for some time only.
fn has_expiry(tool: &Value) -> bool {
    tool.as_map().is_some_and(|tool| Approval::of_entry(tool).expires().is_some())
}
