//! `run`: a graph with real tools. `resume`: the same run, later.

mod approval;
mod cancel;
mod console;
mod detached;
mod edited;
mod elsewhere;
mod engine;
mod entries;
mod form;
mod graph;
mod hooks;
mod input;
mod jsonl;
mod keys;
mod models;
mod notes;
mod progress;
mod record;
mod resume;
mod rollback;
mod served;
mod setup;
mod speech;
mod summary;
mod tools;

pub(super) use self::console::{Console, agrees, is_manned};
pub(super) use self::input::{of_flags, of_open_flags};
pub(super) use self::keys::mask;
pub(super) use self::progress::{ToolWords, spinner};
pub(super) use self::served::{RunStorage, ServedGraph};
use self::setup::Setup;
pub(super) use self::tools::refuse as refuse_servers;
use super::args::{Cancel, Fork, Ports, Resume, Rollback, Run, RunFormat};
use super::driving::within;
use super::trust::missing_grants;
use super::{Exit, screen, stored_runs};
use loopwright_core::app::{Runs, current_node, question_json};
use loopwright_core::diag::{Diagnostic, rule};
use loopwright_core::drive::{DriveError, Finished, Signals};
use loopwright_core::machine::{Done, FaultOrigin, Question, Start};
use loopwright_core::port::{RunStatus, StoreError};
use loopwright_core::scenario::failed_run;
use loopwright_core::source::{Sources, Span};
use loopwright_core::value::{Str, Value, duration, usd};
use std::fmt::Write as _;

/// The longest JSON of a list or map that is printed for people, in bytes.
const MAX_PRINTED_JSON_BYTES: usize = 1000;

pub(super) fn run(args: &Run) -> Exit {
    match &args.engine {
        None => within(args.ports.log, begin(args)),
        Some(engine) => within(args.ports.log, engine::begin(args, engine)),
    }
}

pub(super) fn resume(args: &Resume) -> Exit {
    match &args.engine {
        None => within(args.ports.log, resume::go_on(args)),
        Some(engine) => within(args.ports.log, engine::resume(args, engine)),
    }
}

pub(super) fn cancel(args: &Cancel) -> Exit {
    match &args.engine {
        None => within(args.ports.log, cancel::cancel(args)),
        Some(engine) => within(args.ports.log, engine::cancel(args, engine)),
    }
}

pub(super) fn rollback(args: &Rollback) -> Exit {
    within(args.ports.log, rollback::back(args))
}

pub(super) fn fork(args: &Fork) -> Exit {
    stored_runs::look(rollback::fork(args))
}

async fn begin(args: &Run) -> Result<Exit, Exit> {
    if args.detach {
        return detached::begin(args).await;
    }
    let begin = setup::prepare(args).await?;
    // From here on a run that a signal interrupts can continue.
    let signals = Signals::listen();
    let start = Start {
        run: args.id.as_deref().unwrap_or_default().into(),
        input: begin.input,
        seed: args.seed,
        ..Start::default()
    };
    let runs = Runs::of(begin.setup.store.clone());
    let run = runs.begin(&begin.setup.driver, &begin.text, start).await;
    let run = run.map_err(|error| refused(&begin.setup, &args.command(), &error))?;
    screen::say_run(run.id());
    Ok(drive(&args.ports, begin.setup, run, signals).await)
}

/// Drives a run until it ends or waits, and says which.
async fn drive(ports: &Ports, mut setup: Setup, run: loopwright_core::drive::Run, signals: Signals) -> Exit {
    let hooks = setup.hooks.take();
    let servers = std::mem::take(&mut setup.servers);
    let (exit, at_once) = drive_on(ports, &setup, run, signals).await;
    if !at_once {
        servers.close().await;
    }
    if let Some(hooks) = hooks {
        hooks::end(hooks, at_once).await;
    }
    exit
}

/// As [`drive`]; also returns true if a second signal wanted an end at once.
async fn drive_on(
    ports: &Ports,
    setup: &Setup,
    mut run: loopwright_core::drive::Run,
    signals: Signals,
) -> (Exit, bool) {
    let (twice, hearing) = (signals.interrupt(run.handle()), run.hear());
    let finished = tokio::select! {
        finished = run.drive() => finished,
        () = twice => Ok(Finished::Stopped),
        never = hearing => match never {},
    };
    if let Some(progress) = &setup.progress {
        progress.clear();
    }
    if let Some(speech) = &setup.speech {
        speech.clear();
    }
    let again = ports.resume(run.id(), &[]);
    let mut summary = setup.summary.as_ref().map(|summary| summary.text(run.view(), run.spent()));
    if let Some(script) = &setup.script {
        let failed = matches!(&finished, Ok(Finished::Done(done)) if !done.ok);
        say_script_faults(&script.faults(failed), &setup.sources);
    }
    let stands = matches!(finished, Ok(Finished::Done(_) | Finished::Waiting { .. }));
    let at_once = matches!(finished, Ok(Finished::Stopped));
    let exit = match finished {
        Ok(Finished::Done(done)) => {
            let node = current_node(&run);
            if let Some(origin) = run.origin() {
                point(&done, &node, origin, &setup.sources);
            }
            ended(ports.format, run.id(), &done, &node)
        }
        Ok(Finished::Waiting { asks, .. }) => {
            waiting(ports.format, run.id(), &asks, &|more| ports.resume(run.id(), more))
        }
        Ok(stopped) => {
            if let Some(summary) = summary.take() {
                screen::say(&summary);
            }
            if ports.format == RunFormat::Json {
                let document = serde_json::json!({"run": run.id(), "status": "interrupted"});
                screen::print(&screen::json(&document));
            }
            interrupted(&stopped, run.id(), &again)
        }
        Err(error) => {
            let exit = refused(setup, &again, &error);
            if matches!(error, DriveError::Store(StoreError::Full(_) | StoreError::Failed(_))) {
                screen::say(&format!("what was stored is safe; to continue, run:\n  {again}\n"));
            }
            exit
        }
    };
    if let Some(summary) = summary {
        screen::say(&summary);
    }
    let exit = match &setup.recorder {
        Some(recorder) if stands => {
            exit.worse(record::write(recorder, &*setup.store, &setup.model, run.id(), run.snapshot()).await)
        }
        _ => exit,
    };
    (exit, at_once)
}

