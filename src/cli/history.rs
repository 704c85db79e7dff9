//! `log`: the events of a kept run.

use std::fmt::Write;

use super::args::{Log, LogFormat};
use super::kept::{self, KeptRun};
use super::{Exit, screen};
use crate::machine::{Event, Outcome, event_json, event_text, timestamp};
use crate::port::{Cause, Entry};
use crate::program::Program;
use crate::scenario::Walk;

pub(super) fn run(args: &Log) -> Exit {
    kept::look(async {
        let kept = KeptRun::find(&args.db, &args.run).await?;
        let entries = kept.entries(&args.db).await?;
        Ok(screen::print(&text(&kept.program, &entries, args.format)))
    })
}

fn text(program: &Program, entries: &[Entry], format: LogFormat) -> String {
    let mut walk = Walk::new();
    let mut text = String::new();
    for entry in entries {
        if matches!(entry.cause, Cause::Back { .. }) {
            // Between two steps of the root graph no other graph runs.
            walk = Walk::new();
        }
        if let (Some(said), LogFormat::Human) = (by_hand(&entry.cause), format) {
            let _ = writeln!(text, "     -  {}  {}", timestamp(entry.at), screen::line(&said));
        }
        for event in &entry.events {
            walk.next(event);
            text += &line(program, &walk, event, format);
        }
    }
    text
}

/// What a person did with the run, which no event tells.
fn by_hand(cause: &Cause) -> Option<String> {
    match cause {
        Cause::Input(_) => None,
        Cause::Back { step, .. } => Some(format!("a person sent the run back to step {step}")),
        Cause::Undo { call } => Some(format!("the call {} is to be undone", call.0)),
        Cause::Undone { call, outcome: Outcome::Answer { .. } } => {
            Some(format!("the call {} was undone", call.0))
        }
        Cause::Undone { call, outcome: Outcome::Failed { message, .. } | Outcome::Unknown { message } } => {
            Some(format!("the call {} was not undone: {message}", call.0))
        }
    }
}

fn line(program: &Program, walk: &Walk, event: &Event, format: LogFormat) -> String {
    let graph_of = |frame: u32| walk.graph(frame);
    match format {
        LogFormat::Jsonl => format!("{}\n", event_json(program, graph_of, event)),
        LogFormat::Human => {
            let said = screen::line(&event_text(program, graph_of, event));
            format!("{:>6}  {}  {said}\n", event.seq, timestamp(event.at))
        }
    }
}
