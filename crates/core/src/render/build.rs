//! From a model to a drawing.

use std::sync::Arc;

use super::drawing::Drawing;
use super::fault::RenderFault;
use super::label::EdgeTexts;
use super::options::{Focus, Options};
use super::region::{Region, called};
use super::scene::Scene;
use crate::model::Model;
use crate::model::graph::GraphId;
use crate::model::node::NodeKind;
use crate::syntax::tree::Tree;

impl Drawing {
    /// Draws a model. `trees` are those it was made of: guards are printed as they are written there.
    ///
    /// # Errors
    /// [`RenderFault::Unknown`] and [`RenderFault::Empty`] where the focus names nothing that can be drawn alone,
    /// [`RenderFault::TooLarge`] where called graphs make the drawing too large.
    pub fn new(model: &Model, trees: &[Arc<Tree>], options: &Options) -> Result<Self, RenderFault> {
        let mut scene = Scene::new(model, EdgeTexts::new(trees), options);
        let name = match &options.focus {
            Focus::Whole => {
                Region::root(&scene, model.root(), None).draw(&mut scene, 1)?;
                model.root().id.as_str()
            }
            Focus::Named(name) => {
                named(&mut scene, name)?;
                name.as_str()
            }
        };
        Ok(scene.finish(name))
    }
}

fn named(scene: &mut Scene<'_>, name: &str) -> Result<(), RenderFault> {
    let model = scene.model;
    let root = model.root();
    if let Some(id) = root.graph.node_indices().find(|id| root.graph[*id].name.as_str() == name) {
        return match &root.graph[id].kind {
            NodeKind::Composite(_) => Region::root(scene, root, Some(id)).draw(scene, 1),
            kind @ (NodeKind::Call(_) | NodeKind::Each(_) | NodeKind::Parallel(_)) => {
                called(scene, kind, None, 1)
            }
            _ => Err(RenderFault::Empty(name.to_owned())),
        };
    }
    let graph = model.graphs.iter().position(|graph| graph.id.as_str() == name);
    let graph =
        graph.and_then(|at| u32::try_from(at).ok()).ok_or_else(|| RenderFault::Unknown(name.to_owned()))?;
    Region::within(scene, model.graph(GraphId(graph)), None).draw(scene, 1)
}
