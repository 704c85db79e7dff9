//! `log`: the events of a stored run.

use std::fmt::Write;

use super::args::{Log, LogFormat, runs_place};
use super::{Exit, screen, stored_runs};
use loopwright_core::app::{JournalCursor, OpenRun};
use loopwright_core::machine::{Event, Outcome, event_json, event_text, timestamp};
use loopwright_core::port::{EntryCause, JournalEntry};

pub(super) fn run(args: &Log) -> Exit {
    stored_runs::look(async {
        let place = runs_place(args.engine.as_ref(), &args.db);
        let runs = stored_runs::open_at(args.engine.as_ref(), &args.db)?;
        let run = stored_runs::find_whole(runs, place, &args.run).await?;
        let entries = run.entries().await.map_err(|error| stored_runs::unread(place, &error))?;
        Ok(screen::print(&text(&run, &entries, args.format)))
    })
}

fn text(run: &OpenRun, entries: &[JournalEntry], format: LogFormat) -> String {
    let mut cursor = JournalCursor::new(run);
    let mut text = String::new();
    for entry in entries {
        cursor.enter(&entry.cause);
        // What an entry does in somebody's name is told once, where it begins.
        let mut by = entry.by.as_deref();
        if let (Some(described), LogFormat::Human) = (by_hand(&entry.cause), format) {
            let described = screen::line(&(described + &named(by.take())));
            let _ = writeln!(text, "     -  {}  {described}", timestamp(entry.at));
        }
        for event in &entry.events {
            cursor.pass(event);
            text += &line(&cursor, event, by.take(), format);
        }
    }
    text
}

/// The person in whose name something was done, if one is named.
fn named(by: Option<&str>) -> String {
    by.map_or_else(String::new, |by| format!(" (by {by})"))
}

/// An action of a person that no event reports.
fn by_hand(cause: &EntryCause) -> Option<String> {
    match cause {
        EntryCause::Input(_) => None,
        EntryCause::Back { step, .. } => Some(format!("a person sent the run back to step {step}")),
        EntryCause::Moved { program, .. } => {
            let short = program.get(..12).unwrap_or(program);
            Some(format!("the run went on with an edited graph, program {short}"))
        }
        EntryCause::Interrupted { signal, .. } => Some(format!("the run was interrupted by {signal}")),
        EntryCause::Resumed => Some("the run went on".to_owned()),
        EntryCause::Forked { of, step } => Some(format!("the run was begun where {of} was at step {step}")),
        EntryCause::Undo { call } => Some(format!("the call {} is to be undone", call.0)),
        EntryCause::Undone { call, outcome: Outcome::Answer { .. } } => {
            Some(format!("the call {} was undone", call.0))
        }
        EntryCause::Undone {
            call,
            outcome: Outcome::Failed { message, .. } | Outcome::Unknown { message },
        } => Some(format!("the call {} was not undone: {message}", call.0)),
    }
}

fn line(cursor: &JournalCursor<'_>, event: &Event, by: Option<&str>, format: LogFormat) -> String {
    let (program, graph_of) = (cursor.program(), |frame: u32| cursor.graph(frame));
    match format {
        LogFormat::Jsonl => {
            let mut document = event_json(program, graph_of, event);
            if let Some(by) = by {
                document["by"] = by.into();
            }
            screen::json_line(&document)
        }
        LogFormat::Human => {
            let described = screen::line(&(event_text(program, graph_of, event) + &named(by)));
            format!("{:>6}  {}  {described}\n", event.seq, timestamp(event.at))
        }
    }
}
