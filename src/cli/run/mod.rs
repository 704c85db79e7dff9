//! `run`: a graph with real tools.

mod desk;
mod input;
mod jsonl;
mod progress;
mod setup;

use super::args::{Run, RunFormat};
use super::{Exit, screen};
use crate::diag;
use crate::drive::{DriveError, Finished};
use crate::machine::{Ask, Done, Origin, Start};
use crate::program::failed_run;
use crate::source::Sources;
use crate::value::{Str, Value};
use std::fmt::Write as _;

/// A list or map whose JSON is longer than so many bytes is not printed for people.
const LONG: usize = 1000;

pub(super) fn run(args: &Run) -> Exit {
    if let Err(message) = super::log::start(args.log) {
        return screen::refuse(&message);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return screen::refuse(&format!("no thread can be started: {error}")),
    };
    let exit = runtime.block_on(drive(args));
    // A person who was asked may still sit before the terminal; the process ends without them.
    runtime.shutdown_background();
    exit
}

async fn drive(args: &Run) -> Exit {
    let setup = match setup::prepare(args) {
        Ok(setup) => setup,
        Err(exit) => return exit,
    };
    if let Err(error) = setup.store.keep_program(&setup.text).await {
        return refused(args, &error.into());
    }
    let start = Start {
        run: args.id.as_deref().unwrap_or_default().into(),
        input: setup.input,
        seed: args.seed,
        ..Start::default()
    };
    let mut run = match setup.driver.start(start).await {
        Ok(run) => run,
        Err(error) => return refused(args, &error),
    };
    run.handle().cancel_on_ctrl_c();
    let finished = run.drive().await;
    if let Some(progress) = &setup.progress {
        progress.clear();
    }
    match finished {
        Ok(Finished::Done(done)) => {
            let node = place(&run);
            if let Some(origin) = run.origin() {
                point(&done, &node, origin, &setup.sources);
            }
            ended(args, &done, &node)
        }
        Ok(Finished::Waiting { asks, .. }) => waiting(args, &asks),
        Ok(Finished::Stopped) => Exit::Interrupted,
        Err(error) => refused(args, &error),
    }
}

/// The node the run stands at.
fn place(run: &crate::drive::Run) -> Str {
    let view = run.view();
    let Some(root) = view.snapshot.root() else { return Str::new() };
    view.program.graphs[root.frame.graph as usize].nodes[root.frame.node as usize].name.clone()
}

/// Shows where in the graph's text the error happened that ended the run.
fn point(done: &Done, node: &str, origin: Origin, sources: &Sources) {
    let found = failed_run(node, &done.error, origin.span, origin.frame == 0);
    screen::say(&diag::text::render(&[found], sources, screen::stderr_is_terminal()));
}

/// Says how the run ended, and at which node if it failed.
fn ended(args: &Run, done: &Done, node: &Str) -> Exit {
    let exit = match (done.ok, done.outcome.as_str()) {
        (true, _) => Exit::Ok,
        (false, "cancelled") => Exit::Interrupted,
        (false, _) => Exit::Findings,
    };
    match args.format {
        // The last event of the stream says it.
        RunFormat::Jsonl => exit,
        RunFormat::Json => {
            let document = serde_json::json!({
                "outcome": done.outcome.as_str(),
                "ok": done.ok,
                "output": done.output.to_json(),
                "error": done.error.to_json(),
            });
            screen::print(&format!("{document:#}\n")).worse(exit)
        }
        RunFormat::Human => {
            let mut text = format!("outcome: {}{}\n", done.outcome, if done.ok { "" } else { " (not ok)" });
            if let Some(message) = done.error.as_map().and_then(|e| e.get("message")).and_then(|m| m.as_str())
            {
                let _ = writeln!(text, "error at {node}: {message}");
            }
            for (name, value) in done.output.as_map().into_iter().flat_map(crate::value::Map::iter) {
                let _ = writeln!(text, "{name}: {}", shown(value));
            }
            screen::print(&text).worse(exit)
        }
    }
}

/// A value of the output as people read it: a text whole, of a long list or map only how much is in it.
fn shown(value: &Value) -> String {
    let json = || value.to_json().to_string();
    match value {
        Value::Str(text) => text.to_string(),
        Value::List(items) if json().len() > LONG => format!("{} items (see `--format json`)", items.len()),
        Value::Map(fields) if json().len() > LONG => format!("{} fields (see `--format json`)", fields.len()),
        _ => json(),
    }
}

/// Says what the run waits for.
fn waiting(args: &Run, asks: &[Ask]) -> Exit {
    let mut text = String::new();
    for ask in asks {
        let _ = writeln!(text, "waiting for a person at {}: {}", ask.node, ask.text);
    }
    if args.format == RunFormat::Human {
        return screen::print(&text).worse(Exit::Waiting);
    }
    screen::say(&text);
    Exit::Waiting
}

/// A run that could not begin or go on.
fn refused(args: &Run, error: &DriveError) -> Exit {
    if let DriveError::Grants(names) = error {
        return missing_grants(args, names);
    }
    screen::refuse(&error.to_string())
}

/// Names the line that grants what is missing.
fn missing_grants(args: &Run, names: &[Str]) -> Exit {
    let list = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let grants = names.iter().fold(String::new(), |line, n| line + " --grant " + n);
    screen::say(&format!(
        "the graph may run these commands on this machine: {list}\nto allow it, run:\n  loopwright run{}{grants}\n",
        args.words()
    ));
    Exit::Waiting
}
