//! `log`: the events of a stored run.

use std::time::Duration;

use super::args::{Log, LogFormat, runs_place};
use super::{Exit, screen, stored_runs};
use loopwright_core::app::{JournalCursor, OpenRun, Runs};
use loopwright_core::diag::nearest_of_unsorted;
use loopwright_core::machine::{
    Event, EventKind, EventPlace, Outcome, Time, event_json, event_text, event_text_whole, timestamp,
};
use loopwright_core::port::{EntryCause, JournalEntry};

/// The greatest number of entries that are read at once.
const MAX_READ: u32 = 1_000;

/// The pause between two looks at a run that is followed.
const LOOK: Duration = Duration::from_millis(300);

/// The columns before the text of an event: its number, the time, and two spaces after each.
const MARGIN: usize = 22;

/// A second, and a day, in nanoseconds.
const SECOND_NS: i64 = 1_000_000_000;
const DAY_NS: i64 = 86_400 * SECOND_NS;

pub(super) fn run(args: &Log) -> Exit {
    stored_runs::look(async {
        let place = runs_place(args.engine.as_ref(), &args.db);
        let runs = stored_runs::open_at(args.engine.as_ref(), &args.db)?;
        let run = stored_runs::find_whole(runs.clone(), place, &args.run).await?;
        let entries = run.entries().await.map_err(|error| stored_runs::unread(place, &error))?;
        if let Some(node) = &args.node {
            known(&run, node)?;
        }
        let mut printer = LogPrinter::new(args);
        let mut cursor = JournalCursor::new(&run);
        let text = entries.iter().map(|entry| printer.entry(&mut cursor, entry)).collect::<String>();
        let exit = screen::print(&text);
        if args.follow && !has_ended(entries.last()) {
            return follow(args, &runs, printer, entries.len()).await;
        }
        Ok(exit)
    })
}

/// Prints what is added to the journal, until the run has ended.
async fn follow(args: &Log, runs: &Runs, mut printer: LogPrinter<'_>, before: usize) -> Result<Exit, Exit> {
    let place = runs_place(args.engine.as_ref(), &args.db);
    let mut seen = u64::try_from(before).unwrap_or(u64::MAX);
    loop {
        // Whoever goes on with an edited graph adds a program: the run is opened again.
        let run = stored_runs::find_whole(runs.clone(), place, &args.run).await?;
        let mut cursor = JournalCursor::new(&run);
        let mut next = 0;
        loop {
            let entries = run.store.entries_from(&args.run, next, MAX_READ).await;
            let entries = entries.map_err(|error| stored_runs::refuse(place, &error))?;
            if entries.iter().any(|entry| leads_elsewhere(&run, &entry.cause)) {
                break;
            }
            for entry in &entries {
                let text = printer.entry(&mut cursor, entry);
                if next >= seen {
                    screen::print(&text);
                }
                next += 1;
            }
            seen = seen.max(next);
            if next == seen && has_ended(entries.last()) {
                return Ok(Exit::Ok);
            }
            if entries.is_empty() {
                tokio::time::sleep(LOOK).await;
            }
        }
    }
}

/// True where an event is one of a node: of its entry, its work, or the edge by which it is left.
fn is_of(cursor: &JournalCursor<'_>, place: &EventPlace, event: &Event, node: &str) -> bool {
    if matches!(event.kind, EventKind::Started { .. } | EventKind::Opened { .. }) {
        return false;
    }
    let graph = cursor.program().graphs.get(place.graph as usize);
    let at = graph.and_then(|graph| graph.nodes.get(place.enters.unwrap_or(place.node) as usize));
    at.is_some_and(|at| at.name == node)
}

/// True where the run goes on by a program that was not known when it was opened.
fn leads_elsewhere(run: &OpenRun, cause: &EntryCause) -> bool {
    matches!(cause, EntryCause::Moved { program, .. } if run.by(program).is_none())
}

/// True where this is the entry in which a run ended.
fn has_ended(last: Option<&JournalEntry>) -> bool {
    last.is_some_and(|entry| entry.events.iter().any(|event| matches!(event.kind, EventKind::Done(_))))
}

