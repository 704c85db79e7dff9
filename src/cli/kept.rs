//! Kept runs, as the commands find them that look at them or go on with them.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::{Exit, limits, screen};
use crate::check::check_file;
use crate::compile::{compile_kept, compile_with_pause};
use crate::diag::{Diagnostic, Severity};
use crate::drive::{Driver, Programs, RebuildError, rebuild};
use crate::folder;
use crate::machine::{Done, InputKind, Interrupt, Snapshot};
use crate::model::{Files, Model};
use crate::port::{EntryCause, JournalEntry, ProgramText, RunInfo, RunStatus, Store, StoreError};
use crate::program::{Program, Semantics};
use crate::source::{Fragment, Sources};
use crate::store::Sqlite;
use crate::value::Str;

/// A run with the program it goes by: that which it began with, or that of an edited graph.
pub(super) struct KeptRun {
    pub(super) store: Arc<dyn Store>,
    pub(super) info: RunInfo,
    pub(super) model: Model,
    pub(super) program: Arc<Program>,
    /// The name of the graph's file when it was read.
    pub(super) main: String,
    /// The texts of the program.
    pub(super) sources: Sources,
    /// Where the operator wanted the run to stop when it began.
    pub(super) interrupt: Option<Interrupt>,
    /// Other programs that it went by.
    pub(super) earlier: Vec<Arc<Program>>,
}

/// Does something with kept runs and says how that ended.
pub(super) fn look(work: impl Future<Output = Result<Exit, Exit>>) -> Exit {
    reads(work).unwrap_or_else(|exit| exit)
}

/// Reads something of kept runs. What is wrong has been said.
pub(super) fn reads<T>(work: impl Future<Output = Result<T, Exit>>) -> Result<T, Exit> {
    limits::runtime(false)?.block_on(work)
}

/// The file of kept runs, to look at them: nothing is written to it, so it may lie where nothing can be.
pub(super) fn open(db: &Path) -> Result<Arc<Sqlite>, Exit> {
    there(db)?;
    Sqlite::open_to_read(db).map(Arc::new).map_err(|error| screen::refuse(&error.to_string()))
}

/// The file of kept runs, to go on with them. It is not made if it is not there.
pub(super) fn open_to_write(db: &Path) -> Result<Arc<Sqlite>, Exit> {
    there(db)?;
    Sqlite::open(db).map(Arc::new).map_err(|error| screen::refuse(&error.to_string()))
}

/// Refuses a file to which the way leads [out of its repository](folder::way).
pub(super) fn way(db: &Path) -> Result<(), Exit> {
    let folder = db.parent().unwrap_or(Path::new(""));
    folder::refuse_links_out(folder).map_err(|fault| screen::refuse(&format!("{}: {fault}", db.display())))
}

fn there(db: &Path) -> Result<(), Exit> {
    way(db)?;
    // A link to nowhere is something that is there.
    if db.symlink_metadata().is_err() {
        let message = format!(
            "{}: there is no such file; runs are kept in the folder in which `run` was started, or where its `--db` said",
            db.display()
        );
        return Err(screen::refuse(&message));
    }
    Ok(())
}

/// The refusal of a run that cannot be read, with what helps.
pub(super) fn refuse(db: &Path, error: &StoreError) -> Exit {
    let help = if matches!(error, StoreError::Unknown(_)) {
        format!(" in {}; `loopwright runs` lists those that are", db.display())
    } else {
        String::new()
    };
    screen::refuse(&format!("{error}{help}"))
}

/// The outcome of a run in words for people.
pub(super) fn outcome(done: &Done) -> String {
    let failed = if done.ok { "" } else { " (not ok)" };
    format!("{}{failed}", screen::line(&done.outcome))
}

/// The refusal of a step to which a run has not come.
pub(super) fn too_far(run: &str, last: u64, step: u64) -> Exit {
    screen::refuse(&format!("the run `{run}`: it stands at step {last}; it has not come to step {step}"))
}

/// The reasons for which a run cannot be read.
pub(super) enum Broken {
    /// The store cannot read it.
    Store(StoreError),
    /// The texts of its program were not kept.
    NoProgram(Str),
    /// This version does not make the program that it went by from its texts; what it finds in them.
    OtherProgram(Box<(Vec<Diagnostic>, Sources)>),
    /// The entries that were kept do not lead anywhere.
    Rebuild(RebuildError),
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::NoProgram(run) => {
                write!(f, "the program of the run `{run}` was not kept; it was run by another program")
            }
            Self::OtherProgram(_) => f.write_str(
                "this version of loopwright reads the run's graph in another way; go on with the version it began with",
            ),
            Self::Rebuild(error) => write!(f, "the run cannot be built again: {error}"),
        }
    }
}

