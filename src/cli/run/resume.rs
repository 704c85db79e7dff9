//! `resume`: a kept run goes on.

use super::setup::{self, Setup};
use super::{edited, form, keys};
use crate::cli::args::Resume;
use crate::cli::kept::{self, KeptRun};
use crate::cli::trust::Place;
use crate::cli::{Exit, screen};
use crate::drive::Signals;
use crate::machine::{Ask, Snapshot, check_answer};
use crate::source::Sources;
use crate::value::Value;

/// Goes on with a run: with its stored program or an edited graph, and with the answer that was given.
pub(super) async fn go_on(args: &Resume) -> Result<Exit, Exit> {
    let db = &args.ports.db;
    let command = args.ports.resume(&args.run, &further_words(args));
    Place::admit(db, &args.ports.trust, &command)?;
    let kept = KeptRun::find(kept::open_to_write(db)?, db, &args.run).await?;
    kept.goes_on()?;
    let stood = kept.state(db, None).await?;
    let graph = args.with.as_ref().unwrap_or(&kept.main);
    let configured = setup::configured(&args.ports, graph, &mut Sources::new())?;
    let (kept, edited) = match &args.with {
        None => (kept, None),
        Some(file) => {
            let (kept, edited) = edited::read(file, &args.ports.reach, &configured.0, &stood, kept)?;
            (kept, Some(edited))
        }
    };
    let stands = edited.as_ref().map_or(&stood, |edited| edited.stands(&stood));
    // It is looked for among the questions that were put: nobody answers what was not asked yet.
    let answered = match &args.answer {
        None => None,
        Some(answer) => Some(question(args, stands, answer)?),
    };
    if let (Some(_), Some((ask, answer))) = (&edited, &answered)
        && let Err(why) = check_answer(&kept.program, stands, &ask.id, answer)
    {
        return Err(screen::refuse(&unfit(ask, &why)));
    }
    let entries = if args.ports.script.is_some() { kept.entries(db).await? } else { Vec::new() };
    let setup = setup::again(&args.ports, kept, configured)?;
    if let Some(world) = &setup.world {
        entries.iter().flat_map(|entry| &entry.events).for_each(|event| world.catch_up(event));
    }
    let signals = Signals::listen();
    let taken = match &edited {
        None => setup.driver.reopen(&args.run).await,
        Some(edited) => {
            keys::without_keys(&edited.text, &setup.mask)?;
            setup.driver.adopt(&args.run, &edited.text).await
        }
    };
    let mut run = taken.map_err(|error| super::refused(&setup, &command, &error))?;
    if let Some(edited) = &edited {
        edited.say(&args.run);
    }
    if let Some((ask, answer)) = answered
        && let Err(why) = run.answer(&ask.id, setup.mask.value(answer))
    {
        return Err(misfit(&setup, run, &ask, &why).await);
    }
    Ok(super::drive(&args.ports, &setup, run, signals).await)
}

fn further_words(args: &Resume) -> Vec<&str> {
    let flags = [("--with", &args.with), ("--ask", &args.ask), ("--answer", &args.answer)];
    flags.into_iter().filter_map(|(flag, value)| Some([flag, value.as_deref()?])).flatten().collect()
}

/// The question that is meant, and its answer.
fn question(args: &Resume, snapshot: &Snapshot, answer: &str) -> Result<(Ask, Value), Exit> {
    let asks: Vec<&Ask> = snapshot.asks().collect();
    let names = || asks.iter().map(|ask| format!("`{}`", ask.id.0)).collect::<Vec<_>>().join(", ");
    let found = match (&args.ask, asks.as_slice()) {
        (_, []) => Err("it asks nothing; resume it without `--answer`".to_owned()),
        (None, [ask]) => Ok(*ask),
        (None, _) => Err(format!("it asks several questions; say which with `--ask`: {}", names())),
        (Some(id), all) => {
            let found = all.iter().find(|ask| ask.id.0 == **id).copied();
            found.ok_or_else(|| format!("it does not ask `{id}`; open are {}", names()))
        }
    };
    let ask = found.map_err(|why| screen::refuse(&format!("the run `{}`: {why}", args.run)))?;
    Ok((ask.clone(), form::answer(answer, &ask.schema)))
}

/// Says that an answer does not fit, and leaves the run as it was.
async fn misfit(setup: &Setup, run: crate::drive::Run, ask: &Ask, why: &str) -> Exit {
    // Where giving the lease back fails, it runs out by itself.
    let _ = run.leave().await;
    if let Some(progress) = &setup.progress {
        progress.clear();
    }
    screen::refuse(&unfit(ask, why))
}

fn unfit(ask: &Ask, why: &str) -> String {
    format!("the answer does not fit the question at {}: {}", ask.node, why)
}
