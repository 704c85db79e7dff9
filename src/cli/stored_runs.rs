//! Stored runs, as the commands find them that look at them or resume them, and the words for what is wrong with them.

use std::path::Path;

use super::args::Engine;
use super::{Exit, limits, screen};
use loopwright_core::app::{OpenError, OpenRun, ReadError, Runs};
use loopwright_core::machine::Done;
use loopwright_core::port::StoreError;

/// The runs of an engine, or those in a file, to look at them.
pub(super) fn open_at(engine: Option<&Engine>, db: &Path) -> Result<Runs, Exit> {
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

/// The file of runs, to look at them.
pub(super) fn open(db: &Path) -> Result<Runs, Exit> {
    Runs::open_to_read(db).map_err(|error| not_open(&error))
}

/// The file of runs, to resume them. It is not made if it is not there.
pub(super) fn open_to_write(db: &Path) -> Result<Runs, Exit> {
    Runs::open(db).map_err(|error| not_open(&error))
}

/// The refusal of a file that is not opened.
pub(super) fn not_open(error: &OpenError) -> Exit {
    let help = match error {
        OpenError::Missing(_) => {
            "; runs are stored in the folder in which `run` was started, or in the file that its `--db` named"
        }
        _ => "",
    };
    screen::refuse(&format!("{error}{help}"))
}

/// Finds a run by its id. What is wrong has been reported.
pub(super) async fn find(runs: Runs, db: &Path, run: &str) -> Result<OpenRun, Exit> {
    runs.find(run).await.map_err(|error| unread(db, &error))
}

/// The same, with all programs that the run ever went by.
pub(super) async fn find_whole(runs: Runs, db: &Path, run: &str) -> Result<OpenRun, Exit> {
    runs.find_whole(run).await.map_err(|error| unread(db, &error))
}

/// Refuses a run that has ended.
pub(super) fn goes_on(run: &OpenRun) -> Result<(), Exit> {
    let Some(outcome) = run.outcome() else { return Ok(()) };
    let (run, outcome) = (&run.info.run, screen::line(outcome));
    Err(screen::refuse(&format!("the run `{run}` ended: {outcome}; `loopwright show` shows it")))
}

/// The refusal of a run that the store cannot read, with what helps.
pub(super) fn refuse(db: &Path, error: &StoreError) -> Exit {
    let help = if matches!(error, StoreError::Unknown(_)) {
        format!(" in {}; `loopwright runs` lists those that are", db.display())
    } else {
        String::new()
    };
    screen::refuse(&format!("{error}{help}"))
}

/// The refusal of a run that cannot be read.
pub(super) fn unread(db: &Path, error: &ReadError) -> Exit {
    match error {
        ReadError::Store(error) => return refuse(db, error),
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
