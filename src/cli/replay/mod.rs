//! `replay`: a stored run made once more from its journal, or compared with an edited graph.

mod against;
mod differ;

use std::fmt::Write;

use serde_json::{Value as Json, json};

use self::differ::{DifferingField, fields};
use super::args::{DB, Format, Reach};
use super::{Exit, screen, stored_runs};
use loopwright_core::app::{Difference as Differs, JournalCursor, OpenRun, Replay};
use loopwright_core::drive::Replayed;
use loopwright_core::machine::{Event, Phase, Snapshot, event_json, event_text};
use loopwright_core::port::StoredRun;
use loopwright_core::program::Program;
use loopwright_core::store::StoreAddress;

/// `replay`.
#[derive(Debug, clap::Args)]
pub(super) struct ReplayArgs {
    /// The run: its id, the beginning of it, or `last`.
    pub(super) run: String,
    /// Stop after this number of transitions.
    #[arg(long, value_name = "STEP", conflicts_with = "against")]
    pub(super) to: Option<u64>,
    /// Test if this graph would have taken the same path with the stored inputs and answers.
    #[arg(long, value_name = "FILE")]
    pub(super) against: Option<String>,
    /// The store of the runs: a file, or a Postgres database (`postgres://HOST/DATABASE`).
    #[arg(long, value_name = "STORE", default_value = DB)]
    pub(super) db: StoreAddress,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
    /// The folder of the files that the edited graph names.
    #[command(flatten)]
    pub(super) reach: Reach,
}

pub(super) fn run(args: &ReplayArgs) -> Exit {
    stored_runs::look(async {
        let run = stored_runs::find_whole(stored_runs::open(&args.db)?, &args.db, &args.run).await?;
        let journal = run.journal().await.map_err(|error| stored_runs::unread(&args.db, &error))?;
        match &args.against {
            Some(file) => against::run(args, &run, &journal, file),
            None => once_more(args, &run, journal).await,
        }
    })
}

async fn once_more(args: &ReplayArgs, run: &OpenRun, journal: StoredRun) -> Result<Exit, Exit> {
    let found =
        match run.replay(journal, args.to).await.map_err(|error| stored_runs::unread(&args.db, &error))? {
            Replay::Same(replayed) => Found::Same(replayed),
            Replay::OtherState { stored, now } => Found::of_states(&stored, &now),
            Replay::Differs(differs) => Found::Differs(Box::new(Difference::of(run, &differs))),
        };
    let text = match args.format {
        Format::Human => found.human(run, args.to),
        Format::Json => screen::json(&found.json(run)),
    };
    let exit = if matches!(found, Found::Same(_)) { Exit::Ok } else { Exit::Findings };
    Ok(screen::print(&text).worse(exit))
}

/// The result of a replay.
enum Found {
    Same(Box<Replayed>),
    /// The events are the same, the state that was stored is another.
    State(Vec<DifferingField>),
    Differs(Box<Difference>),
}

/// The first difference.
struct Difference {
    /// The entry of the journal, from 0.
    entry: u64,
    /// The event, by its number in the run.
    event: u64,
    /// The stored event, as one line.
    stored: Option<String>,
    /// The event of the replay, as one line.
    now: Option<String>,
    fields: Vec<DifferingField>,
}

impl Difference {
    fn of(run: &OpenRun, differs: &Differs) -> Self {
        let (then, now) = (differs.then.as_deref(), differs.now.as_deref());
        let event = then.or(now).map_or(0, |event| event.seq);
        let cursor = JournalCursor::before(run, &differs.entries, differs.entry, event);
        let (program, graph) = (cursor.program(), |frame: u32| cursor.graph(frame));
        let line = |event: &Event| event_text(program, graph, event);
        let whole =
            |event: Option<&Event>| event.map_or(Json::Null, |event| event_json(program, graph, event));
        let mut found = fields(&whole(then), &whole(now));
        if found.is_empty() || then.is_none() || now.is_none() {
            // What people are shown of an event is not all of it.
            let raw =
                |event: Option<&Event>| event.and_then(|e| serde_json::to_value(e).ok()).unwrap_or_default();
            found = if then.is_some() && now.is_some() { fields(&raw(then), &raw(now)) } else { Vec::new() };
        }
        Self { entry: differs.entry, event, stored: then.map(line), now: now.map(line), fields: found }
    }
}

