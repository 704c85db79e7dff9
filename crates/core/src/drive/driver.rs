//! A program and the ports its runs use.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::clock::SystemClock;
use super::defaults::{NoModel, NoTools, Unattended};
use super::grants;
use super::programs::Programs;
use super::rebuild::{RebuildError, carried, entry_of, in_force, reasons, rebuild, stand};
use crate::config::RunLimits;
use crate::machine::{Call, CallId, Divergence, Snapshot, Time, Transfer, TransferError, transfer};
use crate::port::{
    CallLedger, Clock, Human, Lease, Leftovers, ModelClient, Observer, RunInfo, RunStatus, Store, StoreError,
    ToolHost, UnmetFunctions,
};
use crate::program::Program;
use crate::value::{List, Str};

/// A program with the ports its runs use. Cloning it is cheap.
///
/// Every port has a default: no model, no tools, nobody who answers, the system's clock, a store in memory.
#[derive(Clone)]
pub struct Driver {
    pub(super) program: Arc<Program>,
    /// Programs that runs went by before.
    earlier: Vec<Arc<Program>>,
    pub(super) model: Arc<dyn ModelClient>,
    pub(super) tools: Arc<dyn ToolHost>,
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) human: Arc<dyn Human>,
    pub(super) observers: Vec<Arc<dyn Observer>>,
    pub(super) limits: RunLimits,
    /// The calls that limits of tools and models are held against.
    pub(super) ledger: Option<Arc<dyn CallLedger>>,
    /// See [`Driver::rebuilding`].
    pub(super) rebuilding: bool,
    /// The driver and the time a lease lasts.
    pub(super) owner: Option<(Str, Duration)>,
    /// See [`Driver::fenced`].
    pub(super) fence: Option<u64>,
    /// See [`Driver::leaving_timers`].
    pub(super) patience: Option<Time>,
    /// See [`Driver::keeping_leases`].
    pub(super) keeps_leases: bool,
    /// See [`Driver::by`].
    pub(super) by: Option<Str>,
}

/// A step of a stored run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepPlace {
    /// The entry of its journal in which the step was made, from 0.
    pub entry: u64,
    /// The step: so many transitions the root graph had made.
    pub step: u64,
    /// The state of the run: about to enter what the last of these transitions leads to.
    pub snapshot: Snapshot,
}

