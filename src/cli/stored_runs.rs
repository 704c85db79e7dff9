//! Stored runs, as the commands find them that look at them or resume them, and the words for what is wrong with them.

use std::fmt::{Display, Write as _};

use super::args::{Engine, RunReferences};
use super::{Exit, limits, screen};
use loopwright_core::app::{OpenError, OpenRun, ReadError, Runs};
use loopwright_core::machine::{Done, timestamp};
use loopwright_core::port::{RunFilter, RunStatus, StoreError};
use loopwright_core::store::StoreAddress;

/// The runs of an engine, or those of a store, to look at them.
pub(super) fn open_at(engine: Option<&Engine>, db: &StoreAddress) -> Result<Runs, Exit> {
    match engine {
        None => open(db),
        Some(engine) => super::engine::runs(engine),
    }
}

/// The word for the run that began last.
const LAST: &str = "last";

/// The precision of times for people, in nanoseconds.
const SECOND_NS: i64 = 1_000_000_000;

/// The greatest number of runs that are listed where a word fits several.
const MAX_CANDIDATES: usize = 10;

/// Puts ids in place of the words by which a command names its runs: the beginning of an id that no other has, or `last`. A word
/// that names none is left to the command, which says so, and so is a store that cannot be opened.
pub(super) fn resolve(named: RunReferences<'_>) -> Result<(), Exit> {
    // An id as programs hand them on costs no further look at the store.
    let mut words: Vec<_> = named.words.into_iter().filter(|word| !is_made(word)).collect();
    if words.is_empty() || named.db.file().is_some_and(|file| !file.exists()) {
        return Ok(());
    }
    let opened = match named.engine {
        None => Runs::open_to_read(named.db).ok(),
        Some(engine) => super::engine::runs(engine).ok(),
    };
    let Some(runs) = opened else { return Ok(()) };
    for word in &mut words {
        if let Some(id) = limits::runtime(true)?.block_on(meant(&runs, word))? {
            screen::say_run(&id);
            **word = id;
        }
    }
    Ok(())
}

/// True for an id that was made from the time.
fn is_made(word: &str) -> bool {
    word.strip_prefix("run-")
        .is_some_and(|rest| rest.len() == 16 && rest.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The id that a word stands for; none where it is an id itself, or stands for nothing.
async fn meant(runs: &Runs, word: &str) -> Result<Option<String>, Exit> {
    let Ok(known) = runs.store().runs().await else { return Ok(None) };
    if known.iter().any(|info| info.run == word) || word.is_empty() {
        return Ok(None);
    }
    let fit: Vec<_> = known.iter().filter(|info| info.run.starts_with(word)).collect();
    match fit.as_slice() {
        [] if word == LAST => {
            let newest = runs.store().page(&RunFilter::all(1)).await.ok();
            Ok(newest.and_then(|page| Some(page.runs.first()?.info.run.to_string())))
        }
        [] => Ok(None),
        [one] => Ok(Some(one.run.to_string())),
        many => {
            let mut text = format!("`{}` is the beginning of {} ids:", screen::line(word), many.len());
            for info in many.iter().rev().take(MAX_CANDIDATES) {
                let [run, graph, status] =
                    [info.run.as_str(), info.graph.as_str(), &status(&info.status, false)].map(screen::line);
                let _ = write!(
                    text,
                    "\n  {run}  {graph}  {status}  {}",
                    timestamp(info.started - info.started.rem_euclid(SECOND_NS))
                );
            }
            if many.len() > MAX_CANDIDATES {
                let _ = write!(text, "\n  and {} more", many.len() - MAX_CANDIDATES);
            }
            Err(screen::refuse_lines(&(text + "\nhelp: write more of the id")))
        }
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

/// The state of a run in words for people; `driven` is true where somebody drives it now.
pub(super) fn status(status: &RunStatus, driven: bool) -> String {
    let word = status.word(driven);
    match status {
        RunStatus::Waiting => format!("{word} for a person"),
        RunStatus::Done { outcome, .. } if outcome != word => format!("{word}: {}", screen::line(outcome)),
        _ => word.to_owned(),
    }
}
