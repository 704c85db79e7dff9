//! `resume`: a stored run continues.

use super::setup::{self, Setup};
use super::{approval, detached, edited, graph, keys};
use crate::cli::args::Resume;
use crate::cli::trust::{ask_store, choose, store_at};
use crate::cli::{Exit, screen, stored_runs};
use loopwright_core::app::{AnswerError, open_question};
use loopwright_core::drive::Signals;
use loopwright_core::machine::{Question, Snapshot, check_answer};
use loopwright_core::source::Sources;
use loopwright_core::value::{Str, Value};

/// Resumes a run: with its stored program or an edited graph, and with the answer that was given.
pub(super) async fn go_on(args: &Resume) -> Result<Exit, Exit> {
    let db = &args.ports.db;
    let command = args.ports.resume(&args.run, &further_words(args));
    let mut place = store_at(db, &args.ports.trust)?;
    if !place.is_own() {
        let about = about(args).await?;
        ask_store(&mut place, &command, &about)?;
    }
    let stored = stored_runs::find(stored_runs::open_to_write(db)?, db, &args.run).await?;
    stored_runs::goes_on(&stored)?;
    let stood = stored.state(None).await.map_err(|error| stored_runs::unread(db, &error))?;
    let configured = match &args.with {
        None => setup::configured_again(&args.ports, &stored.main)?,
        Some(graph) => setup::configured(&args.ports, graph, &mut Sources::new())?,
    };
    let (stored, edited) = match &args.with {
        None => {
            graph::refuse_flows(&args.ports, &stored, &stood)?;
            (stored, None)
        }
        Some(file) => {
            let (stored, edited) = edited::read(file, &args.ports, &configured.0, &stood, stored)?;
            (stored, Some((file, edited)))
        }
    };
    let (file, edited) = edited.unzip();
    let stands = edited.as_ref().map_or(&stood, |edited| edited.stands(&stood));
    // It is looked for among the questions that were put: nobody answers what was not asked yet.
    let answered = match &args.answer {
        None => None,
        Some(answer) => Some(question(args, stands, answer)?),
    };
    if let (Some(_), Some((ask, answer))) = (&edited, &answered)
        && let Err(why) = check_answer(&stored.program, stands, &ask.id, answer)
    {
        return Err(screen::refuse(&approval::unfit(ask, &why)));
    }
    let entries = match &args.ports.script {
        Some(_) => stored.entries().await.map_err(|error| stored_runs::unread(db, &error))?,
        None => Vec::new(),
    };
    if args.detach {
        let answered = answered.map(|(ask, answer)| (ask, configured.1.value(answer)));
        return detached::resume(args, &stored, &stood, answered).await;
    }
    let setup = setup::again(&args.ports, &stored, configured).await?;
    if let Some(script) = &setup.script {
        entries.iter().flat_map(|entry| &entry.events).for_each(|event| script.catch_up(event));
    }
    let signals = Signals::listen();
    if let Some(edited) = &edited {
        keys::without_keys(&edited.text, &setup.mask)?;
    }
    let taken = stored.resume(&setup.driver, edited.as_ref()).await;
    let mut run = taken.map_err(|error| super::refused(&setup, &command, &error))?;
    if let Some((file, edited)) = file.zip(edited.as_ref()) {
        edited::say(edited, file, &args.run);
    }
    if let Some((ask, answer)) = answered
        && let Err(why) = run.answer(&ask.id, setup.mask.value(answer))
    {
        return Err(misfit(&setup, run, &ask, &why).await);
    }
    Ok(super::drive(&args.ports, setup, run, signals).await)
}

/// Describes what resuming a run that somebody else stored would do. The store is read for that, but not
/// trusted.
async fn about(args: &Resume) -> Result<String, Exit> {
    let stored = stored_runs::find(stored_runs::open(&args.ports.db)?, &args.ports.db, &args.run).await?;
    let graph = args.with.as_ref().unwrap_or(&stored.main);
    let configuration = choose(&args.ports, graph)?;
    let configuration = configuration.map_or_else(
        || "no configuration".to_owned(),
        |choice| format!("the configuration {}", screen::path(&choice.taken)),
    );
    let (run, graph) = (screen::line(&args.run), screen::line(graph));
    Ok(format!("the run `{run}` continues as the graph {graph}, with {configuration}\n"))
}

fn further_words(args: &Resume) -> Vec<&str> {
    let flags = [("--with", &args.with), ("--ask", &args.ask), ("--answer", &args.answer)];
    flags.into_iter().filter_map(|(flag, value)| Some([flag, value.as_deref()?])).flatten().collect()
}

/// The question that is meant, and its answer.
pub(super) fn question(args: &Resume, snapshot: &Snapshot, answer: &str) -> Result<(Question, Value), Exit> {
    let names = |open: &[Str]| open.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    let ask = open_question(snapshot, args.ask.as_deref()).map_err(|error| {
        let why = match error {
            AnswerError::Nothing => "it asks nothing; resume it without `--answer`".to_owned(),
            AnswerError::Several(open) => {
                format!("it asks several questions; say which with `--ask`: {}", names(&open))
            }
            other => other.to_string(),
        };
        screen::refuse(&format!("the run `{}`: {why}", args.run))
    })?;
    Ok((ask.clone(), approval::answer(answer, ask, false)))
}

/// Says that an answer does not fit, and leaves the run as it was.
async fn misfit(setup: &Setup, run: loopwright_core::drive::Run, ask: &Question, why: &str) -> Exit {
    // Where giving the lease back fails, it runs out by itself.
    let _ = run.leave().await;
    if let Some(progress) = &setup.progress {
        progress.clear();
    }
    screen::refuse(&approval::unfit(ask, why))
}