/// An error that stops driving a run. The stored run may be resumed later.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// The graph may call tools that the operator has not granted; nothing was done.
    #[error("the graph may call {}, which need a grant", list(.0))]
    Grants(Vec<Str>),
    /// The run's id is not one.
    #[error("`{0}` is not a valid id for a run: use at most 64 letters, digits, `_`, `-` and `.`")]
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
    /// The stored program calls functions that are not registered in the version that it began with.
    #[error(transparent)]
    Functions(#[from] UnmetFunctions),
    /// The run does not fit the program it is to continue by; nothing was changed.
    #[error("the run does not fit the graph: {}", reasons(.0))]
    Unfit(Vec<TransferError>),
    /// The store failed.
    #[error("the run cannot be stored: {0}")]
    Store(#[from] StoreError),
    /// Nothing of the run was stored but its name.
    #[error("the run `{0}` never started, and nothing of it was done; start it with `run --run-id {0}`")]
    NotBegun(Str),
    /// The state of the run cannot be rebuilt from the store.
    #[error("the run cannot be built again: {0}")]
    Rebuild(#[from] RebuildError),
    /// The rebuilt state is not the state of the run; see [`Driver::rebuilding`].
    #[error("the journal does not lead to the state of the run; this is a bug of loopwright: {0}")]
    Drifted(Box<Divergence>),
    /// The run continued since its way back was looked at.
    #[error("the run `{0}` went on in the meantime; look at it again")]
    Changed(Str),
    /// A call made after the step of a rollback cannot be undone.
    #[error("the call {call} was not undone by `{tool}`: {why}; the run was not rolled back")]
    Undo {
        /// The id of the call.
        call: Str,
        /// The tool that undoes it.
        tool: Str,
        /// The error of the tool.
        why: String,
    },
    /// A call made after the step of a rollback may or may not have been undone; a person must say.
    /// See [`RollbackPlan::tell`](super::RollbackPlan::tell).
    #[error(
        "nobody knows whether `{tool}` undid the call {call}: it was cut off, and it may be called at most once; the run was \
         not sent back"
    )]
    Undoing {
        /// The id of the call.
        call: Str,
        /// The tool that undoes it.
        tool: Str,
    },
    /// Something of a call is at work and cannot be ended from here: the call is not made again beside it.
    #[error("the call {call} is not made again: {why}; the run stays as it is")]
    AtWork {
        /// The id of the call.
        call: Str,
        /// The work in progress, and where it is.
        why: Str,
    },
    /// The run was driven by somebody else in between.
    #[error("the run `{0}` was taken over by somebody else; nothing more is done here")]
    Taken(Str),
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
            earlier: Vec::new(),
            model: Arc::new(NoModel),
            tools: Arc::new(NoTools),
            store: None,
            clock: Arc::new(SystemClock::new()),
            human: Arc::new(Unattended),
            observers: Vec::new(),
            limits: RunLimits::default(),
            ledger: None,
            rebuilding: false,
            owner: None,
            fence: None,
            patience: None,
            keeps_leases: false,
            by: None,
        }
    }

    /// Sets the programs that runs went by before they continued with this one.
    #[must_use]
    pub fn earlier(mut self, programs: impl IntoIterator<Item = Arc<Program>>) -> Self {
        self.earlier = programs.into_iter().collect();
        self
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

    /// Sets where runs are stored.
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
    pub const fn limits(mut self, limits: RunLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the ledger that holds the calls of tools against limits. It is shared with the models that do the same.
    #[must_use]
    pub fn ledger(mut self, ledger: Arc<dyn CallLedger>) -> Self {
        self.ledger = Some(ledger);
        self
    }

    /// Rebuilds the state of a run from the store after each commit, if `rebuilding` is true, and compares both. A
    /// difference ends the driving with [`DriveError::Drifted`]. For tests, and for careful operators: it takes time.
    /// Without a store nothing is compared.
    #[must_use]
    pub const fn rebuilding(mut self, rebuilding: bool) -> Self {
        self.rebuilding = rebuilding;
        self
    }

    /// Drives runs under leases: who is named here has each run alone while it is driven, and for at most `ttl` longer
    /// if this process ends without a word; that is not more than [`Lease::MAX_DURATION`]. The name must be this
    /// driver's alone. A name that ends with the text of a [`ProcessSignature`](crate::port::ProcessSignature) lets
    /// another one on this machine continue as soon as this one has ended, before the lease runs out.
    #[must_use]
    pub fn owner(mut self, name: impl Into<Str>, ttl: Duration) -> Self {
        self.owner = Some((name.into(), ttl.min(Lease::MAX_DURATION)));
        self
    }

    /// Takes a stored run up only under the lease of that fencing number, which the [owner](Self::owner) has already. What the
    /// owner knows of the run is of that time: a run that somebody else had since is refused with [`DriveError::Taken`].
    #[must_use]
    pub const fn fenced(mut self, fence: u64) -> Self {
        self.fence = Some(fence);
        self
    }

    /// Leaves a run that waits for nothing but a timer which runs out later than after `patience`: [`Run::drive`](super::Run::drive)
    /// ends with [`Finished::Waiting`](super::Finished::Waiting) then, without questions. Without this it waits for every timer.
    #[must_use]
    pub fn leaving_timers(mut self, patience: Duration) -> Self {
        self.patience = Some(Time::try_from(patience.as_nanos()).unwrap_or(Time::MAX));
        self
    }

    /// Keeps the lease of a run that cannot be driven further, or that is [stopped](super::Handle::stop): it runs out by itself,
    /// unless this driver takes the run up again. So a run that fails at once is not taken from a queue again and again, by
    /// everybody. What has ended, waits or was interrupted is given back all the same.
    #[must_use]
    pub const fn keeping_leases(mut self) -> Self {
        self.keeps_leases = true;
        self
    }

    /// Sets the name of the person for whom runs are driven. The journal has it with what that person does: begin, answer, cancel, send
    /// back, branch off, resume.
    #[must_use]
    pub fn by(mut self, name: Option<Str>) -> Self {
        self.by = name;
        self
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The run that [`Driver::adopt`] would make of a run that is here.
    ///
    /// # Errors
    /// [`DriveError::Unfit`], or [`DriveError::Rebuild`] without its program.
    pub fn transferred(&self, snapshot: &Snapshot) -> Result<Transfer, DriveError> {
        let digest = &snapshot.program;
        let old = self.programs().get(digest).ok_or_else(|| RebuildError::Program(digest.clone()))?;
        let at = self.clock.now().max(snapshot.at);
        transfer(old, &self.program, snapshot, at, &self.catalogue()).map_err(DriveError::Unfit)
    }

    /// An earlier state of a run as it is in this driver's program.
    ///
    /// # Errors
    /// [`DriveError::Unfit`], or [`DriveError::Rebuild`] without its program.
    pub(super) fn carried(&self, then: Snapshot, now: &Snapshot) -> Result<Snapshot, DriveError> {
        let digest = &then.program;
        let old = self.programs().get(digest).ok_or_else(|| RebuildError::Program(digest.clone()))?;
        carried((old, &self.program), then, now.at, &now.tools).map_err(DriveError::Unfit)
    }

    /// All programs this driver knows of.
    pub(super) fn programs(&self) -> Programs<'_> {
        std::iter::once(&self.program).chain(&self.earlier).collect()
    }

    pub(super) fn catalogue(&self) -> List {
        self.tools.catalogue().iter().map(crate::port::ToolInfo::to_value).collect()
    }

    /// The state of a stored run at a step, on the way it has come; nothing if it has not come so far.
    ///
    /// # Errors
    /// As [`Driver::reopen`].
    pub async fn state_at(&self, run: &str, step: u64) -> Result<Option<StepPlace>, DriveError> {
        let store = self.stored_in(run)?;
        let entries = store.entries(run).await?;
        let Some(entry) = entry_of(&entries, step) else { return Ok(None) };
        let stored = store.load(run, Some(entry)).await?;
        let before = rebuild(self.programs(), &stored)?;
        let program = in_force(&self.programs(), &stored.info, &before)?;
        let taken = usize::try_from(entry).ok().and_then(|entry| entries.get(entry));
        let then = taken.and_then(|taken| stand(program, before, taken, step));
        let snapshot = then.ok_or(RebuildError::Back { entry, to: entry })?;
        Ok(Some(StepPlace { entry, step, snapshot }))
    }

    /// The tools that are there and may not be called, since nobody granted them.
    #[must_use]
    pub fn ungranted(&self) -> Vec<Str> {
        self.tools.ungranted()
    }

    /// The tools that are not granted and that the program may call: no run of it begins without them.
    #[must_use]
    pub fn missing_grants(&self) -> Vec<Str> {
        grants::missing(&self.program, &*self.tools)
    }

    /// Returns true if all is granted that the program may call.
    pub(super) fn granted(&self) -> Result<(), DriveError> {
        let missing = self.missing_grants();
        if missing.is_empty() { Ok(()) } else { Err(DriveError::Grants(missing)) }
    }

    pub(super) fn fits(&self, digest: &Str) -> Result<(), DriveError> {
        if *digest == self.program.digest {
            return Ok(());
        }
        Err(DriveError::Program { wanted: self.program.digest.clone(), found: digest.clone() })
    }

    /// As [`Driver::fits`]. Where the stored program calls functions that this one lacks, the error names them.
    pub(super) async fn fits_stored(&self, run: &str, digest: &Str) -> Result<(), DriveError> {
        let Err(fault) = self.fits(digest) else { return Ok(()) };
        if let Some(store) = &self.store
            && let Some(text) = store.program(digest).await?
        {
            text.check_functions(run, &self.program.functions)?;
        }
        Err(fault)
    }

    /// Says that what was left at work of a call was ended.
    pub(super) fn note_ended(&self, call: &CallId, ended: &str) {
        let note = format!("of the call {} something was still at work; ended: {ended}", call.0);
        tracing::warn!(call = call.0.as_str(), ended, "what was left at work of a call was ended");
        self.observers.iter().for_each(|observer| observer.noted(&note));
    }

    /// Ends what is left at work of a call.
    ///
    /// # Errors
    /// [`DriveError::AtWork`] if it cannot be ended.
    pub(super) async fn clear(&self, call: &Call) -> Result<(), DriveError> {
        let Some(work) = self.tools.remains(call) else { return Ok(()) };
        match work.await {
            Leftovers::Gone(None) => Ok(()),
            Leftovers::Gone(Some(ended)) => {
                self.note_ended(&call.id, &ended);
                Ok(())
            }
            Leftovers::AtWork(why) => Err(DriveError::AtWork { call: call.id.0.clone(), why }),
        }
    }

    pub(super) async fn note(&self, run: &Str, started: i64) -> Result<(), DriveError> {
        let Some(store) = &self.store else { return Ok(()) };
        let info = RunInfo {
            run: run.clone(),
            graph: self.program.graphs[0].id.clone(),
            program: self.program.digest.clone(),
            started,
            status: RunStatus::Running,
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