impl Broken {
    /// Says it.
    fn say(&self, db: &Path) -> Exit {
        match self {
            Self::Store(error) => return refuse(db, error),
            Self::OtherProgram(found) => screen::findings(&found.0, &found.1),
            Self::NoProgram(_) | Self::Rebuild(_) => {}
        }
        screen::refuse(&self.to_string())
    }
}

impl KeptRun {
    /// Finds a run and compiles its program from the texts that were kept. What is wrong has been said.
    pub(super) async fn find(store: Arc<Sqlite>, db: &Path, run: &str) -> Result<Self, Exit> {
        Self::read(store, run).await.map_err(|broken| broken.say(db))
    }

    /// The same, with what is wrong.
    pub(super) async fn read(store: Arc<dyn Store>, run: &str) -> Result<Self, Broken> {
        let kept = store.load(run, None).await?;
        let info = kept.info;
        let first = kept.entries.first().filter(|_| kept.from == 0).map(interrupt);
        let stood = kept.snapshot.program;
        // What was kept of a run may be much: it is never there twice.
        let mut digests = digests(&info.program, &kept.entries);
        let first = first.map(Option::<&Interrupt>::cloned);
        drop(kept.entries);
        if stood != info.program && !stood.is_empty() {
            // It went on with an edited graph once: which it went by before is told by the whole journal.
            digests = self::digests(&info.program, &store.entries(run).await?);
        }
        let interrupt = match first {
            Some(interrupt) => interrupt,
            None => store.load(run, Some(1)).await?.entries.first().and_then(interrupt).cloned(),
        };
        let (last, before) = digests.split_last().expect("there is one at least");
        let Stored { model, program, main, sources } = stored(&store, run, last, interrupt.as_ref()).await?;
        let mut found = Self { store, info, model, program, main, sources, interrupt, earlier: Vec::new() };
        found.know(before).await?;
        Ok(found)
    }

    /// As [`KeptRun::find`], with all programs the run ever went by: for who looks at its whole way.
    pub(super) async fn whole(store: Arc<Sqlite>, db: &Path, run: &str) -> Result<Self, Exit> {
        let mut kept = Self::find(store, db, run).await?;
        let digests = digests(&kept.info.program, &kept.entries(db).await?);
        kept.know(&digests).await.map_err(|broken| broken.say(db))?;
        Ok(kept)
    }

    /// Compiles those programs that are not there yet.
    async fn know(&mut self, digests: &[Str]) -> Result<(), Broken> {
        for digest in digests {
            if self.by(digest).is_none() {
                let interrupt = self.interrupt.as_ref();
                let other = stored(&self.store, &self.info.run, digest, interrupt).await?;
                self.earlier.push(other.program);
            }
        }
        Ok(())
    }

    /// Refuses a run that has ended.
    pub(super) fn goes_on(&self) -> Result<(), Exit> {
        let RunStatus::Done { outcome, .. } = &self.info.status else { return Ok(()) };
        let (run, outcome) = (&self.info.run, screen::line(outcome));
        Err(screen::refuse(&format!("the run `{run}` ended: {outcome}; `loopwright show` shows it")))
    }

    /// The program of that digest, if the run went by it.
    pub(super) fn by(&self, digest: &str) -> Option<&Arc<Program>> {
        std::iter::once(&self.program).chain(&self.earlier).find(|program| program.digest == digest)
    }

