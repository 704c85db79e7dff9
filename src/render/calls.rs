//! Called graphs in a drawing.

use super::drawing::Shape;
use super::fault::Fault;
use super::options::Opening;
use super::region::Region;
use super::scene::{Scene, Sketch};
use crate::model::graph::GraphId;
use crate::model::node::NodeKind;

/// Draws what a node calls into its box, or into the whole drawing.
pub(super) fn called<'a>(
    scene: &mut Scene<'a>,
    kind: &'a NodeKind,
    parent: Option<usize>,
    level: usize,
) -> Result<(), Fault> {
    let graph = match kind {
        NodeKind::Call(call) => call.graph,
        NodeKind::Each(each) => each.graph,
        NodeKind::Parallel(parallel) => {
            for branch in &parallel.branches {
                let open = !matches!(scene.options.opening, Opening::Depth(depth) if level >= depth);
                let name = match parent {
                    Some(parent) => format!("{}_{}", scene.item(parent).id, branch.name.value),
                    None => branch.name.to_string(),
                };
                let sketch =
                    Sketch { name: &name, label: &branch.name.value, shape: Shape::Call, parent, open };
                let item = scene.add(&sketch)?;
                scene.start(parent, item, None, false);
                if open {
                    within(scene, branch.graph, Some(item), level + 1)?;
                }
            }
            return Ok(());
        }
        _ => return Ok(()),
    };
    within(scene, graph, parent, level)
}

fn within(scene: &mut Scene<'_>, graph: GraphId, parent: Option<usize>, level: usize) -> Result<(), Fault> {
    let within = parent.map(|item| (item, scene.item(item).id.clone()));
    let model = scene.model;
    Region::within(scene, model.graph(graph), within).draw(scene, level)
}
