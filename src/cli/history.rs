//! `log`: the events of a kept run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::args::{Log, LogFormat};
use super::kept::{self, KeptRun};
use super::{Exit, screen};
use crate::machine::{Event, event_json, event_text, timestamp};
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
    let back = |entry: &Entry| if let Cause::Back { to } = entry.cause { Some(to) } else { None };
    let wanted: BTreeSet<u64> = entries.iter().filter_map(back).collect();
    // Which graph runs in a frame is as it was where the run was sent back to.
    let mut places = BTreeMap::new();
    let mut walk = Walk::new();
    let mut text = String::new();
    for (number, entry) in (0..).zip(entries) {
        if wanted.contains(&number) {
            places.insert(number, walk.clone());
        }
        if let Some(to) = back(entry) {
            walk = places.get(&to).cloned().unwrap_or_default();
            if format == LogFormat::Human {
                let at = timestamp(entry.at);
                let _ = writeln!(text, "     -  {at}  a person sent the run back to step {}", entry.step);
            }
        }
        for event in &entry.events {
            walk.next(event);
            text += &line(program, &walk, event, format);
        }
    }
    text
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
