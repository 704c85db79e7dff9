//! The tools of a run, as they were described at its start.

use crate::value::{List, Map, Value};

/// The tool of that name in a catalogue.
pub(crate) fn in_catalogue<'t>(tools: &'t List, name: &str) -> Option<&'t Map> {
    tools.iter().filter_map(Value::as_map).find(|tool| tool.get("name").is_some_and(|own| own.is_str(name)))
}