/// Describes the state of a run in a few words.
fn stands(program: &Program, snapshot: &Snapshot) -> String {
    if let Some(done) = &snapshot.done {
        let word = if done.ok { "ended" } else { "failed" };
        return format!("{word}: {}", screen::line(&done.outcome));
    }
    if let Some(ask) = snapshot.asks().next() {
        return format!("waits for a person at {}", ask.node);
    }
    let Some(root) = snapshot.root() else { return "before its start".to_owned() };
    let (word, node) = match root.phase {
        Phase::Enter { target, .. } => ("about to enter", target),
        _ => ("at", root.frame.node),
    };
    format!("{word} {}", program.graphs[root.frame.graph as usize].nodes[node as usize].name)
}

fn many(number: u64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

impl Found {
    /// The state that was stored, and the one that comes out.
    fn of_states(stored: &Snapshot, now: &Snapshot) -> Self {
        let raw = |snapshot: &Snapshot| serde_json::to_value(snapshot).unwrap_or_default();
        Self::State(fields(&raw(stored), &raw(now)))
    }

    fn human(&self, run: &OpenRun, to: Option<u64>) -> String {
        let (id, graph) = (screen::line(&run.info.run), screen::line(&run.info.graph));
        let mut text = String::new();
        match self {
            Self::Same(replayed) => {
                let Replayed { entries, events, snapshot, digest } = &**replayed;
                let part = to.map(|step| format!(" up to step {step}")).unwrap_or_default();
                let (entries, events) =
                    (many(*entries, "entry", "entries"), many(*events, "event", "events"));
                let _ =
                    writeln!(text, "run {id} of graph {graph}: {entries} with {events}{part}, all as stored");
                let end = stands(run.by(&snapshot.program).unwrap_or(&run.program), snapshot);
                let _ = writeln!(text, "state after them: step {}, {end}\ndigest: {digest}", snapshot.step());
            }
            Self::State(fields) => {
                let _ = writeln!(
                    text,
                    "run {id} of graph {graph}: all events are as stored, but the stored state differs:"
                );
                text += &differ::human(fields, 1, "now");
            }
            Self::Differs(difference) => {
                let Difference { entry, event, stored, now, fields } = &**difference;
                let _ = writeln!(
                    text,
                    "run {id} of graph {graph} differs from the stored run: entry {entry}, event {event}"
                );
                let line = |line: Option<&str>| line.map_or("no such event".into(), screen::line);
                let _ = writeln!(
                    text,
                    "  stored: {}\n  now:    {}",
                    line(stored.as_deref()),
                    line(now.as_deref())
                );
                text += &differ::human(fields, 1, "now");
            }
        }
        text
    }

    fn json(&self, run: &OpenRun) -> Json {
        let mut document = json!({
            "run": run.info.run.as_str(),
            "graph": run.info.graph.as_str(),
            "program": run.info.program.as_str(),
            "same": matches!(self, Self::Same(_)),
        });
        match self {
            Self::Same(replayed) => {
                document["entries"] = replayed.entries.into();
                document["events"] = replayed.events.into();
                document["step"] = replayed.snapshot.step().into();
                document["digest"] = replayed.digest.as_str().into();
            }
            Self::State(fields) => document["difference"] = json!({"state": differ::json(fields, "now")}),
            Self::Differs(difference) => {
                document["difference"] = json!({
                    "entry": difference.entry,
                    "event": difference.event,
                    "kept": difference.stored,
                    "now": difference.now,
                    "fields": differ::json(&difference.fields, "now"),
                });
            }
        }
        document
    }
}
