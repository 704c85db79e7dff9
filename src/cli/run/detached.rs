//! Runs that are left to workers.

use std::fmt::Display;
use std::sync::Arc;

use serde_json::json;

use super::elsewhere::RunElsewhere;
use crate::cli::args::{Ports, Resume, Run, RunFormat};
use crate::cli::trust::store_to_write;
use crate::cli::{Exit, screen, stored_runs};
use loopwright_core::app::OpenRun;
use loopwright_core::drive::{Driver, SystemClock};
use loopwright_core::machine::{Interrupt, Question, Snapshot, Start, check_answer};
use loopwright_core::port::{Clock, Message, Queue, RunInfo, RunStatus, Store};
use loopwright_core::value::Value;

/// The store as a queue, or why workers take nothing from it.
fn queue(ports: &Ports, store: &Arc<dyn Store>) -> Result<Arc<dyn Queue>, Exit> {
    Arc::clone(store).as_queue().ok_or_else(|| stored_runs::no_queue("--detach", &ports.db))
}

/// Leaves a run to begin to a worker.
pub(super) async fn begin(args: &Run) -> Result<Exit, Exit> {
    let RunElsewhere { program, text, input, .. } = RunElsewhere::read(args)?;
    let place = store_to_write(&args.ports.db, &args.ports.trust, &args.command())?;
    let store = args.ports.db.open();
    place.tried();
    let refuse = |error: &dyn Display| screen::refuse(&error.to_string());
    let queue = queue(&args.ports, &store.map_err(|error| refuse(&error))?)?;
    let at = SystemClock::new().now();
    let run = Driver::run_id(args.id.as_deref().unwrap_or_default(), at).map_err(|error| refuse(&error))?;
    let info = RunInfo {
        run: run.clone(),
        graph: program.graphs[0].id.clone(),
        program: program.digest.clone(),
        started: at,
        status: RunStatus::Ready,
    };
    let interrupt = Interrupt::of(&program);
    let start = Start { run: run.clone(), input, seed: args.seed, interrupt, ..Start::default() };
    queue.leave(&info, &text, &start).await.map_err(|error| refuse(&error))?;
    Ok(left(args.ports.format, &run))
}

/// Says which run is left to others.
pub(super) fn left(format: RunFormat, run: &str) -> Exit {
    match format {
        RunFormat::Human => screen::print(&format!("{}\n", screen::line(run))),
        RunFormat::Json | RunFormat::Jsonl => screen::print(&screen::json_line(&json!({"run": run}))),
    }
}

/// Leaves a run, and an answer to what it asks, to a worker.
pub(super) async fn resume(
    args: &Resume,
    stored: &OpenRun,
    stood: &Snapshot,
    answer: Option<(Question, Value)>,
) -> Result<Exit, Exit> {
    let queue = queue(&args.ports, &stored.store)?;
    if !stored.has_begun().await.map_err(|error| stored_runs::unread(&args.ports.db, &error))? {
        let help = "the worker that takes it begins it; `loopwright cancel` ends it before";
        return Err(screen::refuse_with(&format!("the run `{}` has not begun", args.run), help));
    }
    let message = match answer {
        None => Message::Resume { by: args.ports.by.clone() },
        Some((ask, answer)) => {
            if let Err(why) = check_answer(&stored.program, stood, &ask.id, &answer) {
                return Err(screen::refuse(&super::approval::unfit(&ask, &why)));
            }
            Message::Answer { ask: ask.id, answer, by: args.ports.by.clone() }
        }
    };
    let posted = queue.post(&args.run, &message).await;
    posted.map_err(|error| screen::refuse(&error.to_string()))?;
    match args.ports.format {
        RunFormat::Human => Ok(screen::print(&format!("the run `{}` is left to a worker\n", args.run))),
        RunFormat::Json | RunFormat::Jsonl => Ok(left(args.ports.format, &args.run)),
    }
}
