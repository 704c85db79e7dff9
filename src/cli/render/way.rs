//! The way of a run, from the events it printed.

use std::fs::File;
use std::io::{BufRead, BufReader};

use serde_json::Value as Json;

use crate::cli::files::reason;
use crate::machine::REPORT_VERSION;
use crate::model::{Graph, Model};
use crate::render::Path;

/// Reads a file of events, one a line.
pub(super) fn read(file: &str, model: &Model) -> Result<Path, String> {
    let open = File::open(file).map_err(|error| format!("{file}: {}", reason(&error)))?;
    let mut path = Path::default();
    for (line, text) in (1..).zip(BufReader::new(open).lines()) {
        let text = text.map_err(|error| format!("{file}: {}", reason(&error)))?;
        if !text.trim().is_empty() {
            event(&text, model, &mut path).map_err(|why| format!("{file}:{line}: {why}"))?;
        }
    }
    Ok(path)
}

fn event(text: &str, model: &Model, path: &mut Path) -> Result<(), String> {
    let event: Json = serde_json::from_str(text).map_err(|_| "this is no event of a run".to_owned())?;
    let word = |key: &str| event.get(key).and_then(Json::as_str);
    let (Some(kind), Some(id)) = (word("type"), word("graph")) else {
        return Err("this is no event of a run".to_owned());
    };
    if event.get("v").and_then(Json::as_u64) != Some(u64::from(REPORT_VERSION)) {
        return Err(format!("the event is not of version {REPORT_VERSION}"));
    }
    let graphs = || model.graphs.iter().filter(|graph| graph.id.as_str() == id);
    match (kind, word("node"), word("from"), word("to"), event.get("edge").and_then(Json::as_u64)) {
        ("entered" | "crossed", Some(node), ..) => {
            if !graphs().any(|graph| has_node(graph, node)) {
                return Err(format!(
                    "the graph has no node `{node}` of `{id}`: this is the run of another graph"
                ));
            }
            path.enter(id, node);
        }
        ("took", _, Some(from), Some(to), Some(edge)) => {
            let edge = usize::try_from(edge).unwrap_or(usize::MAX);
            if !graphs().any(|graph| leads(graph, edge, from, to)) {
                let edge = format!("edge {edge} of `{id}` does not lead from `{from}` to `{to}`");
                return Err(format!("{edge}: this is the run of another graph, or of an older one"));
            }
            path.take(id, edge);
        }
        _ => {}
    }
    Ok(())
}

fn has_node(graph: &Graph, name: &str) -> bool {
    graph.graph.node_weights().any(|node| node.name.as_str() == name)
}

fn leads(graph: &Graph, edge: usize, from: &str, to: &str) -> bool {
    let ends = graph.graph.raw_edges().get(edge).map(|edge| (edge.source(), edge.target()));
    ends.is_some_and(|(a, b)| graph.graph[a].name.as_str() == from && graph.graph[b].name.as_str() == to)
}
