//! Events as one line each.

use super::attempts::attempts_text;
use super::graph_of;
use super::names::GraphNames;
use super::time::timestamp;
use crate::machine::call::{Call, Outcome, Request};
use crate::machine::event::{Changes, Event, EventKind};
use crate::program::Program;
use crate::value::Value;

/// The longest piece of a value in a line, in characters.
const MAX_VALUE_CHARS: usize = 60;

/// Lists and maps larger than this, in bytes, are only counted.
const MAX_SHOWN_VALUE_BYTES: usize = 4096;

/// An event in one line, without its number and time: `think -> act, spent rounds`. `graph_of_frame` gives the number of a
/// frame's graph.
#[must_use]
pub fn event_text(program: &Program, graph_of_frame: impl Fn(u32) -> u32, event: &Event) -> String {
    let names = GraphNames::new(program, graph_of(event, graph_of_frame));
    let line = kind(names, &event.kind);
    if event.frame == 0 { line } else { format!("[{} {}] {line}", names.graph(), event.frame) }
}

fn kind(names: GraphNames<'_>, kind: &EventKind) -> String {
    match kind {
        EventKind::Started { start, .. } => {
            format!("run {} started with {}", start.run, shown(&Value::Map(start.input.clone())))
        }
        EventKind::Opened { input, .. } => format!("opened with {}", shown(input)),
        EventKind::Crossed { node, changes } => {
            format!("into {}{}", names.node(*node), changed(names, changes))
        }
        EventKind::Entered { node, visit, changes } => {
            let again = if *visit > 1 { format!(", visit {visit}") } else { String::new() };
            format!("at {}{again}{}", names.node(*node), changed(names, changes))
        }
        EventKind::Completed { node, changes } => {
            format!("{} done{}", names.node(*node), changed(names, changes))
        }
        EventKind::Failed { node, error, changes } => {
            format!("{} failed: {}{}", names.node(*node), error_text(error), changed(names, changes))
        }
        EventKind::Took { edge, changes } => {
            let (from, to) = names.ends(*edge);
            format!("{from} -> {to}{}", changed(names, changes))
        }
        EventKind::Charged(spend) => format!("charged {} by {}", names.spent(spend), spend.amount),
        EventKind::Retrying { node, attempt, until } => {
            format!("{} tries again, attempt {attempt}, at {}", names.node(*node), timestamp(*until))
        }
        EventKind::Waiting { node, until } => {
            format!("{} sleeps until {}", names.node(*node), timestamp(*until))
        }
        EventKind::Closed { outcome, ok, output } => ended(outcome, *ok, output),
        EventKind::Done(done) if done.error.is_null() => ended(&done.outcome, done.ok, &done.output),
        EventKind::Done(done) => format!("ended: {}", error_text(&done.error)),
        _ => exchange(kind),
    }
}

fn exchange(kind: &EventKind) -> String {
    match kind {
        EventKind::Called(call) => called(call),
        EventKind::Resolved { outcome, .. } => outcome_text(outcome),
        EventKind::Late { outcome, .. } => format!("too late: {}", outcome_text(outcome)),
        EventKind::Abandoned { call } => format!("call {} given up", call.0),
        EventKind::Asked(ask) => format!("{} asks: {}", ask.node, cut(&ask.text)),
        EventKind::Answered { answer, .. } => format!("a person answered {}", shown(answer)),
        other => other.name().to_owned(),
    }
}

fn called(call: &Call) -> String {
    let attempt = if call.attempt > 1 { format!(", attempt {}", call.attempt) } else { String::new() };
    match &call.request {
        Request::Model { role, .. } => format!("{} asks the model {role}{attempt}", call.node),
        Request::Tool { tool, args, .. } => {
            format!("{} calls {tool} with {}{attempt}", call.node, shown(&Value::Map(args.clone())))
        }
    }
}

fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answer { value, attempts, .. } => {
            format!("answer {}{}", shown(value), attempts_text(attempts))
        }
        Outcome::Failed { kind, message, attempts, .. } => {
            format!("{kind}: {}{}", cut(message), attempts_text(attempts))
        }
        Outcome::Unknown { message } => format!("unknown whether it took place: {}", cut(message)),
    }
}

fn ended(outcome: &str, ok: bool, output: &Value) -> String {
    let failed = if ok { "" } else { " (failed)" };
    let nothing = output.is_null() || output.as_map().is_some_and(crate::value::Map::is_empty);
    let output = if nothing { String::new() } else { format!(" with {}", shown(output)) };
    format!("ended: {outcome}{failed}{output}")
}

fn error_text(error: &Value) -> String {
    let field = |name: &str| error.as_map().and_then(|map| map.get(name)).and_then(Value::as_str);
    match (field("kind"), field("message")) {
        (Some(kind), Some(message)) => format!("{kind}: {}", cut(message)),
        (Some(kind), None) => kind.to_owned(),
        _ => shown(error),
    }
}

/// The changes of a unit, after a comma; empty for nothing.
fn changed(names: GraphNames<'_>, changes: &Changes) -> String {
    let writes = changes.writes().map(|write| {
        let sign = if write.append { "+=" } else { "=" };
        format!("{} {sign} {}", names.place(write), shown(&write.value))
    });
    let spends = changes.spends().map(|spend| match spend.amount {
        1 => format!("spent {}", names.spent(spend)),
        amount => format!("spent {} by {amount}", names.spent(spend)),
    });
    let emits = changes.emits().map(|emit| format!("emitted {} {}", emit.name, shown(&emit.payload)));
    writes.chain(spends).chain(emits).fold(String::new(), |line, part| line + ", " + &part)
}

/// A value as short JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::Str(text) => cut(&format!("{:?}", text.chars().take(MAX_VALUE_CHARS + 1).collect::<String>())),
        // Writing a large value out only to cut it would make lines as slow as the state is large.
        Value::List(list) if value.size_estimate() > MAX_SHOWN_VALUE_BYTES => {
            format!("a list of {} items", list.len())
        }
        Value::Map(map) if value.size_estimate() > MAX_SHOWN_VALUE_BYTES => {
            format!("a map of {} entries", map.len())
        }
        value => cut(&value.to_json().to_string()),
    }
}

/// A text on one line, cut where it is long.
fn cut(text: &str) -> String {
    let mut short: String =
        text.chars().take(MAX_VALUE_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MAX_VALUE_CHARS).is_some() {
        short.push('…');
    }
    short
}
