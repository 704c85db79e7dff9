//! `work`: stored runs of graphs are driven as they fall due.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value as Json, json};

use super::args::{DB, Format, HostFlags, Line};
use super::driving::{until_signals, within};
use super::run::{RunStorage, ServedGraph};
use super::{Exit, screen, stored_runs};
use loopwright_core::app::{GraphHost, driver_owner};
use loopwright_core::drive::{Signals, SystemClock};
use loopwright_core::machine::{Question, Time, timestamp};
use loopwright_core::port::StoreError;
use loopwright_core::store::StoreAddress;
use loopwright_core::value::Str;
use loopwright_core::worker::queue::{QueueWorker, WorkListener, WorkNote};

/// `work`.
#[derive(Debug, clap::Args)]
pub(super) struct WorkArgs {
    /// The graph files whose runs are driven. Runs of other graphs, and of other versions of these, are left to other workers.
    #[arg(required = true)]
    graphs: Vec<String>,
    /// The greatest number of runs driven at once.
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..))]
    at_once: u16,
    /// End as soon as no run is due. Timers that are set are not waited for. The exit code is 1 if a run could not be driven here.
    #[arg(long)]
    until_idle: bool,
    /// Print in this format: a line of text, or a JSON object, for each thing that happens to a run.
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// The store of the runs: a file, or a Postgres database (`postgres://HOST/DATABASE`); it is created if it does not exist.
    #[arg(long, value_name = "STORE", default_value = DB)]
    db: StoreAddress,
    /// The ports of the runs.
    #[command(flatten)]
    host: HostFlags,
}

impl WorkArgs {
    /// This command line, as a shell reads it.
    fn command(&self) -> String {
        let line = self.graphs.iter().fold(Line::of("work"), |line, graph| line.word(graph));
        self.host.onto(line).db(&self.db).text()
    }
}

pub(super) fn run(args: &WorkArgs) -> Exit {
    within(args.host.log, work(args))
}

async fn work(args: &WorkArgs) -> Result<Exit, Exit> {
    let mut graphs = Vec::new();
    for file in &args.graphs {
        let storage = RunStorage::beside(&graphs);
        graphs.push(ServedGraph::prepare(args.host.ports(&args.db), file, &args.command(), storage).await?);
    }
    let Some(queue) = graphs.first().and_then(|graph| Arc::clone(&graph.graph().store).as_queue()) else {
        return Err(stored_runs::no_queue("work", &args.db));
    };
    let clock = Arc::new(SystemClock::new());
    let printer = Arc::new(WorkPrinter { format: args.format, has_failed: AtomicBool::new(false) });
    let mut worker =
        QueueWorker::new(queue, driver_owner(), Arc::clone(&clock) as _, Arc::clone(&printer) as _)
            .at_once(args.at_once.into());
    for graph in graphs {
        worker = worker.host(Arc::new(graph.clock(Arc::clone(&clock))));
    }
    if args.until_idle {
        worker = worker.until_idle();
    }
    let ended = until_signals(Signals::listen(), |order| worker.work(order.given())).await;
    let Some(ended) = ended else { return Ok(Exit::Interrupted) };
    ended.map_err(|error| screen::refuse(&error.to_string()))?;
    // Of a worker that is stopped after weeks, it is old news that a run could not be driven.
    let has_failed = args.until_idle && printer.has_failed.load(Ordering::Relaxed);
    Ok(if has_failed { Exit::Findings } else { Exit::Ok })
}

/// Prints what happens to runs.
struct WorkPrinter {
    format: Format,
    /// True once a run could not be driven here.
    has_failed: AtomicBool,
}

impl WorkListener for WorkPrinter {
    fn noted(&self, run: &Str, note: &WorkNote) {
        if matches!(note, WorkNote::Failed(_)) {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        // A reader that went away does not end the work.
        let _ = match self.format {
            Format::Human => screen::print(&format!("{}: {}\n", screen::line(run), words(note))),
            Format::Json => {
                let mut document = json!({"run": run.as_str()});
                fill(&mut document, note);
                screen::print(&screen::json_line(&document))
            }
        };
    }

    fn failed(&self, error: &StoreError) {
        screen::say(&format!("the store failed, and is tried again: {}\n", screen::line(&error.to_string())));
    }
}

fn words(note: &WorkNote) -> String {
    match note {
        WorkNote::Taken => "taken".to_owned(),
        WorkNote::Ended(done) => format!("ended: {}", stored_runs::outcome(done)),
        WorkNote::Waiting { asks, until } => match (&asks[..], until) {
            ([], Some(until)) => format!("waits until {}", timestamp(*until)),
            ([], None) => "waits".to_owned(),
            (asks, _) => format!("waits for a person at {}", nodes(asks).join(", ")),
        },
        WorkNote::Left => "given back".to_owned(),
        WorkNote::Failed(why) => format!("cannot be driven here: {}", screen::line(why)),
        _ => "something happened that this version has no words for".to_owned(),
    }
}

fn nodes(asks: &[Question]) -> Vec<String> {
    asks.iter().map(|ask| screen::line(&ask.node)).collect()
}

fn fill(document: &mut Json, note: &WorkNote) {
    let until = |until: &Option<Time>| until.as_ref().map_or(Json::Null, |until| timestamp(*until).into());
    let fields = match note {
        WorkNote::Taken => json!({"note": "taken"}),
        WorkNote::Ended(done) => {
            json!({"note": "ended", "outcome": done.outcome.as_str(), "ok": done.ok})
        }
        WorkNote::Waiting { asks, until: end } => {
            let asks: Vec<Json> =
                asks.iter().map(|ask| json!({"id": ask.id.0.as_str(), "node": ask.node.as_str()})).collect();
            json!({"note": "waiting", "asks": asks, "until": until(end)})
        }
        WorkNote::Left => json!({"note": "left"}),
        WorkNote::Failed(why) => json!({"note": "failed", "why": why}),
        _ => json!({"note": "other"}),
    };
    if let (Some(document), Json::Object(fields)) = (document.as_object_mut(), fields) {
        document.extend(fields);
    }
}
