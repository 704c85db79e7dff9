//! `rollback`: a stored run goes back to an earlier step. `fork`: another run begins there.

use std::fmt::Write as _;

use serde_json::json;

use super::console;
use super::graph::{self, unfit_pause};
use super::setup;
use crate::cli::args::{Fork, Format, Rollback, RunFormat};
use crate::cli::trust::{admit_store, missing_grants};
use crate::cli::{Exit, screen, stored_runs};
use loopwright_core::app::{OpenRun, ReadError, rollback_json};
use loopwright_core::drive::{Compensation, DriveError, Finished, RollbackPlan, Signals, UndoState};
use loopwright_core::machine::Outcome;
use loopwright_core::value::{Str, Value};

/// Sends a run back, if the operator agrees to what becomes of the calls made since then.
pub(super) async fn back(args: &Rollback) -> Result<Exit, Exit> {
    let db = &args.ports.db;
    admit_store(db, &args.ports.trust, &args.command(false))?;
    let stored = stored_runs::find_whole(stored_runs::open_to_write(db)?, db, &args.run).await?;
    let stood = stored.state(None).await.map_err(|error| stored_runs::unread(db, &error))?;
    graph::refuse_flows(&args.ports, &stored, &stood)?;
    let setup = setup::back(&args.ports, &stored).await?;
    let driver = &setup.driver;
    let refused = |error: DriveError| super::refused(&setup, &args.command(false), &error);
    let step = target(args, &stored).await?;
    let mut plan = stored.rollback_plan(driver, step).await.map_err(|error| match error {
        ReadError::Drive(error) => refused(error),
        other => stored_runs::unread(db, &other),
    })?;
    for (calls, undone) in [(&args.undone, true), (&args.not_undone, false)] {
        for call in calls {
            plan.tell(call, undone).map_err(|open| none_open(call, &open))?;
        }
    }
    let human = args.ports.format == RunFormat::Human;
    let undo = !args.keep;
    if human {
        screen::print(&summary(&plan, undo));
    }
    if undo {
        let wanted: Vec<&Str> = will_undo(&plan).filter_map(|left| left.by.as_ref()).collect();
        let mut missing = driver.ungranted();
        missing.retain(|name| wanted.contains(&name));
        if !missing.is_empty() {
            return Err(missing_grants(&setup.grants, &args.command(false), &missing));
        }
    }
    if !args.yes && !plan.left.is_empty() && !agrees(args, &plan) {
        screen::say(&format!("nothing was done; to roll the run back, run:\n  {}\n", args.command(true)));
        return Ok(Exit::Waiting);
    }
    let shown = rollback_json(&args.run, &plan, undo);
    let Some(gone) = Signals::listen().insist(driver.go_back(&args.run, plan, undo)).await else {
        return Ok(super::interrupted(&Finished::Stopped, &args.run, &args.command(true)));
    };
    gone.map_err(|error| match &error {
        DriveError::Undoing { call, .. } => {
            let exit = screen::refuse(&error.to_string());
            screen::say(&format!("{}\n", commands_to_continue(args, call)));
            exit
        }
        _ => refused(error),
    })?;
    let again = args.ports.resume(&args.run, &[]);
    Ok(screen::print(&if human {
        format!("the run `{}` is at step {}; to continue, run:\n  {again}\n", screen::line(&args.run), step)
    } else {
        args.ports.format.document(&shown)
    }))
}

/// The step to go back to: as it is given, or the latest at which the condition began to hold.
async fn target(args: &Rollback, stored: &OpenRun) -> Result<u64, Exit> {
    let Some(condition) = &args.when else { return Ok(args.to.unwrap_or_default()) };
    let program = stored.with_condition(condition, "--when").map_err(|error| unfit_pause(&error))?;
    let found = stored.latest_step_where(&program).await;
    let found = found.map_err(|error| stored_runs::unread(&args.ports.db, &error))?;
    found.ok_or_else(|| {
        let (run, condition) = (screen::line(&args.run), screen::line(condition));
        screen::refuse(&format!(
            "`{condition}` holds at no step of the run `{run}`, or cannot be evaluated there; `render --run` shows its steps"
        ))
    })
}

