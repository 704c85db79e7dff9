//! Kept runs, as the commands find them that look at them or go on with them.

use std::path::Path;
use std::sync::Arc;

use super::{Exit, screen};
use crate::check::check_file;
use crate::diag::{self, Diagnostic, Severity};
use crate::drive::{Driver, rebuild};
use crate::machine::{InputKind, Interrupt, Snapshot};
use crate::model::{Files, Model};
use crate::port::{Cause, Entry, ProgramText, RunInfo, Store, StoreError};
use crate::program::{Program, compile, compile_with_pause};
use crate::source::{Fragment, Sources};
use crate::store::Sqlite;

/// A run with the program it began with.
pub(super) struct KeptRun {
    pub(super) store: Arc<dyn Store>,
    pub(super) info: RunInfo,
    pub(super) model: Model,
    pub(super) program: Arc<Program>,
    /// The name of the graph's file when the run began.
    pub(super) main: String,
    /// The texts of the program.
    pub(super) sources: Sources,
}

/// Does something with kept runs and says how that ended.
pub(super) fn look(work: impl Future<Output = Result<Exit, Exit>>) -> Exit {
    reads(work).unwrap_or_else(|exit| exit)
}

/// Reads something of kept runs. What is wrong has been said.
pub(super) fn reads<T>(work: impl Future<Output = Result<T, Exit>>) -> Result<T, Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let failed = |error| screen::refuse(&format!("no thread can be started: {error}"));
    runtime.map_err(failed)?.block_on(work)
}

/// The file of kept runs. It is not made if it is not there.
pub(super) fn open(db: &Path) -> Result<Arc<Sqlite>, Exit> {
    if !db.exists() {
        let message = format!(
            "{}: there is no such file; runs are kept in the folder in which `run` was started, or where its `--db` said",
            db.display()
        );
        return Err(screen::refuse(&message));
    }
    Sqlite::open(db).map(Arc::new).map_err(|error| screen::refuse(&error.to_string()))
}

/// Why a run cannot be read, with what helps.
pub(super) fn refuse(db: &Path, error: &StoreError) -> Exit {
    let help = if matches!(error, StoreError::Unknown(_)) {
        format!(" in {}; `loopwright runs` lists those that are", db.display())
    } else {
        String::new()
    };
    screen::refuse(&format!("{}{help}", screen::line(&error.to_string())))
}

impl KeptRun {
    /// Finds a run and compiles its program from the texts that were kept.
    pub(super) async fn find(db: &Path, run: &str) -> Result<Self, Exit> {
        let store: Arc<dyn Store> = open(db)?;
        let refuse = |error: StoreError| refuse(db, &error);
        let found = store.runs().await.map_err(refuse)?.into_iter().find(|info| info.run == run);
        let info = found.ok_or_else(|| refuse(StoreError::Unknown(run.into())))?;
        let text = store.program(&info.program).await.map_err(refuse)?;
        let Some(text) = text else {
            let message =
                format!("the program of the run `{run}` was not kept; it was run by another program");
            return Err(screen::refuse(&message));
        };
        let mut sources = Sources::new();
        let (model, mut program) = compiled(&text, &mut sources)?;
        let first = store.load(run, Some(1)).await.map_err(refuse)?;
        if let Some(interrupt) = first.entries.first().and_then(interrupt) {
            program = with_pause(&model, interrupt, &mut sources)?;
        }
        let program = Arc::new(program);
        Ok(Self { store, info, model, program, main: text.main.to_string(), sources })
    }

    /// Where the run stands, or stood at a step.
    pub(super) async fn state(&self, db: &Path, at: Option<u64>) -> Result<Snapshot, Exit> {
        if let Some(step) = at {
            let driver = Driver::new(self.program.clone()).store(self.store.clone());
            let found = driver.state_at(&self.info.run, step).await;
            let found = found.map_err(|error| screen::refuse(&error.to_string()))?;
            let Some(place) = found else {
                let last = self.entries(db).await?.last().map_or(0, |entry| entry.step);
                let why = format!("it stands at step {last}; it has not come to step {step}");
                return Err(screen::refuse(&format!("the run `{}`: {why}", self.info.run)));
            };
            return Ok(place.snapshot);
        }
        let kept = self.store.load(&self.info.run, None).await.map_err(|error| refuse(db, &error))?;
        rebuild(&self.program, &kept)
            .map_err(|error| screen::refuse(&format!("the run cannot be built again: {error}")))
    }

    /// The state the run began with: a run before its first input, or the step at which it branched off another one.
    pub(super) async fn beginning(&self, db: &Path) -> Result<Snapshot, Exit> {
        let kept = self.store.load(&self.info.run, Some(0)).await.map_err(|error| refuse(db, &error))?;
        Ok(kept.snapshot)
    }

    /// The whole journal.
    pub(super) async fn entries(&self, db: &Path) -> Result<Vec<Entry>, Exit> {
        self.store.entries(&self.info.run).await.map_err(|error| refuse(db, &error))
    }
}

/// Where the operator wanted the run to stop when it began.
fn interrupt(first: &Entry) -> Option<&Interrupt> {
    match &first.cause {
        Cause::Input(InputKind::Started(start)) => start.interrupt.as_ref(),
        _ => None,
    }
}

/// Compiles a graph with an operator's pause, and says what is wrong with its condition.
pub(super) fn with_pause(
    model: &Model,
    interrupt: &Interrupt,
    sources: &mut Sources,
) -> Result<Program, Exit> {
    let when = interrupt.when.as_ref().map(|text| {
        let file = sources.add("--interrupt-when", text.as_str());
        Fragment::verbatim(text.as_str(), file, 0)
    });
    compile_with_pause(model, when.as_ref(), interrupt.every).map_err(|findings| {
        screen::say(&diag::text::render(&findings, sources, screen::stderr_is_terminal()));
        Exit::Usage
    })
}

/// Compiles the texts of a program again.
fn compiled(text: &ProgramText, sources: &mut Sources) -> Result<(Model, Program), Exit> {
    let mut files =
        text.files.iter().fold(Files::new(), |files, (name, text)| files.with(name.as_str(), text.as_str()));
    let checked = check_file(sources, &mut files, &text.main);
    let other = "this version of loopwright reads the run's graph in another way; go on with the version it began with";
    let errors: Vec<Diagnostic> =
        checked.findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect();
    let Some(model) = checked.model.filter(|_| errors.is_empty()) else {
        screen::say(&diag::text::render(&errors, sources, screen::stderr_is_terminal()));
        return Err(screen::refuse(other));
    };
    match compile(&model) {
        Ok(program) if program.digest == text.digest => Ok((model, program)),
        _ => Err(screen::refuse(other)),
    }
}