/// Says that the run was left where it was, last how it continues.
fn interrupted(how: &Finished, run: &str, again: &str) -> Exit {
    let how = match how {
        Finished::Interrupted { signal } => format!("was interrupted by {signal}"),
        _ => "was stopped".to_owned(),
    };
    screen::say(&format!("the run {} {how}; to continue, run:\n  {again}\n", screen::line(run)));
    Exit::Interrupted
}

/// Says what is wrong with the script: what the graph makes of it comes after.
fn say_script_faults(faults: &[(Option<Span>, String)], sources: &Sources) {
    let found = |(span, message): &(Option<Span>, String)| {
        span.map(|span| Diagnostic::error(rule::SCENARIO_ANSWER, span.head(), screen::line(message)))
    };
    let placed: Vec<Diagnostic> = faults.iter().filter_map(found).collect();
    screen::findings(&placed, sources);
    for (_, message) in faults.iter().filter(|(span, _)| span.is_none()) {
        screen::say(&format!("error: {}\n", screen::line(message)));
    }
}

/// Shows where in the graph's text the error happened that ended the run.
fn point(done: &Done, node: &str, origin: FaultOrigin, sources: &Sources) {
    let found = failed_run(node, &done.error, origin.span, origin.frame == 0);
    screen::findings(&[found], sources);
}

/// Says how the run ended, and at which node if it failed.
fn ended(format: RunFormat, run: &str, done: &Done, node: &Str) -> Exit {
    let exit = match (done.ok, done.outcome.as_str()) {
        (true, _) => Exit::Ok,
        (false, "cancelled") => Exit::Interrupted,
        (false, _) => Exit::Findings,
    };
    match format {
        // The last event of the stream says it.
        RunFormat::Jsonl => exit,
        RunFormat::Json => {
            let status = RunStatus::Done { outcome: done.outcome.clone(), ok: done.ok };
            let document = serde_json::json!({
                "run": run,
                "status": status.word(false),
                "outcome": done.outcome.as_str(),
                "ok": done.ok,
                "output": done.output.to_json(),
                "error": done.error.to_json(),
            });
            screen::print(&screen::json(&document)).worse(exit)
        }
        RunFormat::Human => {
            let mut text = format!("outcome: {}\n", stored_runs::outcome(done));
            if let Some(message) = done.error.as_map().and_then(|e| e.get("message")).and_then(|m| m.as_str())
            {
                let _ = writeln!(text, "error at {node}: {}", screen::set_in(message));
            }
            for (name, value) in done.output.as_map().into_iter().flat_map(loopwright_core::value::Map::iter)
            {
                let _ = writeln!(text, "{}: {}", screen::line(name), screen::set_in(&shown(value)));
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
        Value::Usd(amount) => format!("${}", usd::text(*amount)),
        Value::Duration(time) => duration::text(*time),
        Value::List(items) if json().len() > MAX_PRINTED_JSON_BYTES => {
            format!("{} items (see `--format json`)", items.len())
        }
        Value::Map(fields) if json().len() > MAX_PRINTED_JSON_BYTES => {
            format!("{} fields (see `--format json`)", fields.len())
        }
        _ => json(),
    }
}

/// Says what the run waits for, and how to answer.
fn waiting(format: RunFormat, run: &str, asks: &[Question], resume: &dyn Fn(&[&str]) -> String) -> Exit {
    let mut text = String::new();
    for ask in asks {
        let words = form::words(&ask.schema);
        let words = if words.is_empty() { String::new() } else { format!(" [{}]", words.join("/")) };
        let question = format!("{}{words}", approval::shown(ask));
        let _ = writeln!(text, "waiting for a person at {}: {question}", ask.node);
    }
    text += "to answer, run:\n";
    for ask in asks {
        // What is approved is named: the command says yes to this call alone.
        let answer = ask.approval().map_or("ANSWER".to_owned(), |hash| format!("approve {hash}"));
        let command = match asks {
            [_] => resume(&["--answer", &answer]),
            _ => resume(&["--ask", &ask.id.0, "--answer", &answer]),
        };
        let _ = writeln!(text, "  {command}");
    }
    if format == RunFormat::Human {
        return screen::print(&text).worse(Exit::Waiting);
    }
    screen::say(&text);
    if format == RunFormat::Json {
        let asks: Vec<_> = asks.iter().map(question_json).collect();
        let document =
            serde_json::json!({"run": run, "status": RunStatus::Waiting.word(false), "asks": asks});
        return screen::print(&screen::json(&document)).worse(Exit::Waiting);
    }
    Exit::Waiting
}

/// A run that could not begin or continue; the command is the one that was meant to.
fn refused(setup: &Setup, command: &str, error: &DriveError) -> Exit {
    match error {
        DriveError::Grants(names) => missing_grants(&setup.grants, command, names),
        _ => screen::refuse(&error.to_string()),
    }
}
