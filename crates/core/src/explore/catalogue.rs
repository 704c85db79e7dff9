//! The tools on offer while a graph is explored.

use super::uses::ValueUses;
use crate::model::Model;
use crate::model::node::{NameSource, NodeKind};
use crate::model::types::Kind;
use crate::program::Program;
use crate::scenario::{plain_tool, with_named_tools, with_tools};
use crate::value::{List, Str, Value};

/// A tool that is offered where a graph computes names and no tool has one.
const ANY_TOOL: &str = "tool";

/// The tools on offer: those that are given, those that graphs name wherever a name becomes that of a tool, and one of any name where a
/// graph computes names and nothing is known of them.
pub(super) fn catalogue(model: &Model, program: &Program, uses: &ValueUses, given: &List) -> List {
    let mut list = with_named_tools(given.clone(), program);
    let mut computes = false;
    let mut names: Vec<Str> = Vec::new();
    for node in model.graphs.iter().flat_map(|graph| graph.graph.node_weights()) {
        let NodeKind::Tool(own) = &node.kind else { continue };
        let NameSource::Computed(name) = &own.tool else { continue };
        computes = true;
        names.extend(own.allow.iter().map(|name| name.value.clone()));
        if let Kind::Enum(members) = &name.ty.kind {
            names.extend(members.members.iter().cloned());
        }
    }
    if computes && given.is_empty() {
        let known = uses.regions.get(uses.tool_names);
        let written = known.constants.iter().filter_map(Value::as_str).map(Str::from);
        names.extend(written.filter(|name| !name.is_empty()));
    }
    names.sort_unstable();
    list = with_tools(list, &names);
    if list.is_empty() && computes {
        list.push(plain_tool(ANY_TOOL.into()));
    }
    list
}

/// The name of a tool of a catalogue.
pub(super) fn name_of(tool: &Value) -> Option<Str> {
    tool.as_map().and_then(|tool| tool.get("name")?.as_str()).map(Str::from)
}
