//! `rollback`: a kept run goes back to an earlier step. `fork`: another run begins there.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::desk;
use super::setup;
use crate::app::ReadError;
use crate::cli::args::{Fork, Format, Rollback, RunFormat};
use crate::cli::trust::Place;
use crate::cli::{Exit, kept, screen};
use crate::drive::{Compensation, DriveError, Finished, RollbackPlan, Signals, UndoState};
use crate::machine::{Outcome, Request};
use crate::value::{Str, Value};

/// Sends a run back, if the operator agrees to what that leaves behind.
pub(super) async fn back(args: &Rollback) -> Result<Exit, Exit> {
    let db = &args.ports.db;
    Place::admit(db, &args.ports.trust, &args.command(false))?;
    let stored = kept::find_whole(kept::open_to_write(db)?, db, &args.run).await?;
    let setup = setup::back(&args.ports, &stored)?;
    let driver = &setup.driver;
    let refused = |error: DriveError| super::refused(&setup, &args.command(false), &error);
    let mut way = stored.way_back(driver, args.to).await.map_err(|error| match error {
        ReadError::Drive(error) => refused(error),
        other => kept::unread(db, &other),
    })?;
    for (calls, undone) in [(&args.undone, true), (&args.not_undone, false)] {
        for call in calls {
            way.tell(call, undone).map_err(|open| none_open(call, &open))?;
        }
    }
    let human = args.ports.format == RunFormat::Human;
    let undo = !args.keep;
    if human {
        screen::print(&told(&way, undo));
    }
    if undo {
        let wanted: Vec<&Str> = will_undo(&way).filter_map(|left| left.by.as_ref()).collect();
        let mut missing = driver.ungranted();
        missing.retain(|name| wanted.contains(&name));
        if !missing.is_empty() {
            return Err(setup.grants.missing(&args.command(false), &missing));
        }
    }
    if !args.yes && !way.left.is_empty() && !agrees(args, &way) {
        screen::say(&format!("nothing was done; to send the run back, run:\n  {}\n", args.command(true)));
        return Ok(Exit::Waiting);
    }
    let shown = document(args, &way);
    let Some(gone) = Signals::listen().insist(driver.go_back(&args.run, way, undo)).await else {
        return Ok(super::interrupted(&Finished::Stopped, &args.run, &args.command(true)));
    };
    gone.map_err(|error| match &error {
        DriveError::Undoing { call, .. } => {
            let exit = screen::refuse(&error.to_string());
            screen::say(&format!("{}\n", ways_on(args, call)));
            exit
        }
        _ => refused(error),
    })?;
    let again = args.ports.resume(&args.run, &[]);
    Ok(screen::print(&if human {
        format!(
            "the run `{}` stands at step {}; to go on, run:\n  {again}\n",
            screen::line(&args.run),
            args.to
        )
    } else {
        screen::json(&shown)
    }))
}

/// Begins another run at a step of a kept one.
pub(super) async fn fork(args: &Fork) -> Result<Exit, Exit> {
    Place::admit(&args.db, &args.trust, &args.command())?;
    let stored = kept::find_whole(kept::open_to_write(&args.db)?, &args.db, &args.run).await?;
    let id = args.id.as_deref().unwrap_or_default();
    let id = stored.fork(args.at, id).await.map_err(|error| kept::unread(&args.db, &error))?;
    let again = args.resume(&id);
    Ok(screen::print(&match args.format {
        Format::Human => {
            let begins = format!(
                "the run `{}` begins where `{}` stood at step {}",
                screen::line(&id),
                screen::line(&args.run),
                args.at
            );
            format!("{begins}; to go on, run:\n  {again}\n")
        }
        Format::Json => {
            let document = json!({"run": id.as_str(), "of": args.run, "step": args.at});
            screen::json(&document)
        }
    }))
}

/// The command lines that go on, for a person who must say if a call was undone.
fn ways_on(args: &Rollback, call: &str) -> String {
    let told = |flag: &str| args.told(flag, call);
    format!(
        "if it was undone, run:\n  {}\nif it was not, run this, which undoes it now:\n  {}\nto leave all calls as they are, \
         run:\n  {}",
        told("--undone"),
        told("--not-undone"),
        args.keeping()
    )
}

fn none_open(call: &str, open: &[Str]) -> Exit {
    let open: Vec<_> = open.iter().map(|call| format!("`{}`", screen::line(call))).collect();
    let which = match open.as_slice() {
        [] => "there is none".to_owned(),
        calls => format!("these are: {}", calls.join(", ")),
    };
    screen::refuse(&format!("`{}` is no call whose undoing was cut off; {which}", screen::line(call)))
}

fn agrees(args: &Rollback, way: &RollbackPlan) -> bool {
    let question = format!("Send the run `{}` back from step {} to step {}?", args.run, way.from, args.to);
    desk::agrees(&question)
}

fn will_undo(way: &RollbackPlan) -> impl Iterator<Item = &Compensation> {
    way.left.iter().filter(|left| left.is_to_be_undone())
}

/// What is left behind, for people.
fn told(way: &RollbackPlan, undo: bool) -> String {
    if way.left.is_empty() {
        return String::new();
    }
    let mut text = "calls that were made since then, the last first:\n".to_owned();
    for left in &way.left {
        let args = match &left.call.request {
            Request::Tool { args, .. } => Value::Map(args.clone()).to_json().to_string(),
            Request::Model { .. } => String::new(),
        };
        let call = screen::line(&format!("{} {args}", left.tool()));
        let _ = writeln!(text, "  {call}: {}", fate(left, undo));
    }
    text
}

/// What becomes of a call that is left behind.
fn fate(left: &Compensation, undo: bool) -> String {
    match (&left.outcome, &left.by, left.undoing) {
        (_, _, UndoState::Done) => "was undone before".to_owned(),
        (_, _, UndoState::Told(true)) => "was undone before, as you say".to_owned(),
        (None | Some(Outcome::Unknown { .. }), ..) => "nobody knows whether it took place".to_owned(),
        (Some(Outcome::Failed { .. }), ..) => "failed; what it did until then stays".to_owned(),
        (_, None, _) => "cannot be undone".to_owned(),
        (_, Some(by), _) if undo => format!("is undone by `{}`", screen::line(by)),
        _ => "stays".to_owned(),
    }
}

/// The same for programs.
fn document(args: &Rollback, way: &RollbackPlan) -> Json {
    let undo = !args.keep;
    let left = |left: &Compensation| {
        let args = match &left.call.request {
            Request::Tool { args, .. } => Value::Map(args.clone()).to_json(),
            Request::Model { .. } => Json::Null,
        };
        json!({
            "call": left.call.id.0.as_str(),
            "tool": left.tool(),
            "args": args,
            "outcome": match &left.outcome {
                Some(Outcome::Answer { .. }) => "answered",
                Some(Outcome::Failed { .. }) => "failed",
                None | Some(Outcome::Unknown { .. }) => "unknown",
            },
            "undone": matches!(left.undoing, UndoState::Done | UndoState::Told(true)) || (undo && left.can_be_undone()),
        })
    };
    json!({
        "run": args.run,
        "from": way.from,
        "to": args.to,
        "left": way.left.iter().map(left).collect::<Vec<_>>(),
    })
}
