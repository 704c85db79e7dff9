//! Answers that a run waits for.

use loopwright::machine::{Phase, Snapshot};
use loopwright::model::Model;
use loopwright::model::node::NodeKind;
use loopwright::model::types::Type;
use loopwright::program::Program;

/// The type of the answer that the lane waits for which `waits`.
pub(super) fn awaited(
    model: &Model,
    program: &Program,
    snapshot: &Snapshot,
    waits: impl Fn(&Phase) -> bool,
) -> Option<Type> {
    let lane = snapshot.lanes.iter().flatten().find(|lane| waits(&lane.phase))?;
    let (graph, node) = (lane.frame.graph as usize, lane.frame.node as usize);
    let name = &program.graphs[graph].nodes[node].name;
    let node = model.graphs[graph].graph.node_weights().find(|node| node.name.value == *name)?;
    match &node.kind {
        NodeKind::Model(model) => Some(model.output.clone()),
        NodeKind::Tool(tool) => Some(tool.into.as_ref()?.ty.clone()),
        NodeKind::Human(human) => Some(human.answer.clone()),
        _ => None,
    }
}
