//! From a graph file to a drawing.

use crate::check::{Checked, check_file};
use crate::diag::{Diagnostic, Severity, did_you_mean, nearest};
use crate::model::{Graph, Loader, Model};
#[cfg(feature = "pictures")]
use crate::render;
use crate::render::{
    Drawing, DrawingFormat, Focus, Opening, Options, RenderFault, TakenPath, dot, flow, state,
};
use crate::source::Sources;

/// The part of a graph that is to be drawn, and how.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct DrawingRequest {
    /// The language; none is that of the view, or `state`.
    pub form: Option<DrawingFormat>,
    /// A view that the graph declares.
    pub view: Option<String>,
    /// The number of levels of nodes; none are all.
    pub depth: Option<usize>,
    /// One composite or called graph, alone.
    pub node: Option<String>,
    /// No boxes.
    pub flat: bool,
    /// Called graphs are drawn inside the nodes that call them.
    pub expand: bool,
    /// Edges on `error`, `timeout`, `unknown` and `exhausted` are left out.
    pub hides_errors: bool,
    /// All arrows of one pair of nodes are one.
    pub merge: bool,
    /// From left to right, or from top to bottom; none is as the view says, or from top to bottom.
    pub across: Option<bool>,
}

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// SVG, with the feature `pictures`.
    Svg,
    /// PNG, with the feature `png`.
    Png,
}

/// A graph without errors, ready to be drawn.
#[derive(Debug)]
pub struct DrawableGraph {
    model: Model,
    checked: Checked,
}

/// A drawing in its language.
#[derive(Debug)]
pub struct DrawnGraph {
    /// The parts of the drawing.
    pub drawing: Drawing,
    /// The drawing in its language.
    pub text: String,
    /// The language.
    pub form: DrawingFormat,
}

/// The reasons for which a graph is not drawn.
#[derive(Debug)]
pub enum DrawError {
    /// The errors of the graph.
    Findings(Vec<Diagnostic>),
    /// The request names something that is not there.
    Request(String),
}

impl DrawableGraph {
    /// Reads a graph file. Only a graph without errors is drawn.
    ///
    /// # Errors
    /// Its errors, or that there is no graph in it.
    pub fn read(file: &str, sources: &mut Sources, loader: &mut dyn Loader) -> Result<Self, DrawError> {
        let mut checked = check_file(sources, loader, file);
        if !checked.is_sound() {
            checked.findings.retain(|finding| finding.severity == Severity::Error);
            if !checked.findings.is_empty() {
                return Err(DrawError::Findings(checked.findings));
            }
        }
        let Some(model) = checked.model.take() else {
            let why = format!("{file}: the file contains no graph, only declarations that graphs use");
            return Err(DrawError::Request(why));
        };
        Ok(Self { model, checked })
    }

    /// The graph, and those that it calls.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// Draws it, with the path that a run took.
    ///
    /// # Errors
    /// The request names something that the graph does not have, or the drawing would be too large.
    pub fn draw(&self, request: &DrawingRequest, path: Option<TakenPath>) -> Result<DrawnGraph, String> {
        let model = &self.model;
        let (mut options, mut form) = match &request.view {
            Some(name) => view(model.root(), name)?,
            None => (Options::default(), DrawingFormat::default()),
        };
        if let Some(depth) = request.depth {
            options.opening = Opening::Depth(depth);
        }
        if let Some(name) = &request.node {
            options.focus = Focus::Named(name.clone());
        }
        options.path = path;
        form = request.form.unwrap_or(form);
        options.flat |= request.flat;
        options.expand |= request.expand;
        options.errors &= !request.hides_errors;
        options.merge |= request.merge;
        options.across = request.across.unwrap_or(options.across);
        let drawing = Drawing::new(model, &self.checked.trees, &options);
        let drawing = drawing.map_err(|fault| explained(&fault, model))?;
        Ok(DrawnGraph { text: drawing_text(&drawing, form), drawing, form })
    }
}

/// A drawing in a language.
#[must_use]
pub fn drawing_text(drawing: &Drawing, form: DrawingFormat) -> String {
    match form {
        DrawingFormat::State => state(drawing),
        DrawingFormat::Flow => flow(drawing),
        DrawingFormat::Dot => dot(drawing),
    }
}

/// A drawing as a picture.
///
/// # Errors
/// This program was built without the feature, or the drawing is too large.
#[cfg_attr(not(feature = "pictures"), expect(unused_variables, reason = "there is no picture"))]
pub fn picture(drawing: &Drawing, format: PictureFormat) -> Result<Vec<u8>, String> {
    match format {
        #[cfg(feature = "pictures")]
        PictureFormat::Svg => render::svg(drawing).map(String::into_bytes).map_err(|fault| fault.to_string()),
        #[cfg(feature = "png")]
        PictureFormat::Png => render::png(drawing).map_err(|fault| fault.to_string()),
        #[cfg(not(feature = "pictures"))]
        PictureFormat::Svg => Err(no_pictures("SVG", "pictures")),
        #[cfg(not(feature = "png"))]
        PictureFormat::Png => Err(no_pictures("PNG", "png")),
    }
}

#[cfg(not(all(feature = "pictures", feature = "png")))]
fn no_pictures(format: &str, feature: &str) -> String {
    format!(
        "this program has no {format}: build it with `cargo install --locked --path . --features {feature}`, or draw text: `--as state` and `--as flow` for Mermaid, `--as dot` for Graphviz"
    )
}

fn view(graph: &Graph, name: &str) -> Result<(Options, DrawingFormat), String> {
    if let Some(view) = graph.views.iter().find(|view| view.name.as_str() == name) {
        return Ok(Options::of_view(view));
    }
    let names = graph.views.iter().map(|view| view.name.as_str());
    let hint = hint(nearest(name, names.clone()));
    let all = names.collect::<Vec<_>>().join(", ");
    let all = if all.is_empty() { "the graph declares none".to_owned() } else { format!("there are: {all}") };
    Err(format!("there is no view `{name}`{hint}; {all}"))
}

fn explained(fault: &RenderFault, model: &Model) -> String {
    let RenderFault::Unknown(name) = fault else { return fault.to_string() };
    let nodes = model.root().graph.node_weights().map(|node| node.name.as_str());
    let names = nodes.chain(model.graphs.iter().map(|graph| graph.id.as_str()));
    format!("{fault}{}", hint(nearest(name, names)))
}

fn hint(near: Option<&str>) -> String {
    near.map(|near| format!("; {}", did_you_mean(&format!("`{near}`")))).unwrap_or_default()
}
