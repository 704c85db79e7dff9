//! From a file and flags to a drawing.

use super::run_path;
use super::trouble::Trouble;
use crate::cli::args::{Hidden, Language, Picture};
use crate::cli::files::{Disk, Named};
use loopwright_core::app::{DrawError, DrawableGraph, DrawingRequest, DrawnGraph, drawing_text};
use loopwright_core::render::DrawingFormat;
use loopwright_core::source::Sources;

/// The answer to a request for an image.
const PAINTED: &str = "drawings are text: `--as state` and `--as flow` for Mermaid, `--as dot` for Graphviz, \
which makes images of it: `loopwright render FILE --as dot | dot -Tsvg`";

/// Draws a graph file; `from` is the document that names it, if one does. Only a graph without errors is drawn.
pub(super) fn draw(
    from: Option<&str>,
    file: &str,
    picture: &Picture,
    disk: &mut Disk,
) -> Result<DrawnGraph, Trouble> {
    let mut sources = Sources::new();
    let graph = DrawableGraph::read(file, &mut sources, &mut Named { from, disk });
    let graph = graph.map_err(|error| match error {
        DrawError::Findings(findings) => Trouble::Findings(findings, Box::new(sources)),
        DrawError::Request(why) => Trouble::Usage(why),
    })?;
    let path = match &picture.run {
        Some(run) => Some(run_path::of(run, &picture.db, graph.model(), disk)?),
        None => None,
    };
    Ok(graph.draw(&request(picture)?, path)?)
}

/// Draws the steps of a stored run.
pub(super) fn steps(run: &str, picture: &Picture) -> Result<DrawnGraph, Trouble> {
    let Picture { view, depth, node, flat, expand, hide, .. } = picture;
    if view.is_some() || depth.is_some() || node.is_some() || *flat || *expand || !hide.is_empty() {
        let why = "what is drawn of a graph can be chosen only where one is named: `render FILE --run RUN`";
        return Err(why.to_owned().into());
    }
    let drawing = run_path::steps(run, &picture.db)?;
    let form = form(picture.language)?.unwrap_or(DrawingFormat::Flow);
    Ok(DrawnGraph { text: drawing_text(&drawing, form), drawing, form })
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

fn request(picture: &Picture) -> Result<DrawingRequest, String> {
    Ok(DrawingRequest {
        form: form(picture.language)?,
        view: picture.view.clone(),
        depth: picture.depth.map(usize::from),
        node: picture.node.clone(),
        flat: picture.flat,
        expand: picture.expand,
        hides_errors: picture.hide.contains(&Hidden::Errors),
    })
}
