//! The texts and the drawing of a graph as resources.

use crate::port::ProgramText;
use crate::serve::protocol::ServedResource;
use crate::serve::text_resource::TextResource;

/// The resources of a graph: each of its files as it was read, and its drawing.
#[must_use]
pub fn graph_resources(id: &str, text: &ProgramText, drawing: &str) -> Vec<Box<dyn ServedResource>> {
    let mut all: Vec<Box<dyn ServedResource>> = Vec::new();
    all.push(Box::new(TextResource {
        address: format!("loopwright://graphs/{id}/drawing"),
        name: format!("{id}.mmd"),
        title: format!("Drawing of {id}"),
        description: format!("The graph `{id}` as a Mermaid state diagram."),
        kind: "text/vnd.mermaid",
        text: drawing.to_owned(),
    }));
    for (at, (name, text)) in text.files.iter().enumerate() {
        // The path on the operator's machine is nobody else's business.
        let name = name.rsplit('/').next().unwrap_or(name).to_owned();
        let address = match at {
            0 => format!("loopwright://graphs/{id}/text"),
            _ => format!("loopwright://graphs/{id}/text/{at}"),
        };
        all.push(Box::new(TextResource {
            address,
            title: format!("{name} of {id}"),
            description: format!("A file that the graph `{id}` is made of."),
            name,
            kind: "text/plain",
            text: text.to_string(),
        }));
    }
    all
}
