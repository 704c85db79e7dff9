//! From a file and flags to a drawing.

use super::run_path;
use super::trouble::Trouble;
use crate::cli::args::{Direction, Hidden, Language, Picture};
use crate::cli::files::{Disk, Named};
use loopwright_core::app::{
    self, DrawError, DrawableGraph, DrawingRequest, DrawnGraph, PictureFormat, drawing_text,
};
use loopwright_core::render::DrawingFormat;
use loopwright_core::source::Sources;

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
    Ok(graph.draw(&request(picture), path)?)
}

/// Draws the steps of a stored run.
pub(super) fn steps(run: &str, picture: &Picture) -> Result<DrawnGraph, Trouble> {
    let Picture { view, depth, node, flat, expand, hide, merge, .. } = picture;
    if view.is_some() || depth.is_some() || node.is_some() || *flat || *expand || *merge || !hide.is_empty() {
        let why = "what is drawn of a graph can be chosen only where one is named: `render FILE --run RUN`";
        return Err(why.to_owned().into());
    }
    let mut drawing = run_path::steps(run, &picture.db)?;
    drawing.across = picture.direction != Some(Direction::Down);
    let form = form(picture.language).unwrap_or(DrawingFormat::Flow);
    Ok(DrawnGraph { text: drawing_text(&drawing, form), drawing, form })
}

/// The language that is asked for; a picture has none.
const fn form(language: Option<Language>) -> Option<DrawingFormat> {
    match language {
        Some(Language::State) => Some(DrawingFormat::State),
        Some(Language::Flow) => Some(DrawingFormat::Flow),
        Some(Language::Dot) => Some(DrawingFormat::Dot),
        Some(Language::Svg | Language::Png) | None => None,
    }
}

/// The picture that is asked for, if one is.
pub(super) fn painted(drawn: &DrawnGraph, language: Option<Language>) -> Result<Option<Vec<u8>>, String> {
    let format = match language {
        Some(Language::Svg) => PictureFormat::Svg,
        Some(Language::Png) => PictureFormat::Png,
        _ => return Ok(None),
    };
    app::picture(&drawn.drawing, format).map(Some)
}

fn request(picture: &Picture) -> DrawingRequest {
    DrawingRequest {
        form: form(picture.language),
        view: picture.view.clone(),
        depth: picture.depth.map(usize::from),
        node: picture.node.clone(),
        flat: picture.flat,
        expand: picture.expand,
        hides_errors: picture.hide.contains(&Hidden::Errors),
        merge: picture.merge,
        across: picture.direction.map(|direction| direction == Direction::Across),
    }
}
