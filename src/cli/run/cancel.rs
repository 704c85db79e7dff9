//! `cancel`: a kept run ends for good.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::setup;
use crate::cli::args::{Cancel, RunFormat};
use crate::cli::kept::{self, KeptRun};
use crate::cli::trust::Place;
use crate::cli::{Exit, screen};
use crate::drive::{Finished, Signals, Unattended};
use crate::machine::Done;
use crate::port::RunStatus;
use crate::value::Str;

/// The longest time that the graph's own answer to `error(cancelled)` may take.
const LONGEST: Duration = Duration::from_mins(1);

/// Ends a run that nobody drives. The graph may answer, as long as that needs no person and no model.
pub(super) async fn cancel(args: &Cancel) -> Result<Exit, Exit> {
    let command = args.command();
    Place::admit(&args.ports.db, &args.ports.trust, &command)?;
    let kept = KeptRun::find(kept::open_to_write(&args.ports.db)?, &args.ports.db, &args.run).await?;
    kept.goes_on()?;
    let setup = setup::back(&args.ports, kept)?;
    let mut signals = Signals::listen();
    let driver = setup.driver.clone().human(Arc::new(Unattended));
    // Until the run is driven nothing of it is changed.
    let taken = tokio::select! {
        taken = driver.cancel(&args.run, args.reason.as_str()) => taken,
        _ = signals.next() => return Ok(super::interrupted(&Finished::Stopped, &args.run, &command)),
    };
    let mut run = taken.map_err(|error| super::refused(&setup, &command, &error))?;
    let twice = signals.interrupt(run.handle());
    let finished = async {
        let handle = run.handle();
        // It is not dropped in the middle of what it keeps.
        let stops = async move {
            tokio::time::sleep(LONGEST).await;
            handle.stop();
            std::future::pending::<Infallible>().await
        };
        let ended = tokio::select! {
            ended = run.drive() => ended,
            never = stops => match never {},
        };
        match ended {
            Ok(Finished::Waiting { .. } | Finished::Stopped) => {
                let node = super::place(&run);
                run.end(args.reason.as_str());
                (run.drive().await, Some(node))
            }
            finished => (finished, None),
        }
    };
    let (finished, node) = tokio::select! {
        finished = finished => finished,
        () = twice => (Ok(Finished::Stopped), None),
    };
    match finished {
        Ok(Finished::Done(done)) => Ok(ended(args, &done, node.as_ref())),
        Ok(other) => Ok(super::interrupted(&other, &args.run, &command)),
        Err(error) => Err(super::refused(&setup, &command, &error)),
    }
}

/// Says how the run ended, and where if it had to be ended there.
fn ended(args: &Cancel, done: &Done, node: Option<&Str>) -> Exit {
    if args.ports.format != RunFormat::Human {
        let mut document = json!({"run": args.run, "outcome": done.outcome.as_str(), "ok": done.ok});
        if let Some(node) = node {
            document["ended_at"] = node.as_str().into();
        }
        return screen::print(&format!("{document:#}\n"));
    }
    let how = match node {
        Some(node) => format!("; its graph went on, and was ended at {node}"),
        None if done.outcome == RunStatus::CANCELLED => String::new(),
        None => format!("; its graph ended it: {}", kept::outcome(done)),
    };
    screen::print(&format!("the run `{}` was cancelled{how}\n", args.run))
}
