//! Runs that are left to workers.

use std::sync::Arc;

use super::setup::Begin;
use crate::cli::args::{Ports, Resume, Run};
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
pub(super) async fn begin(args: &Run, begin: Begin, start: Start) -> Result<Exit, Exit> {
    let Begin { setup, text, .. } = begin;
    let queue = queue(&args.ports, &setup.store)?;
    let program = setup.driver.program();
    let at = SystemClock::new().now();
    let refuse = |error: &dyn std::fmt::Display| screen::refuse(&error.to_string());
    let run = Driver::run_id(&start.run, at).map_err(|error| refuse(&error))?;
    let info = RunInfo {
        run: run.clone(),
        graph: program.graphs[0].id.clone(),
        program: program.digest.clone(),
        started: at,
        status: RunStatus::Ready,
    };
    let start = Start { run: run.clone(), interrupt: Interrupt::of(program), ..start };
    queue.keep_program(&text).await.map_err(|error| refuse(&error))?;
    queue.create(&info).await.map_err(|error| refuse(&error))?;
    queue.post(&run, &Message::Start(Box::new(start))).await.map_err(|error| refuse(&error))?;
    setup.servers.close().await;
    Ok(screen::print(&format!("{run}\n")))
}

/// Leaves a run, and an answer to what it asks, to a worker.
pub(super) async fn resume(
    args: &Resume,
    stored: &OpenRun,
    stood: &Snapshot,
    answer: Option<(Question, Value)>,
) -> Result<Exit, Exit> {
    let queue = queue(&args.ports, &stored.store)?;
    let message = match answer {
        None => Message::Resume,
        Some((ask, answer)) => {
            if let Err(why) = check_answer(&stored.program, stood, &ask.id, &answer) {
                return Err(screen::refuse(&super::approval::unfit(&ask, &why)));
            }
            Message::Answer { ask: ask.id, answer }
        }
    };
    let posted = queue.post(&args.run, &message).await;
    posted.map_err(|error| screen::refuse(&error.to_string()))?;
    Ok(screen::print(&format!("the run `{}` is left to a worker\n", args.run)))
}
