//! Stored runs, as the commands find them that look at them or resume them, and the words for what is wrong with them.

use std::fmt::Display;

use super::args::Engine;
use super::{Exit, limits, screen};
use loopwright_core::app::{OpenError, OpenRun, ReadError, Runs};
use loopwright_core::machine::Done;
use loopwright_core::port::StoreError;
use loopwright_core::store::StoreAddress;

/// The runs of an engine, or those of a store, to look at them.
pub(super) fn open_at(engine: Option<&Engine>, db: &StoreAddress) -> Result<Runs, Exit> {
    match engine {
        None => open(db),
        Some(engine) => super::engine::runs(engine),
    }
}

/// Does something with stored runs and says how that ended.
pub(super) fn look(work: impl Future<Output = Result<Exit, Exit>>) -> Exit {
    reads(work).unwrap_or_else(|exit| exit)
}

/// Reads something of stored runs. What is wrong has been reported.
pub(super) fn reads<T>(work: impl Future<Output = Result<T, Exit>>) -> Result<T, Exit> {
    limits::runtime(true)?.block_on(work)
}

/// The store of runs, to look at them.
pub(super) fn open(db: &StoreAddress) -> Result<Runs, Exit> {
    Runs::open_to_read(db).map_err(|error| not_open(&error))
}

/// The store of runs, to resume them. It is not made if it is not there.
pub(super) fn open_to_write(db: &StoreAddress) -> Result<Runs, Exit> {
    Runs::open(db).map_err(|error| not_open(&error))
}

/// The refusal of a file that is not opened.
pub(super) fn not_open(error: &OpenError) -> Exit {
    let help = match error {
        OpenError::Missing(_) => {
            "; runs are stored in the folder in which `run` was started, or in the store that its `--db` named"
        }
        _ => "",
    };
    screen::refuse(&format!("{error}{help}"))
}

/// Finds a run by its id. What is wrong has been reported.
pub(super) async fn find(runs: Runs, place: &dyn Display, run: &str) -> Result<OpenRun, Exit> {
    runs.find(run).await.map_err(|error| unread(place, &error))
}

/// The same, with all programs that the run ever went by.
pub(super) async fn find_whole(runs: Runs, place: &dyn Display, run: &str) -> Result<OpenRun, Exit> {
    runs.find_whole(run).await.map_err(|error| unread(place, &error))
}

/// The refusal of a store whose runs no worker takes.
pub(super) fn no_queue(flag: &str, db: &StoreAddress) -> Exit {
    let why = format!(
        "{flag}: runs in {} are driven by the command that begins or resumes them",
        screen::line(&db.to_string())
    );
    screen::refuse_with(&why, "workers share a database: --db postgres://USER@HOST/DATABASE")
}

/// Refuses a run that has ended.
pub(super) fn goes_on(run: &OpenRun) -> Result<(), Exit> {
    let Some(outcome) = run.outcome() else { return Ok(()) };
    let (run, outcome) = (&run.info.run, screen::line(outcome));
    Err(screen::refuse(&format!("the run `{run}` ended: {outcome}; `loopwright show` shows it")))
}

/// The refusal of a run that the store cannot read, with what helps.
pub(super) fn refuse(place: &dyn Display, error: &StoreError) -> Exit {
    let help = if matches!(error, StoreError::Unknown(_)) {
        format!(" in {place}; `loopwright runs` lists those that are")
    } else {
        String::new()
    };
    screen::refuse(&format!("{error}{help}"))
}

/// The refusal of a run that cannot be read.
pub(super) fn unread(place: &dyn Display, error: &ReadError) -> Exit {
    match error {
        ReadError::Store(error) => return refuse(place, error),
        ReadError::OtherProgram(found) => screen::findings(&found.0, &found.1),
        _ => {}
    }
    screen::refuse(&error.to_string())
}

/// The outcome of a run in words for people.
pub(super) fn outcome(done: &Done) -> String {
    let failed = if done.ok { "" } else { " (not ok)" };
    format!("{}{failed}", screen::line(&done.outcome))
}
