//! Which tools a program may call.

use std::collections::BTreeSet;

use crate::program::Program;
use crate::program::graph::{NameCode, NodeKind, ToolCode};
use crate::value::Str;

/// The tools of `ungranted` that the program may call: those it names, and all of them if it may name any.
#[must_use]
pub fn missing(program: &Program, ungranted: Vec<Str>) -> Vec<Str> {
    let any = |tool: &ToolCode| matches!(tool.tool, NameCode::Computed(_)) && tool.allow.is_empty();
    if tools(program).any(any) {
        return ungranted;
    }
    let named = named(program);
    ungranted.into_iter().filter(|name| named.contains(name.as_str())).collect()
}

/// The tools that the program names.
#[must_use]
pub fn named(program: &Program) -> BTreeSet<&str> {
    let mut named = BTreeSet::new();
    for tool in tools(program) {
        match &tool.tool {
            NameCode::Fixed(name) => {
                named.insert(name.as_str());
            }
            NameCode::Computed(_) => named.extend(tool.allow.iter().map(Str::as_str)),
        }
    }
    named
}

fn tools(program: &Program) -> impl Iterator<Item = &ToolCode> {
    program.graphs.iter().flat_map(|graph| &graph.nodes).filter_map(|node| match &node.kind {
        NodeKind::Tool(tool) => Some(&**tool),
        _ => None,
    })
}