/// Begins another run at a step of a stored one.
pub(super) async fn fork(args: &Fork) -> Result<Exit, Exit> {
    admit_store(&args.db, &args.trust, &args.command())?;
    let stored = stored_runs::find_whole(stored_runs::open_to_write(&args.db)?, &args.db, &args.run).await?;
    let id = args.id.as_deref().unwrap_or_default();
    let id = stored
        .fork_by(args.at, id, args.by.clone())
        .await
        .map_err(|error| stored_runs::unread(&args.db, &error))?;
    let again = args.resume(&id);
    Ok(screen::print(&match args.format {
        Format::Human => {
            let begins = format!(
                "the run `{}` starts where `{}` was at step {}",
                screen::line(&id),
                screen::line(&args.run),
                args.at
            );
            format!("{begins}; to continue, run:\n  {again}\n")
        }
        Format::Json => {
            let document = json!({"run": id.as_str(), "of": args.run, "step": args.at});
            screen::json(&document)
        }
    }))
}

/// The command lines that continue, for a person who must say if a call was undone.
fn commands_to_continue(args: &Rollback, call: &str) -> String {
    let summary = |flag: &str| args.answer_command(flag, call);
    format!(
        "if it was undone, run:\n  {}\nif it was not, run this, which undoes it now:\n  {}\nto leave all calls as they are, \
         run:\n  {}",
        summary("--undone"),
        summary("--not-undone"),
        args.keeping()
    )
}

fn none_open(call: &str, open: &[Str]) -> Exit {
    let open: Vec<_> = open.iter().map(|call| format!("`{}`", screen::line(call))).collect();
    let which = match open.as_slice() {
        [] => "there is none".to_owned(),
        calls => format!("these are: {}", calls.join(", ")),
    };
    screen::refuse(&format!("`{}` is not a call whose undoing was interrupted; {which}", screen::line(call)))
}

fn agrees(args: &Rollback, plan: &RollbackPlan) -> bool {
    let question =
        format!("Roll the run `{}` back from step {} to step {}?", args.run, plan.from, plan.place.step);
    console::agrees(&question)
}

fn will_undo(plan: &RollbackPlan) -> impl Iterator<Item = &Compensation> {
    plan.left.iter().filter(|left| left.is_to_be_undone())
}

/// Lists the calls made since the step of a rollback, for people.
fn summary(plan: &RollbackPlan, undo: bool) -> String {
    if plan.left.is_empty() {
        return String::new();
    }
    let mut text = "calls made since then, the last one first:\n".to_owned();
    for left in &plan.left {
        let args = left.call.request.args();
        let args = args.map_or_else(String::new, |args| Value::Map(args.clone()).to_json().to_string());
        let call = screen::line(&format!("{} {args}", left.tool()));
        let _ = writeln!(text, "  {call}: {}", fate(left, undo));
    }
    text
}

/// Describes what happens to a call made since then.
fn fate(left: &Compensation, undo: bool) -> String {
    match (&left.outcome, &left.by, left.undo_state) {
        (_, _, UndoState::Done) => "was undone before".to_owned(),
        (_, _, UndoState::Answered(true)) => "was undone before, as you say".to_owned(),
        (None | Some(Outcome::Unknown { .. }), ..) => "nobody knows whether it took place".to_owned(),
        (Some(Outcome::Failed { .. }), ..) => "failed; what it did until then stays".to_owned(),
        (_, None, _) => "cannot be undone".to_owned(),
        (_, Some(by), _) if undo => format!("is undone by `{}`", screen::line(by)),
        _ => "stays".to_owned(),
    }
}
