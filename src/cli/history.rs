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
        if let (Some(described), LogFormat::Human) = (by_hand(&entry.cause), format) {
            let _ = writeln!(text, "     -  {}  {}", timestamp(entry.at), screen::line(&described));
        }
        for event in &entry.events {
            cursor.pass(event);
            text += &line(&cursor, event, format);
        }
    }
    text
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

fn line(cursor: &JournalCursor<'_>, event: &Event, format: LogFormat) -> String {
    let (program, graph_of) = (cursor.program(), |frame: u32| cursor.graph(frame));
    match format {
        LogFormat::Jsonl => screen::json_line(&event_json(program, graph_of, event)),
        LogFormat::Human => {
            let described = screen::line(&event_text(program, graph_of, event));
            format!("{:>6}  {}  {described}\n", event.seq, timestamp(event.at))
        }
    }
}
