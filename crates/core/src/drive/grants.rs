//! The tools a program may call.

use std::collections::BTreeSet;

use crate::port::ToolHost;
use crate::program::Program;
use crate::program::graph::{LinkedNodeKind, NameCode, ToolCode};
use crate::value::Str;

/// The tools that are not granted and that the program may call: those it names, and all of them if it may name any;
/// and those that are called on their behalf.
#[must_use]
pub fn missing(program: &Program, host: &dyn ToolHost) -> Vec<Str> {
    let ungranted = host.ungranted();
    if names_any(program) {
        return ungranted;
    }
    let mut wanted: BTreeSet<Str> = named(program).into_iter().map(Str::from).collect();
    let companions: Vec<Str> = wanted.iter().flat_map(|tool| host.companions(tool)).collect();
    wanted.extend(companions);
    ungranted.into_iter().filter(|name| wanted.contains(name)).collect()
}

/// Returns true if the program may name any tool: it computes the name, and allows all.
#[must_use]
pub fn names_any(program: &Program) -> bool {
    tools(program).any(|tool| matches!(tool.tool, NameCode::Computed(_)) && tool.allow.is_empty())
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
        LinkedNodeKind::Tool(tool) => Some(&**tool),
        _ => None,
    })
}
