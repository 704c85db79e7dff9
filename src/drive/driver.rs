//! A program and the ports its runs use.

use std::fmt;
use std::sync::Arc;

use super::clock::SystemClock;
use super::grants;
use super::nobody::{NoModel, NoTools, Nobody};
use super::run::Run;
use crate::config::Limits;
use crate::machine::{Input, InputKind, Snapshot, Start, run_id};
use crate::port::{Clock, Human, ModelClient, Observer, RunInfo, Status, Store, StoreError, ToolHost};
use crate::program::Program;
use crate::value::{List, Str};

/// A program with the ports its runs use. Cloning it is cheap.
///
/// Every port has a stand-in: no model, no tools, nobody who answers, the system's clock, nothing kept.
#[derive(Clone)]
pub struct Driver {
    pub(super) program: Arc<Program>,
    pub(super) model: Arc<dyn ModelClient>,
    pub(super) tools: Arc<dyn ToolHost>,
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) human: Arc<dyn Human>,
    pub(super) observers: Vec<Arc<dyn Observer>>,
    pub(super) limits: Limits,
}

/// Why a run does not go on. The run itself may go on later from what was kept.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The graph may call tools that the operator has not granted; nothing was done.
    #[error("the graph may call {}, which need a grant", list(.0))]
    Grants(Vec<Str>),
    /// The run's id is not one.
    #[error("`{0}` is no id for a run: use at most 64 letters, digits, `_`, `-` and `.`")]
    RunId(Str),
    /// The snapshot belongs to another program.
    #[error(
        "the snapshot belongs to another program ({found}) than this one ({wanted}); the graph was changed since"
    )]
    Program {
        /// The digest of the driver's program.
        wanted: Str,
        /// The digest in the snapshot.
        found: Str,
    },
    /// The store failed.
    #[error("the run cannot be kept: {0}")]
    Store(#[from] StoreError),
    /// The run waits for nothing and has not ended: a fault of this library.
    #[error("the run waits for nothing and has not ended; this is a bug of loopwright")]
    Idle,
}

fn list(names: &[Str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Driver {
    /// A driver without ports.
    #[must_use]
    pub fn new(program: Arc<Program>) -> Self {
        Self {
            program,
            model: Arc::new(NoModel),
            tools: Arc::new(NoTools),
            store: None,
            clock: Arc::new(SystemClock::new()),
            human: Arc::new(Nobody),
            observers: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// Sets who answers for the model roles.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn ModelClient>) -> Self {
        self.model = model;
        self
    }

    /// Sets the tools.
    #[must_use]
    pub fn tools(mut self, tools: Arc<dyn ToolHost>) -> Self {
        self.tools = tools;
        self
    }

    /// Sets where runs are kept.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets who answers questions.
    #[must_use]
    pub fn human(mut self, human: Arc<dyn Human>) -> Self {
        self.human = human;
        self
    }

    /// Adds an onlooker.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Sets the limits of a run.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Begins a run. An empty id is replaced by one made of the time, an empty catalogue by that of the tools.
    /// Nothing is done outside until [`Run::drive`] is called.
    ///
    /// # Errors
    /// [`DriveError::Grants`], [`DriveError::RunId`], or the store's: for one, that it has a run of this id.
    pub async fn start(&self, mut start: Start) -> Result<Run, DriveError> {
        let missing = grants::missing(&self.program, self.tools.ungranted());
        if !missing.is_empty() {
            return Err(DriveError::Grants(missing));
        }
        let at = self.clock.now();
        if start.run.is_empty() {
            start.run = ecow::eco_format!("run-{at:x}");
        }
        if !is_run_id(&start.run) {
            return Err(DriveError::RunId(start.run));
        }
        if start.tools.is_empty() {
            start.tools =
                self.tools.catalogue().iter().map(crate::port::ToolInfo::to_value).collect::<List>();
        }
        let run = start.run.clone();
        self.note(&run, at).await?;
        let mut run = Run::new(self.clone(), run, Snapshot::new());
        run.feed(Input { at, kind: InputKind::Started(Box::new(start)) });
        Ok(run)
    }

    /// Goes on with a run from a snapshot.
    ///
    /// Calls that were under way are made again with their ids, unless they are to reach their tool at most once:
    /// whether those took place is not known, which the graph's `unknown` edges handle, or a person.
    ///
    /// # Errors
    /// [`DriveError::Program`], or the store's.
    pub async fn resume(&self, snapshot: Snapshot) -> Result<Run, DriveError> {
        if snapshot.program != self.program.digest {
            return Err(DriveError::Program { wanted: self.program.digest.clone(), found: snapshot.program });
        }
        let run = run_id(&snapshot);
        match (self.note(&run, self.clock.now()).await, &self.store) {
            (Err(DriveError::Store(StoreError::Exists(_))), Some(store)) => {
                store.mark(&run, &Status::Running).await?;
            }
            (noted, _) => noted?,
        }
        let mut run = Run::new(self.clone(), run, snapshot);
        run.pick_up();
        Ok(run)
    }

    async fn note(&self, run: &Str, started: i64) -> Result<(), DriveError> {
        let Some(store) = &self.store else { return Ok(()) };
        let info = RunInfo {
            run: run.clone(),
            graph: self.program.graphs[0].id.clone(),
            program: self.program.digest.clone(),
            started,
            status: Status::Running,
        };
        Ok(store.create(&info).await?)
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("program", &self.program.digest)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

fn is_run_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
}
