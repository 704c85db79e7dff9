//! `cancel`: a stored run ends for good.

use std::sync::Arc;

use serde_json::json;

use super::{graph, setup};
use crate::cli::args::{Cancel, RunFormat};
use crate::cli::trust::admit_store;
use crate::cli::{Exit, screen, stored_runs};
use loopwright_core::app::end_cancelled;
use loopwright_core::drive::{DriveError, Finished, Signals, SystemClock, Unattended};
use loopwright_core::machine::Done;
use loopwright_core::port::{Message, RunStatus, Store, StoreError};
use loopwright_core::value::Str;

/// Ends a run. The graph may answer, as long as that needs no person and no model.
pub(super) async fn cancel(args: &Cancel) -> Result<Exit, Exit> {
    let command = args.command();
    admit_store(&args.ports.db, &args.ports.trust, &command)?;
    let stored =
        stored_runs::find(stored_runs::open_to_write(&args.ports.db)?, &args.ports.db, &args.run).await?;
    stored_runs::goes_on(&stored)?;
    let stood = stored.state(None).await.map_err(|error| stored_runs::unread(&args.ports.db, &error))?;
    graph::refuse_flows(&args.ports, &stored, &stood)?;
    let setup = setup::back(&args.ports, &stored).await?;
    let mut signals = Signals::listen();
    let driver = setup.driver.clone().human(Arc::new(Unattended));
    // Until the run is driven nothing of it is changed.
    let taken = tokio::select! {
        taken = driver.cancel(&args.run, args.reason.as_str()) => taken,
        _ = signals.next() => return Ok(super::interrupted(&Finished::Stopped, &args.run, &command)),
    };
    let mut run = match taken {
        Err(DriveError::Store(held @ StoreError::Held { .. })) => {
            return leave(args, &setup.store, &held).await;
        }
        taken => taken.map_err(|error| super::refused(&setup, &command, &error))?,
    };
    let twice = signals.interrupt(run.handle());
    let clock = SystemClock::new();
    let finished = tokio::select! {
        finished = end_cancelled(&mut run, &args.reason, &clock) => finished,
        () = twice => Ok((Finished::Stopped, None)),
    };
    match finished {
        Ok((Finished::Done(done), node)) => Ok(ended(args, &done, node.as_ref())),
        Ok((other, _)) => Ok(super::interrupted(&other, &args.run, &command)),
        Err(error) => Err(super::refused(&setup, &command, &error)),
    }
}

/// Tells whoever drives the run to end it. Only a database has messages: in a file a run that is driven is not cancelled.
async fn leave(args: &Cancel, store: &Arc<dyn Store>, held: &StoreError) -> Result<Exit, Exit> {
    let refuse = |error: &StoreError| screen::refuse(&error.to_string());
    let Some(queue) = Arc::clone(store).as_queue() else { return Err(refuse(held)) };
    let message = Message::Cancel { reason: args.reason.as_str().into(), by: args.ports.by.clone() };
    queue.post(&args.run, &message).await.map_err(|error| refuse(&error))?;
    if args.ports.format != RunFormat::Human {
        return Ok(screen::print(&args.ports.format.document(&json!({"run": args.run, "left": true}))));
    }
    Ok(screen::print(&format!(
        "the run `{}` is driven, and whoever drives it was told to end it\n",
        args.run
    )))
}

/// Says how the run ended, and where if it had to be ended there.
pub(super) fn ended(args: &Cancel, done: &Done, node: Option<&Str>) -> Exit {
    if args.ports.format != RunFormat::Human {
        let mut document = json!({"run": args.run, "outcome": done.outcome.as_str(), "ok": done.ok});
        if let Some(node) = node {
            document["ended_at"] = node.as_str().into();
        }
        return screen::print(&args.ports.format.document(&document));
    }
    let how = match node {
        Some(node) => format!("; its graph went on, and was ended at {node}"),
        None if done.outcome == RunStatus::CANCELLED => String::new(),
        None => format!("; its graph ended it: {}", stored_runs::outcome(done)),
    };
    screen::print(&format!("the run `{}` was cancelled{how}\n", args.run))
}
