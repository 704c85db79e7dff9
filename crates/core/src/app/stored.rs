//! A stored run, with the programs that it goes by.

use std::fmt;
use std::sync::Arc;

use super::driver::driver;
use super::function_tables::FunctionTables;
use super::graph::{GraphError, INTERRUPT_WHEN, pausing};
use super::known_programs::{Compiled, KnownPrograms};
use super::read_error::ReadError;
use crate::check::check_file;
use crate::compile::compile_stored;
use crate::diag::{Diagnostic, Severity, rule};
use crate::drive::{Driver, Programs, RollbackPlan, rebuild};
use crate::machine::{InputKind, Interrupt, Snapshot, condition_holds};
use crate::model::{Files, Model};
use crate::port::{EntryCause, JournalEntry, ProgramText, RunInfo, RunStatus, Store};
use crate::program::Program;
use crate::program::function::Functions;
use crate::source::Sources;
use crate::value::Str;

/// A stored run with the program it goes by: that which it began with, or that of an edited graph.
pub struct OpenRun {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The run at a glance.
    pub info: RunInfo,
    /// The graph with names and types resolved.
    pub model: Arc<Model>,
    /// The program it goes by.
    pub program: Arc<Program>,
    /// The name of the graph's file when it was read.
    pub main: String,
    /// The texts of the program.
    pub sources: Sources,
    /// The operator's pause that it began with.
    pub interrupt: Option<Interrupt>,
    /// Other programs that it went by.
    pub earlier: Vec<Arc<Program>>,
    pub(super) functions: FunctionTables,
    pub(super) known: KnownPrograms,
}

impl fmt::Debug for OpenRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenRun").field("info", &self.info).finish_non_exhaustive()
    }
}

impl OpenRun {
    /// Finds a run in a store and compiles its program from the stored texts.
    pub(super) async fn find(
        store: Arc<dyn Store>,
        functions: &FunctionTables,
        known: &KnownPrograms,
        run: &str,
    ) -> Result<Self, ReadError> {
        let stored = store.load(run, None).await?;
        let info = stored.info;
        let first = stored.entries.first().filter(|_| stored.from == 0).map(interrupt);
        let stood = stored.snapshot.program;
        // What was stored of a run may be much: it is never there twice.
        let mut digests = digests(&info.program, &stored.entries);
        let first = first.map(Option::<&Interrupt>::cloned);
        drop(stored.entries);
        if stood != info.program && !stood.is_empty() {
            // It continued with an edited graph once: which it went by before follows from the whole journal.
            digests = self::digests(&info.program, &store.entries(run).await?);
        }
        let interrupt = match first {
            Some(interrupt) => interrupt,
            None => store.load(run, Some(1)).await?.entries.first().and_then(interrupt).cloned(),
        };
        let (last, before) = digests.split_last().expect("there is one at least");
        let Compiled { model, program, main, sources } =
            compiled(&store, functions, known, run, last, interrupt.as_ref()).await?;
        let (earlier, functions, known) = (Vec::new(), functions.clone(), known.clone());
        let mut found =
            Self { store, info, model, program, main, sources, interrupt, earlier, functions, known };
        found.know(before).await?;
        Ok(found)
    }

    /// The same, with all programs that the run ever went by.
    pub(super) async fn find_whole(
        store: Arc<dyn Store>,
        functions: &FunctionTables,
        known: &KnownPrograms,
        run: &str,
    ) -> Result<Self, ReadError> {
        let mut found = Self::find(store, functions, known, run).await?;
        let digests = digests(&found.info.program, &found.entries().await?);
        found.know(&digests).await?;
        Ok(found)
    }

    /// A program that the run went by or goes by; it is compiled if it is not there yet.
    ///
    /// # Errors
    /// The store does not have its texts, or they cannot be read.
    pub async fn program_of(&mut self, digest: &Str) -> Result<Arc<Program>, ReadError> {
        self.know(std::slice::from_ref(digest)).await?;
        Ok(Arc::clone(self.by(digest).unwrap_or(&self.program)))
    }

    /// Compiles those programs that are not there yet.
    async fn know(&mut self, digests: &[Str]) -> Result<(), ReadError> {
        for digest in digests {
            if self.by(digest).is_none() {
                let interrupt = self.interrupt.as_ref();
                let other =
                    compiled(&self.store, &self.functions, &self.known, &self.info.run, digest, interrupt)
                        .await?;
                self.earlier.push(other.program);
            }
        }
        Ok(())
    }

