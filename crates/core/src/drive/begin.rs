//! Runs that begin and runs that continue.

use std::sync::Arc;

use super::driver::{DriveError, Driver};
use super::held_lease::HeldLease;
use super::journal_end::JournalEnd;
use super::rebuild::rebuild;
use super::run::Run;
use crate::machine::{Input, InputKind, Interrupt, Snapshot, Start, Transfer, run_id};
use crate::port::{EntryCause, JournalEntry, ProgramText, Store, StoreError};
use crate::value::Str;

/// A stored run as it is in the program of a driver.
struct TransferredRun {
    snapshot: Snapshot,
    /// The entry that says so, if it went by another program.
    entry: Option<JournalEntry>,
    /// The end of its journal.
    end: JournalEnd,
}

impl Driver {
    /// Begins a run. An empty id is replaced by one made of the time, an empty catalogue by that of the tools.
    /// Nothing is done outside until [`Run::drive`] is called.
    ///
    /// # Errors
    /// [`DriveError::Grants`], [`DriveError::RunId`], or the store's: for one, that it has a run of this id.
    pub async fn start(&self, mut start: Start) -> Result<Run, DriveError> {
        self.granted()?;
        let at = self.clock.now();
        start.interrupt = Interrupt::of(&self.program);
        start.run = Self::run_id(&start.run, at)?;
        if start.tools.is_empty() {
            start.tools = self.catalogue();
        }
        let run = start.run.clone();
        self.note(&run, at).await?;
        let lease = self.acquire(&run).await?;
        let mut run = Run::new(self.clone(), run, Snapshot::new(), lease);
        run.feed(Input { at, kind: InputKind::Started(Box::new(start)) }, self.by.clone());
        Ok(run)
    }

    /// Resumes a run from a snapshot.
    ///
    /// Calls that were in progress are made again with their ids, unless they are to reach their tool at most once:
    /// whether those took place is not known, which the graph's `unknown` edges handle, or a person.
    ///
    /// # Errors
    /// [`DriveError::Program`], or the store's.
    pub async fn resume(&self, snapshot: Snapshot) -> Result<Run, DriveError> {
        let run = run_id(&snapshot);
        self.fits_stored(&run, &snapshot.program).await?;
        let known = match self.note(&run, self.clock.now()).await {
            Err(DriveError::Store(StoreError::Exists(_))) => true,
            noted => noted.map(|()| false)?,
        };
        let lease = self.acquire(&run).await?;
        if self.store.is_some() && !known {
            self.begin_with(&run, &snapshot, lease.as_ref().map(|held| &held.lease)).await?;
        }
        Ok(self.pick_up(run, snapshot, lease, JournalEnd::default()))
    }

    /// Resumes a run from what the store has of it; see [`Driver::resume`].
    ///
    /// # Errors
    /// [`DriveError::Grants`], [`DriveError::Program`], [`DriveError::NotBegun`], [`DriveError::Rebuild`], or the store's:
    /// for one, [`StoreError::Unknown`] or [`StoreError::Damaged`].
    pub async fn reopen(&self, run: &str) -> Result<Run, DriveError> {
        self.granted()?;
        let (stored, lease) = self.take_begun(run).await?;
        let snapshot = rebuild(self.programs(), &stored)?;
        let end = self.journal_end(&stored, &snapshot).await?;
        Ok(self.pick_up(run.into(), snapshot, lease, end))
    }

    /// Resumes a stored run by this driver's program, where it went by another: one of [`Driver::earlier`]. `text` is
    /// kept first, then in one commit that the run was carried over, and where it is now. A run that went by this
    /// program already is only taken up; see [`Driver::reopen`].
    ///
    /// # Errors
    /// [`DriveError::Unfit`] with everything that does not fit, or as [`Driver::reopen`]; then nothing was changed.
    pub async fn adopt(&self, run: &str, text: &ProgramText) -> Result<Run, DriveError> {
        self.granted()?;
        let Some(store) = &self.store else { return Err(StoreError::Unknown(run.into()).into()) };
        let lease = self.acquire(run).await?;
        let turned = match self.turned(store, run).await {
            Ok(turned) => turned,
            Err(error) => {
                if let Some(lease) = &lease {
                    store.release(run, &lease.lease).await?;
                }
                return Err(error);
            }
        };
        let TransferredRun { snapshot, entry, end } = turned;
        let Some(entry) = entry else { return Ok(self.pick_up(run.into(), snapshot, lease, end)) };
        store.keep_program(text).await?;
        let mut run = Run::new(self.clone(), run.into(), snapshot, lease);
        run.turn_to(entry).await?;
        run.pick_up(end);
        Ok(run)
    }

    /// The state of a stored run in this driver's program, and the entry that says so if it went by another.
    async fn turned(&self, store: &Arc<dyn Store>, run: &str) -> Result<TransferredRun, DriveError> {
        let stored = store.load(run, None).await?;
        let snapshot = rebuild(self.programs(), &stored)?;
        let end = self.journal_end(&stored, &snapshot).await?;
        if snapshot.program == self.program.digest {
            return Ok(TransferredRun { snapshot, entry: None, end });
        }
        let Transfer { snapshot, events, at, .. } = self.transferred(&snapshot)?;
        let cause = EntryCause::Moved { program: self.program.digest.clone(), tools: snapshot.tools.clone() };
        let step = snapshot.step();
        Ok(TransferredRun {
            snapshot,
            entry: Some(JournalEntry { at, cause, step, events, by: self.by.clone() }),
            end,
        })
    }

    fn pick_up(&self, run: Str, snapshot: Snapshot, lease: Option<HeldLease>, end: JournalEnd) -> Run {
        let ended = snapshot.done.is_some();
        let mut run = Run::new(self.clone(), run, snapshot, lease);
        if !ended {
            run.pick_up(end);
        }
        run
    }
}