    /// All programs that are known of the run.
    pub(super) fn programs(&self) -> Programs<'_> {
        std::iter::once(&self.program).chain(&self.earlier).collect()
    }

    /// Where the run stands, or stood at a step.
    pub(super) async fn state(&self, db: &Path, at: Option<u64>) -> Result<Snapshot, Exit> {
        if let Some(step) = at {
            let driver = Driver::new(self.program.clone());
            let driver = driver.earlier(self.earlier.iter().cloned()).store(self.store.clone());
            let found = driver.state_at(&self.info.run, step).await;
            let found = found.map_err(|error| screen::refuse(&error.to_string()))?;
            let Some(place) = found else {
                let last = self.entries(db).await?.last().map_or(0, |entry| entry.step);
                return Err(too_far(&self.info.run, last, step));
            };
            return Ok(place.snapshot);
        }
        self.stands().await.map_err(|broken| broken.say(db))
    }

    /// The snapshot at which the run stands.
    pub(super) async fn stands(&self) -> Result<Snapshot, Broken> {
        let kept = self.store.load(&self.info.run, None).await?;
        rebuild(self.programs(), &kept).map_err(Broken::Rebuild)
    }

    /// The state the run began with: a run before its first input, or the step at which it branched off another one.
    pub(super) async fn beginning(&self, db: &Path) -> Result<Snapshot, Exit> {
        let kept = self.store.load(&self.info.run, Some(0)).await.map_err(|error| refuse(db, &error))?;
        Ok(kept.snapshot)
    }

    /// The whole journal.
    pub(super) async fn entries(&self, db: &Path) -> Result<Vec<JournalEntry>, Exit> {
        self.store.entries(&self.info.run).await.map_err(|error| refuse(db, &error))
    }
}

/// A program that was kept.
struct Stored {
    model: Model,
    program: Arc<Program>,
    main: String,
    sources: Sources,
}

async fn stored(
    store: &Arc<dyn Store>,
    run: &str,
    digest: &str,
    interrupt: Option<&Interrupt>,
) -> Result<Stored, Broken> {
    let Some(text) = store.program(digest).await? else { return Err(Broken::NoProgram(run.into())) };
    let mut sources = Sources::new();
    match made(&text, interrupt, &mut sources) {
        Ok((model, program)) => {
            Ok(Stored { model, program: Arc::new(program), main: text.main.to_string(), sources })
        }
        Err(findings) => Err(Broken::OtherProgram(Box::new((findings, sources)))),
    }
}

/// Compiles the texts of a program again, with the operator's pause.
fn made(
    text: &ProgramText,
    interrupt: Option<&Interrupt>,
    sources: &mut Sources,
) -> Result<(Model, Program), Vec<Diagnostic>> {
    let (model, program) = compiled(text, sources)?;
    match interrupt {
        None => Ok((model, program)),
        Some(interrupt) => {
            paused(&model, interrupt, program.semantics, sources).map(|program| (model, program))
        }
    }
}

/// The programs a run went by, as far as entries tell, the first one first.
fn digests(first: &Str, entries: &[JournalEntry]) -> Vec<Str> {
    let moved = entries.iter().filter_map(|entry| match &entry.cause {
        EntryCause::Moved { program, .. } => Some(program.clone()),
        _ => None,
    });
    std::iter::once(first.clone()).chain(moved).collect()
}

/// Where the operator wanted the run to stop when it began.
fn interrupt(first: &JournalEntry) -> Option<&Interrupt> {
    match &first.cause {
        EntryCause::Input(InputKind::Started(start)) => start.interrupt.as_ref(),
        _ => None,
    }
}

/// Compiles a graph with an operator's pause, and says what is wrong with its condition.
pub(super) fn with_pause(
    model: &Model,
    interrupt: &Interrupt,
    semantics: Semantics,
    sources: &mut Sources,
) -> Result<Program, Exit> {
    paused(model, interrupt, semantics, sources).map_err(|findings| {
        screen::findings(&findings, sources);
        Exit::Usage
    })
}

/// The same, with what is wrong.
fn paused(
    model: &Model,
    interrupt: &Interrupt,
    semantics: Semantics,
    sources: &mut Sources,
) -> Result<Program, Vec<Diagnostic>> {
    let when = interrupt.when.as_ref().map(|text| {
        let file = sources.add("--interrupt-when", text.as_str());
        Fragment::verbatim(text.as_str(), file, 0)
    });
    compile_with_pause(model, when.as_ref(), interrupt.every, semantics)
}

/// Compiles the texts of a program again, with the meaning it has.
fn compiled(text: &ProgramText, sources: &mut Sources) -> Result<(Model, Program), Vec<Diagnostic>> {
    let mut files =
        text.files.iter().fold(Files::new(), |files, (name, text)| files.with(name.as_str(), text.as_str()));
    let checked = check_file(sources, &mut files, &text.main);
    let errors: Vec<Diagnostic> =
        checked.findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect();
    let Some(model) = checked.model.filter(|_| errors.is_empty()) else {
        return Err(errors);
    };
    match compile_kept(&model, &text.digest) {
        Ok(Some(program)) => Ok((model, program)),
        _ => Err(Vec::new()),
    }
}