    /// Returns true if the run has begun; before that it is only a name.
    ///
    /// # Errors
    /// The store cannot read it.
    pub async fn has_begun(&self) -> Result<bool, ReadError> {
        Ok(self.store.load(&self.info.run, None).await?.has_begun())
    }

    /// The run with an operator's pause, before it begins.
    ///
    /// # Errors
    /// The findings in the condition of the pause.
    pub fn pausing(mut self, interrupt: Interrupt) -> Result<Self, Vec<Diagnostic>> {
        let semantics = self.program.semantics;
        let paused = pausing(&self.model, &interrupt, semantics, (INTERRUPT_WHEN, &mut self.sources))?;
        (self.program, self.interrupt) = (Arc::new(paused), Some(interrupt));
        Ok(self)
    }

    /// The outcome of the run, if it has ended.
    #[must_use]
    pub fn outcome(&self) -> Option<&Str> {
        match &self.info.status {
            RunStatus::Done { outcome, .. } => Some(outcome),
            _ => None,
        }
    }

    /// The program of that digest, if the run went by it.
    #[must_use]
    pub fn by(&self, digest: &str) -> Option<&Arc<Program>> {
        std::iter::once(&self.program).chain(&self.earlier).find(|program| program.digest == digest)
    }

    /// All programs that are known of the run.
    #[must_use]
    pub fn programs(&self) -> Programs<'_> {
        std::iter::once(&self.program).chain(&self.earlier).collect()
    }

    /// The state of the run: as it is, or as it was at a step.
    ///
    /// # Errors
    /// [`ReadError::Step`] if it has not come so far, or what cannot be read.
    pub async fn state(&self, at: Option<u64>) -> Result<Snapshot, ReadError> {
        let Some(step) = at else {
            let stored = self.store.load(&self.info.run, None).await?;
            return Ok(rebuild(self.programs(), &stored)?);
        };
        match self.driver().state_at(&self.info.run, step).await? {
            Some(place) => Ok(place.snapshot),
            None => Err(self.too_far(step).await),
        }
    }

    /// The state the run began with: before its first input, or the step at which it branched off another run.
    ///
    /// # Errors
    /// The store cannot read it.
    pub async fn beginning(&self) -> Result<Snapshot, ReadError> {
        Ok(self.store.load(&self.info.run, Some(0)).await?.snapshot)
    }

    /// The whole journal.
    ///
    /// # Errors
    /// The store cannot read it.
    pub async fn entries(&self) -> Result<Vec<JournalEntry>, ReadError> {
        Ok(self.store.entries(&self.info.run).await?)
    }

    /// A driver of the run, as [`Runs::driver`](super::Runs::driver) makes it.
    #[must_use]
    pub fn driver(&self) -> Driver {
        driver(&self.program, &self.store).earlier(self.earlier.iter().cloned())
    }

    /// The rollback to a step, with the calls made since then. [`Driver::go_back`] takes it.
    ///
    /// # Errors
    /// [`ReadError::Step`] if the run has not come so far, or what cannot be read.
    pub async fn rollback_plan(&self, driver: &Driver, step: u64) -> Result<RollbackPlan, ReadError> {
        match driver.rollback_plan(&self.info.run, step).await? {
            Some(plan) => Ok(plan),
            None => Err(self.too_far(step).await),
        }
    }

    /// The program of the run with a condition over its state; `flag` is what it was given by.
    ///
    /// # Errors
    /// The faults of the condition.
    pub fn with_condition(&self, condition: &str, flag: &str) -> Result<Program, Box<GraphError>> {
        let interrupt = Interrupt { when: Some(condition.into()), every: None };
        let mut sources = self.sources.clone();
        pausing(&self.model, &interrupt, self.program.semantics, (flag, &mut sources))
            .map_err(|findings| Box::new(GraphError::of(findings, sources)))
    }

    /// The latest step on the way the run has come at which the condition of a program began to hold. States of other graphs,
    /// which the run went by before it continued with an edited one, are left out.
    ///
    /// # Errors
    /// The fault of a journal or a program that cannot be read.
    pub async fn latest_step_where(&self, program: &Program) -> Result<Option<u64>, ReadError> {
        let holds = |state: &Snapshot| {
            (state.program.is_empty() || state.program == program.digest)
                && condition_holds(program, state.clone())
        };
        Ok(self.driver().latest_step_where(&self.info.run, &holds).await?)
    }

    /// Begins another run where this one was at a step, and gives its id. An empty `id` is replaced by one made of the time.
    ///
    /// # Errors
    /// [`ReadError::Step`] if the run has not come so far, or as [`Driver::fork`].
    pub async fn fork(&self, step: u64, id: &str) -> Result<Str, ReadError> {
        self.fork_by(step, id, None).await
    }

    /// The same in the name of a person.
    ///
    /// # Errors
    /// As [`OpenRun::fork`].
    pub async fn fork_by(&self, step: u64, id: &str, by: Option<Str>) -> Result<Str, ReadError> {
        match self.driver().by(by).fork(&self.info.run, step, id).await? {
            Some(id) => Ok(id),
            None => Err(self.too_far(step).await),
        }
    }

    /// The fault of a step to which the run has not come.
    pub(super) async fn too_far(&self, step: u64) -> ReadError {
        let last = match self.entries().await {
            Ok(entries) => entries.last().map_or(0, |entry| entry.step),
            Err(error) => return error,
        };
        ReadError::Step { run: self.info.run.clone(), last, step }
    }
}

