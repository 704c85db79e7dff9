//! Errors as values: `{kind, class, message, details, attempt}`.

use super::snapshot::NodeExit;
use crate::program::error::{ErrorKind, UNKNOWN};
use crate::program::exec::Exec;
use crate::program::graph::GraphCode;
use crate::program::op::OpId;
use crate::program::{Program, Stop, StopKind};
use crate::value::{Map, Str, Value};

/// The class of a kind: the language's, then the graph's own. A kind nobody declared is recoverable.
pub(super) fn class_of(graph: &GraphCode, kind: &str) -> Str {
    // The outcome nobody knows is no error of the language: only the machine gives it a name.
    if kind == UNKNOWN {
        return UNKNOWN.into();
    }
    ErrorKind::named(kind)
        .map(|kind| kind.class().name().into())
        .or_else(|| graph.errors.iter().find(|(k, _)| k == kind).map(|(_, class)| class.clone()))
        .unwrap_or_else(|| "recoverable".into())
}

/// Builds an error.
pub(super) fn error(
    graph: &GraphCode,
    kind: impl Into<Str>,
    message: impl Into<Str>,
    details: Value,
    attempt: u32,
) -> Value {
    let kind = kind.into();
    let class = class_of(graph, &kind);
    let mut map = Map::with_room(5);
    map.set("kind", kind);
    map.set("class", class);
    map.set("message", message.into());
    map.set("details", details);
    map.set("attempt", i64::from(attempt));
    Value::Map(map)
}

/// A field of an error as text.
pub(super) fn text<'a>(error: &'a Value, field: &str) -> &'a str {
    error.as_map().and_then(|m| m.get(field)).and_then(Value::as_str).unwrap_or("")
}

/// The exit of a node whose statement list stopped.
pub(super) fn exit(graph: &GraphCode, lane: u32, stop: Stop) -> NodeExit {
    match stop.into_kind() {
        StopKind::Error { kind, message, .. } => NodeExit::Error(error(graph, kind, message, Value::Null, 1)),
        StopKind::Exhausted { budget, key, .. } => NodeExit::Exhausted { lane, budget, key },
    }
}

/// The value of `error` after an exit, null for success.
pub(super) fn shown(
    program: &Program,
    graph_of: impl Fn(u32) -> u32,
    own: &GraphCode,
    exit: &NodeExit,
) -> Value {
    match exit {
        NodeExit::Done => Value::Null,
        NodeExit::Error(value) | NodeExit::Unknown(_, value) => value.clone(),
        NodeExit::Exhausted { lane, budget, key } => {
            let graph = &program.graphs[graph_of(*lane) as usize];
            let name = &graph.budgets[*budget as usize].name;
            let mut details = Map::new();
            details.set("budget", name.clone());
            details.set("key", key.clone());
            let message = format!("the budget {name} is used up");
            error(own, ErrorKind::BudgetExhausted, message, Value::Map(details), 1)
        }
    }
}

/// An error of the evaluation of an operation.
pub(super) fn stop(exec: &Exec<'_>, kind: ErrorKind, op: OpId, message: impl Into<Str>) -> Stop {
    Stop::error(kind, message, exec.program.op_spans[op.0 as usize])
}

/// A value in a few characters.
pub(super) fn short(value: &Value) -> String {
    const MAX_CHARS: usize = 60;
    let text = value.to_json().to_string();
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
