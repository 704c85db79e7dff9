//! The text that a hook is told.

use serde_json::{Map, Value as Json};

use crate::config::HookEvent;
use crate::machine::{Event, event_json, run_id};
use crate::port::RunView;

/// The version of the text, under `v`. A field is never renamed or given another meaning within one version; new ones may
/// come.
const HOOK_VERSION: u32 = 1;

/// The longest text of an event, in bytes. A longer one is told without its data.
const MAX_EVENT_BYTES: usize = 256 << 10;

/// An event for hooks: `{v, hook, run, event}`, where `event` is what `--format jsonl` prints.
pub(super) fn message(kind: HookEvent, event: &Event, graph: u32, view: RunView<'_>) -> Map<String, Json> {
    let mut notice = Map::new();
    notice.insert("v".to_owned(), HOOK_VERSION.into());
    notice.insert("hook".to_owned(), kind.name().into());
    notice.insert("run".to_owned(), run_id(view.snapshot).as_str().into());
    let whole = event_json(view.program, |_| graph, event);
    let (text, short) =
        if whole.to_string().len() > MAX_EVENT_BYTES { (shortened(&whole), true) } else { (whole, false) };
    notice.insert("event".to_owned(), text);
    if short {
        notice.insert("shortened".to_owned(), true.into());
    }
    notice
}

/// The fields that every event has.
fn shortened(event: &Json) -> Json {
    let fields = ["v", "seq", "at", "frame", "graph", "type", "call", "node", "outcome", "ok"];
    let own = fields.into_iter().filter_map(|field| {
        let value = event.get(field).filter(|value| !value.is_object() && !value.is_array())?;
        Some((field.to_owned(), value.clone()))
    });
    Json::Object(own.collect())
}
