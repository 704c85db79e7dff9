//! Which tools a program may call.

use std::collections::BTreeSet;

use crate::program::Program;
use crate::program::graph::{NameCode, NodeKind};
use crate::value::Str;

/// The tools of `ungranted` that the program may call: those it names, and all of them if it may name any.
#[must_use]
pub fn missing(program: &Program, ungranted: Vec<Str>) -> Vec<Str> {
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for node in program.graphs.iter().flat_map(|graph| &graph.nodes) {
        let NodeKind::Tool(tool) = &node.kind else { continue };
        match &tool.tool {
            NameCode::Fixed(name) => {
                named.insert(name);
            }
            NameCode::Computed(_) if tool.allow.is_empty() => return ungranted,
            NameCode::Computed(_) => named.extend(tool.allow.iter().map(Str::as_str)),
        }
    }
    ungranted.into_iter().filter(|name| named.contains(name.as_str())).collect()
}