/// Refuses a name that no node of the run has.
fn known(run: &OpenRun, node: &str) -> Result<(), Exit> {
    let names = || run.program.graphs.iter().flat_map(|graph| &graph.nodes).map(|node| node.name.as_str());
    if names().any(|name| name == node) {
        return Ok(());
    }
    let why = format!("--node: the run `{}` has no node `{node}`", run.info.run);
    Err(match nearest_of_unsorted(node, names()) {
        Some(name) => screen::refuse_with(&why, &format!("did you mean `{name}`?")),
        None => screen::refuse(&why),
    })
}

/// The events of a run as they are printed, one after the other.
struct LogPrinter<'a> {
    args: &'a Log,
    /// The columns of the terminal, if it is one.
    width: Option<usize>,
    /// The day of the event before.
    day: Option<i64>,
}

impl<'a> LogPrinter<'a> {
    fn new(args: &'a Log) -> Self {
        Self { args, width: screen::width(), day: None }
    }

    /// The events that an entry led to; of one node alone, if it is named.
    fn entry(&mut self, cursor: &mut JournalCursor<'_>, entry: &JournalEntry) -> String {
        let mut text = String::new();
        cursor.enter(&entry.cause);
        // What an entry does in somebody's name is told once, where it begins.
        let mut by = entry.by.as_deref();
        if let (Some(described), LogFormat::Human, None) =
            (by_hand(&entry.cause), self.args.format, &self.args.node)
        {
            text += &self.line("-", entry.at, &(described + &named(by.take())));
        }
        for event in &entry.events {
            let place = cursor.pass(event);
            let is_wanted = |wanted: &String| is_of(cursor, &place, event, wanted);
            if self.args.node.as_ref().is_none_or(is_wanted) {
                text += &self.event(cursor, event, by.take());
            }
        }
        text
    }

    fn event(&mut self, cursor: &JournalCursor<'_>, event: &Event, by: Option<&str>) -> String {
        let (program, graph_of) = (cursor.program(), |frame: u32| cursor.graph(frame));
        match self.args.format {
            LogFormat::Jsonl => {
                let mut document = event_json(program, graph_of, event);
                if let Some(by) = by {
                    document["by"] = by.into();
                }
                screen::json_line(&document)
            }
            LogFormat::Human => {
                let text = if self.args.full { event_text_whole } else { event_text };
                let described = text(program, &graph_of, event) + &named(by);
                self.line(&event.seq.to_string(), event.at, &described)
            }
        }
    }

    /// A line for people; the date stands before the first of each day.
    fn line(&mut self, number: &str, at: Time, text: &str) -> String {
        let stamp = timestamp(at);
        let (date, time) = stamp.trim_end_matches('Z').split_once('T').unwrap_or((&stamp, ""));
        let day = at.div_euclid(DAY_NS);
        let head = match self.day.replace(day) {
            Some(last) if last == day => String::new(),
            _ => format!("        {date} (UTC)\n"),
        };
        let seconds = time.get(..8).unwrap_or(time);
        let millis = at.rem_euclid(SECOND_NS) / 1_000_000;
        let text = folded(&screen::line(text), self.width);
        format!("{head}{number:>6}  {seconds}.{millis:03}  {text}\n")
    }
}

/// A text on as many lines as a terminal needs for it, at spaces where there are some.
fn folded(text: &str, width: Option<usize>) -> String {
    let Some(room) = width.and_then(|width| width.checked_sub(MARGIN)).filter(|room| *room >= MARGIN) else {
        return text.to_owned();
    };
    let mut lines: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(room) {
        let at = rest[..end].rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
        lines.push(rest[..at].trim_end());
        rest = rest[at..].trim_start();
    }
    lines.push(rest);
    lines.join(&format!("\n{:MARGIN$}", ""))
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

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn a_long_text_is_folded_at_spaces() {
        let text = "think calls query with the statement select name from people";
        assert_eq!(folded(text, None), text);
        assert_eq!(folded(text, Some(10)), text, "so narrow a terminal folds by itself");
        let wanted =
            format!("think calls query with\n{0:22}the statement select\n{0:22}name from people", "");
        assert_eq!(folded(text, Some(46)), wanted);
        assert_eq!(folded(&"x".repeat(50), Some(46)).lines().count(), 3, "where there is no space it is cut");
    }
}
