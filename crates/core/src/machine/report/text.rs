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

/// The length of values in a line.
#[derive(Clone, Copy)]
struct Wording {
    /// The longest piece of a value, in characters.
    chars: usize,
    /// Lists and maps larger than this, in bytes, are only counted.
    bytes: usize,
}

/// Values are cut.
const SHORT: Wording = Wording { chars: MAX_VALUE_CHARS, bytes: MAX_SHOWN_VALUE_BYTES };

/// Values are whole.
const WHOLE: Wording = Wording { chars: usize::MAX, bytes: usize::MAX };

/// An event in one line, without its number and time: `think -> act, spent rounds`. `graph_of_frame` gives the number of a
/// frame's graph.
#[must_use]
pub fn event_text(program: &Program, graph_of_frame: impl Fn(u32) -> u32, event: &Event) -> String {
    line(program, graph_of_frame, event, SHORT)
}

/// The same with values as they are, however long.
#[must_use]
pub fn event_text_whole(program: &Program, graph_of_frame: impl Fn(u32) -> u32, event: &Event) -> String {
    line(program, graph_of_frame, event, WHOLE)
}

fn line(program: &Program, graph_of_frame: impl Fn(u32) -> u32, event: &Event, wording: Wording) -> String {
    let names = GraphNames::new(program, graph_of(event, graph_of_frame));
    let line = wording.kind(names, &event.kind);
    if event.frame == 0 { line } else { format!("[{} {}] {line}", names.graph(), event.frame) }
}

impl Wording {
    fn kind(self, names: GraphNames<'_>, kind: &EventKind) -> String {
        match kind {
            EventKind::Started { start, .. } => {
                format!("run {} started with {}", start.run, self.shown(&Value::Map(start.input.clone())))
            }
            EventKind::Opened { input, .. } => format!("opened with {}", self.shown(input)),
            EventKind::Crossed { node, changes } => {
                format!("into {}{}", names.node(*node), self.changed(names, changes))
            }
            EventKind::Entered { node, visit, changes } => {
                let again = if *visit > 1 { format!(", visit {visit}") } else { String::new() };
                format!("at {}{again}{}", names.node(*node), self.changed(names, changes))
            }
            EventKind::Completed { node, changes } => {
                format!("{} done{}", names.node(*node), self.changed(names, changes))
            }
            EventKind::Failed { node, error, changes } => {
                format!(
                    "{} failed: {}{}",
                    names.node(*node),
                    self.error_text(error),
                    self.changed(names, changes)
                )
            }
            EventKind::Took { edge, changes } => {
                let (from, to) = names.ends(*edge);
                format!("{from} -> {to}{}", self.changed(names, changes))
            }
            EventKind::Charged(spend) => format!("charged {} by {}", names.spent(spend), names.amount(spend)),
            EventKind::Retrying { node, attempt, until } => {
                format!("{} tries again, attempt {attempt}, at {}", names.node(*node), timestamp(*until))
            }
            EventKind::Waiting { node, until } => {
                format!("{} sleeps until {}", names.node(*node), timestamp(*until))
            }
            EventKind::Closed { outcome, ok, output } => self.ended(outcome, *ok, output),
            EventKind::Done(done) if done.error.is_null() => self.ended(&done.outcome, done.ok, &done.output),
            EventKind::Done(done) => format!("ended: {}", self.error_text(&done.error)),
            _ => self.exchange(kind),
        }
    }

    fn exchange(self, kind: &EventKind) -> String {
        match kind {
            EventKind::Called(call) => self.called(call),
            EventKind::Resolved { outcome, .. } => self.outcome_text(outcome),
            EventKind::Late { outcome, .. } => format!("too late: {}", self.outcome_text(outcome)),
            EventKind::Abandoned { call } => format!("call {} given up", call.0),
            EventKind::Asked(ask) => format!("{} asks: {}", ask.node, self.cut(&ask.text)),
            EventKind::Answered { answer, .. } => format!("a person answered {}", self.shown(answer)),
            other => other.name().to_owned(),
        }
    }

    fn called(self, call: &Call) -> String {
        let attempt = if call.attempt > 1 { format!(", attempt {}", call.attempt) } else { String::new() };
        match &call.request {
            Request::Model { role, .. } => format!("{} asks the model {role}{attempt}", call.node),
            Request::Tool { tool, args, .. } => {
                format!("{} calls {tool} with {}{attempt}", call.node, self.shown(&Value::Map(args.clone())))
            }
        }
    }

    fn outcome_text(self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Answer { value, attempts, .. } => {
                format!("answer {}{}", self.shown(value), attempts_text(attempts))
            }
            Outcome::Failed { kind, message, attempts, .. } => {
                format!("{kind}: {}{}", self.cut(message), attempts_text(attempts))
            }
            Outcome::Unknown { message } => format!("unknown whether it took place: {}", self.cut(message)),
        }
    }

    fn ended(self, outcome: &str, ok: bool, output: &Value) -> String {
        let failed = if ok { "" } else { " (failed)" };
        let nothing = output.is_null() || output.as_map().is_some_and(crate::value::Map::is_empty);
        let output = if nothing { String::new() } else { format!(" with {}", self.shown(output)) };
        format!("ended: {outcome}{failed}{output}")
    }

    fn error_text(self, error: &Value) -> String {
        let field = |name: &str| error.as_map().and_then(|map| map.get(name)).and_then(Value::as_str);
        match (field("kind"), field("message")) {
            (Some(kind), Some(message)) => format!("{kind}: {}", self.cut(message)),
            (Some(kind), None) => kind.to_owned(),
            _ => self.shown(error),
        }
    }

    /// The changes of a unit, after a comma; empty for nothing.
    fn changed(self, names: GraphNames<'_>, changes: &Changes) -> String {
        let writes = changes.writes().map(|write| {
            let sign = if write.append { "+=" } else { "=" };
            format!("{} {sign} {}", names.place(write), self.shown(&write.value))
        });
        let spends = changes.spends().map(|spend| match spend.amount {
            1 => format!("spent {}", names.spent(spend)),
            _ => format!("spent {} by {}", names.spent(spend), names.amount(spend)),
        });
        let emits =
            changes.emits().map(|emit| format!("emitted {} {}", emit.name, self.shown(&emit.payload)));
        writes.chain(spends).chain(emits).fold(String::new(), |line, part| line + ", " + &part)
    }

    /// A value as short JSON.
    fn shown(self, value: &Value) -> String {
        match value {
            Value::Str(text) => self
                .cut(&format!("{:?}", text.chars().take(self.chars.saturating_add(1)).collect::<String>())),
            // Writing a large value out only to cut it would make lines as slow as the state is large.
            Value::List(list) if value.size_estimate() > self.bytes => {
                format!("a list of {} items", list.len())
            }
            Value::Map(map) if value.size_estimate() > self.bytes => {
                format!("a map of {} entries", map.len())
            }
            value => self.cut(&value.to_json().to_string()),
        }
    }

    /// A text on one line, cut where it is long.
    fn cut(self, text: &str) -> String {
        let mut short: String =
            text.chars().take(self.chars).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if text.chars().nth(self.chars).is_some() {
            short.push('…');
        }
        short
    }
}