async fn compiled(
    store: &Arc<dyn Store>,
    functions: &FunctionTables,
    known: &KnownPrograms,
    run: &str,
    digest: &str,
    interrupt: Option<&Interrupt>,
) -> Result<Compiled, ReadError> {
    if let (Some(compiled), None) = (known.get(digest), interrupt) {
        return Ok(compiled);
    }
    let Some(text) = store.program(digest).await? else { return Err(ReadError::NoProgram(run.into())) };
    let functions = functions.of(run, &text)?;
    let mut sources = Sources::new();
    match compile(&text, functions, interrupt, &mut sources) {
        Ok((model, program)) => {
            let (model, program, main) = (Arc::new(model), Arc::new(program), text.main.to_string());
            let compiled = Compiled { model, program, main, sources };
            if interrupt.is_none() {
                known.note(digest, &compiled);
            }
            Ok(compiled)
        }
        Err(findings) => Err(ReadError::OtherProgram(Box::new((findings, sources)))),
    }
}

/// Compiles the texts of a program again, with the meaning it has and the operator's pause.
fn compile(
    text: &ProgramText,
    functions: &Functions,
    interrupt: Option<&Interrupt>,
    sources: &mut Sources,
) -> Result<(Model, Program), Vec<Diagnostic>> {
    let none = Files::new().with_functions(functions.clone());
    let mut files =
        text.files.iter().fold(none, |files, (name, text)| files.with(name.as_str(), text.as_str()));
    let checked = check_file(sources, &mut files, &text.main);
    // Graphs with a gap could be run once, and a run of one goes on.
    let counts =
        |finding: &Diagnostic| finding.severity == Severity::Error && finding.rule != rule::NO_OTHERWISE;
    let errors: Vec<Diagnostic> = checked.findings.into_iter().filter(counts).collect();
    let Some(model) = checked.model.filter(|_| errors.is_empty()) else {
        return Err(errors);
    };
    let Ok(Some(program)) = compile_stored(&model, &text.digest) else { return Err(Vec::new()) };
    match interrupt {
        None => Ok((model, program)),
        Some(interrupt) => pausing(&model, interrupt, program.semantics, (INTERRUPT_WHEN, sources))
            .map(|program| (model, program)),
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

/// The operator's pause that a run began with.
fn interrupt(first: &JournalEntry) -> Option<&Interrupt> {
    match &first.cause {
        EntryCause::Input(InputKind::Started(start)) => start.interrupt.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_graph_with_a_gap_is_read() {
        let graph = "graph: g\ninput: {n: int}\nstart: a\nnodes:\n  a: {next: [{to: b, when: n > 0}]}\n  b: {kind: final}\n";
        let mut files = Files::new().with("g.yaml", graph);
        let checked = check_file(&mut Sources::new(), &mut files, "g.yaml");
        assert!(!checked.is_sound(), "the gap is an error");
        let model = checked.model.expect("there is a model");
        let digest = crate::compile::compile(&model).expect("it can be compiled").digest;
        let files = vec![("g.yaml".into(), graph.into())];
        let text = ProgramText { digest, main: "g.yaml".into(), files, functions: Vec::new() };
        let read = compile(&text, &Functions::default(), None, &mut Sources::new());
        assert!(read.is_ok_and(|(_, program)| program.digest == text.digest));
    }
}
