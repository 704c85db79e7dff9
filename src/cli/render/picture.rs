//! From a file and flags to a drawing.

use super::run_path;
use super::trouble::Trouble;
use crate::cli::args::{Hidden, Language, Picture};
use crate::cli::files::{Disk, Named};
use loopwright_core::check::check_file;
use loopwright_core::diag::{Severity, did_you_mean, nearest};
use loopwright_core::model::{Graph, Model};
use loopwright_core::render::{
    Drawing, DrawingFormat, Focus, Opening, Options, RenderFault, dot, flow, state,
};
use loopwright_core::source::Sources;

/// The answer to a request for an image.
const PAINTED: &str = "drawings are text: `--as state` and `--as flow` for Mermaid, `--as dot` for Graphviz, \
which makes images of it: `loopwright render FILE --as dot | dot -Tsvg`";

/// A drawing in its language.
pub(super) struct Drawn {
    pub(super) drawing: Drawing,
    pub(super) text: String,
    pub(super) form: DrawingFormat,
}

/// Draws a graph file; `from` is the document that names it, if one does. Only a graph without errors is drawn.
pub(super) fn draw(
    from: Option<&str>,
    file: &str,
    picture: &Picture,
    disk: &mut Disk,
) -> Result<Drawn, Trouble> {
    let mut sources = Sources::new();
    let mut checked = check_file(&mut sources, &mut Named { from, disk }, file);
    if !checked.is_sound() {
        checked.findings.retain(|finding| finding.severity == Severity::Error);
        if !checked.findings.is_empty() {
            return Err(Trouble::Findings(checked.findings, Box::new(sources)));
        }
    }
    let Some(model) = &checked.model else {
        return Err(format!("{file}: the file contains no graph, only declarations that graphs use").into());
    };
    let (options, form) = options(model, picture, disk)?;
    let drawing = Drawing::new(model, &checked.trees, &options).map_err(|fault| explained(&fault, model))?;
    Ok(Drawn { text: text(&drawing, form), drawing, form })
}

/// Draws the steps of a stored run.
pub(super) fn steps(run: &str, picture: &Picture) -> Result<Drawn, Trouble> {
    let Picture { view, depth, node, flat, expand, hide, .. } = picture;
    if view.is_some() || depth.is_some() || node.is_some() || *flat || *expand || !hide.is_empty() {
        let why = "what is drawn of a graph can be chosen only where one is named: `render FILE --run RUN`";
        return Err(why.to_owned().into());
    }
    let drawing = run_path::steps(run, &picture.db)?;
    let form = form(picture.language)?.unwrap_or(DrawingFormat::Flow);
    Ok(Drawn { text: text(&drawing, form), drawing, form })
}

fn text(drawing: &Drawing, form: DrawingFormat) -> String {
    match form {
        DrawingFormat::State => state(drawing),
        DrawingFormat::Flow => flow(drawing),
        DrawingFormat::Dot => dot(drawing),
    }
}

fn form(language: Option<Language>) -> Result<Option<DrawingFormat>, String> {
    Ok(Some(match language {
        Some(Language::State) => DrawingFormat::State,
        Some(Language::Flow) => DrawingFormat::Flow,
        Some(Language::Dot) => DrawingFormat::Dot,
        Some(Language::Svg | Language::Png) => return Err(PAINTED.to_owned()),
        None => return Ok(None),
    }))
}

fn options(model: &Model, picture: &Picture, disk: &mut Disk) -> Result<(Options, DrawingFormat), Trouble> {
    let (mut options, mut form) = match &picture.view {
        Some(name) => view(model.root(), name)?,
        None => (Options::default(), DrawingFormat::default()),
    };
    if let Some(depth) = picture.depth {
        options.opening = Opening::Depth(usize::from(depth));
    }
    if let Some(name) = &picture.node {
        options.focus = Focus::Named(name.clone());
    }
    if let Some(run) = &picture.run {
        options.path = Some(run_path::of(run, &picture.db, model, disk)?);
    }
    form = self::form(picture.language)?.unwrap_or(form);
    options.flat |= picture.flat;
    options.expand |= picture.expand;
    options.errors &= !picture.hide.contains(&Hidden::Errors);
    Ok((options, form))
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
