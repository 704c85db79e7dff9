//! `render`.

use serde::Deserialize;
use serde_json::json;

use super::files::{FileMap, findings_schema, schema};
use super::{CommandInfo, CommandReply};
use crate::app::{DrawError, DrawableGraph, DrawingRequest, PictureFormat, picture};
use crate::render::DrawingFormat;
use crate::source::Sources;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the request")]
pub(super) struct RenderArguments {
    files: FileMap,
    graph: Option<String>,
    #[serde(rename = "as")]
    form: Option<DrawingLanguage>,
    view: Option<String>,
    depth: Option<u16>,
    node: Option<String>,
    #[serde(default)]
    flat: bool,
    #[serde(default)]
    expand: bool,
    #[serde(default)]
    hide_errors: bool,
    #[serde(default)]
    merge: bool,
    direction: Option<DrawingDirection>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum DrawingDirection {
    Tb,
    Lr,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum DrawingLanguage {
    State,
    Flow,
    Dot,
    Svg,
}

pub(super) fn info() -> CommandInfo {
    CommandInfo {
        title: "Draw a graph",
        description: "Draws a graph file as text: a Mermaid `stateDiagram-v2` or `flowchart`, DOT for Graphviz, or a picture as SVG. Only a graph \
                      without errors is drawn; of another its findings are returned.",
        input: json!({
            "type": "object",
            "properties": {
                "files": schema("The graph file, and all files that it names."),
                "graph": {"type": "string", "description": "The file that is drawn, if several hold a graph."},
                "as": {"enum": ["state", "flow", "dot", "svg"], "description": "The language; by default `state`."},
                "view": {"type": "string", "description": "A view that the graph declares."},
                "depth": {"type": "integer", "minimum": 1, "maximum": u16::MAX, "description": "Draw so many levels of nodes."},
                "node": {"type": "string", "description": "Draw one composite, or one called graph, alone."},
                "flat": {"type": "boolean", "description": "Draw no boxes."},
                "expand": {"type": "boolean", "description": "Draw called graphs inside the nodes that call them."},
                "hide_errors": {"type": "boolean", "description": "Leave out edges on errors, time-outs and used-up budgets."},
                "merge": {"type": "boolean", "description": "Join the arrows between two nodes."},
                "direction": {"enum": ["TB", "LR"], "description": "From top to bottom, or from left to right; by default that of the view."},
            },
            "required": ["files"],
            "additionalProperties": false,
        }),
        output: json!({
            "type": "object",
            "properties": {
                "findings": findings_schema(),
                "as": {"enum": ["state", "flow", "dot", "svg"]},
                "text": {"type": "string", "description": "The drawing."},
                "parts": {"type": "array", "items": {"type": "string"}, "description": "Of a drawing of more than 40 nodes the composites for `node`: with `depth` 1 they are an overview."},
            },
        }),
    }
}

pub(super) fn run(arguments: RenderArguments) -> Result<CommandReply, String> {
    let mut files = arguments.files.files()?;
    let graph = arguments.files.graph(arguments.graph)?;
    if arguments.depth == Some(0) {
        return Err("`depth` is 0; draw at least 1 level".to_owned());
    }
    let paints = matches!(arguments.form, Some(DrawingLanguage::Svg));
    let request = DrawingRequest {
        form: arguments.form.and_then(|form| match form {
            DrawingLanguage::State => Some(DrawingFormat::State),
            DrawingLanguage::Flow => Some(DrawingFormat::Flow),
            DrawingLanguage::Dot => Some(DrawingFormat::Dot),
            DrawingLanguage::Svg => None,
        }),
        view: arguments.view,
        depth: arguments.depth.map(usize::from),
        node: arguments.node,
        flat: arguments.flat,
        expand: arguments.expand,
        hides_errors: arguments.hide_errors,
        merge: arguments.merge,
        across: arguments.direction.map(|direction| direction == DrawingDirection::Lr),
    };
    let mut sources = Sources::new();
    match DrawableGraph::read(&graph, &mut sources, &mut files) {
        Ok(graph) => {
            let drawn = graph.draw(&request, None)?;
            let (form, text) = if paints {
                let bytes = picture(&drawn.drawing, PictureFormat::Svg)?;
                ("svg", String::from_utf8_lossy(&bytes).into_owned())
            } else {
                let form = match drawn.form {
                    DrawingFormat::State => "state",
                    DrawingFormat::Flow => "flow",
                    DrawingFormat::Dot => "dot",
                };
                (form, drawn.text)
            };
            let mut structured = json!({"as": form, "text": text});
            if let Some(parts) = drawn.drawing.parts() {
                structured["parts"] = json!(parts);
            }
            Ok(CommandReply::done(text, structured))
        }
        Err(DrawError::Findings(findings)) => Ok(CommandReply::not_done("not drawn", &findings, &sources)),
        Err(DrawError::Request(why)) => Err(why),
    }
}
