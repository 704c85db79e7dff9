//! Runs in a Postgres database, which many processes on many machines share.
//!
//! One commit is one statement: it is stored if the run is as the process left it and the lease is its own, and otherwise
//! nothing is. Leases go by the clock of the server and have fencing numbers.
//!
//! # Why
//! - All connections belong to a thread of the store: what was begun there is done to its end whatever becomes of the caller's
//!   future, and a store can be used from any runtime.
//! - A commit whose answer was lost is made again: the statement does nothing where the run is no longer as it was, and then the
//!   run's chain tells whether it was this commit that changed it.
//! - Rows have the sums and chains of those in a file, so that what a faulty disk or a careless hand changed is named. The sum of
//!   a lease is made by the server, since the end of the lease is told by its clock.
//! - An answer of a model is read while its caller waits, for a moment at most: a slow database costs a question to the model,
//!   and not the lease of every run.

mod answers;
mod background;
mod commit;
mod create;
mod fault;
mod found_run;
mod known_runs;
mod lease;
mod leave;
mod listener;
mod login;
mod outage;
mod page;
mod purge;
mod queue;
mod read;
mod schema;
mod session;
mod survey;
mod take_due;
mod text;
mod tls;
mod waiting_messages;

use std::future::ready;
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::Notify;

use self::answers::{FindAnswer, KeepAnswer};
use self::background::Background;
use self::commit::NewEntries;
use self::create::{Create, KeepProgram};
use self::lease::{Acquire, Release};
use self::leave::Leave;
use self::page::{CountRuns, ReadPage};
use self::queue::{Messages, Post};
use self::read::{DriverOf, FindProgram, ListRuns, LoadRun, ReadEntries, ReadEntriesFrom, ReadLastEntries};
use self::session::{Session, Work};
use self::take_due::TakeDue;
use super::body;
use super::postgres_address::PostgresAddress;
use super::purged::{Purge, Purged};
use super::snapshot_pace::SnapshotPaces;
use super::surveyed::Survey;
use crate::machine::{Start, Time};
use crate::port::{
    BoxFuture, Commit, JournalEntry, Lease, Message, PostedMessages, ProgramText, Queue, RunFilter, RunInfo,
    RunPage, RunStatus, StatusKind, Store, StoreError, StoreFuture, StoredRun, TakenRuns, WorkRequest,
};
use crate::value::{Str, Value};
pub use outage::hear_outages;

/// The time for which a stored answer of a model is waited for.
const ANSWER_PATIENCE: Duration = Duration::from_secs(2);

/// Keeps runs in a database.
#[derive(Debug)]
pub struct Postgres {
    session: Arc<Session>,
    paces: SnapshotPaces,
    /// Wakes whoever waits for runs to become due.
    changes: Arc<Notify>,
    listens: Once,
    /// True if it was opened to write.
    writes: bool,
    background: Background,
}

impl Postgres {
    /// Opens a store. Its schema and tables are made if they are not there.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for a server that cannot be reached or does not let the user in, and for tables of a later
    /// version or of another program.
    pub fn open(address: &PostgresAddress) -> Result<Self, StoreError> {
        Self::by(address, true)
    }

    /// Opens a store to read it. Nothing is written, so the user needs no right to.
    ///
    /// # Errors
    /// As [`Postgres::open`]; also where there are no tables, or those of an earlier version. What writes is
    /// [`StoreError::Refused`] afterwards.
    pub fn open_to_read(address: &PostgresAddress) -> Result<Self, StoreError> {
        Self::by(address, false)
    }

    fn by(address: &PostgresAddress, writes: bool) -> Result<Self, StoreError> {
        let session = Arc::new(Session::new(address, writes)?);
        let background = Background::start()?;
        let own = Arc::clone(&session);
        let opened = async move {
            let client = own.first().await?;
            schema::check_server(&own, &client).await?;
            drop(client);
            if writes { own.run(&schema::Migrate).await } else { own.run(&schema::CheckTables).await }
        };
        background.block(opened, None).unwrap_or_else(|| Err(gone()))?;
        let (paces, changes) = (SnapshotPaces::default(), Arc::default());
        Ok(Self { session, paces, changes, listens: Once::new(), writes, background })
    }

    /// The address.
    #[must_use]
    pub fn address(&self) -> &PostgresAddress {
        self.session.address()
    }

    /// Does a piece of work on the thread of the store.
    fn read<W: Work + 'static>(&self, work: W) -> StoreFuture<'static, W::Done> {
        let session = Arc::clone(&self.session);
        let done = self.background.spawn(async move { session.run(&work).await });
        async move { done.await.unwrap_or_else(|_| Err(gone())) }.boxed()
    }

    /// The same for work that writes.
    fn write<W: Work + 'static>(&self, work: W) -> StoreFuture<'static, W::Done>
    where
        W::Done: 'static,
    {
        if self.writes {
            return self.read(work);
        }
        ready(Err(fault::refused(self.address(), "it was opened to be read"))).boxed()
    }

    /// Does a piece of work while the caller waits.
    fn wait<W: Work + 'static>(&self, work: W, patience: Option<Duration>) -> Result<W::Done, StoreError>
    where
        W::Done: 'static,
    {
        let session = Arc::clone(&self.session);
        let done = self.background.block(async move { session.run(&work).await }, patience);
        done.unwrap_or_else(|| Err(StoreError::Failed("the database took too long".to_owned())))
    }

    fn pack(&self, run: &str, commit: &Commit<'_>) -> Result<NewEntries, StoreError> {
        let events = |entry: &JournalEntry| u64::try_from(entry.events.len()).unwrap_or(u64::MAX);
        let mut seq = commit.snapshot.seq.saturating_sub(commit.entries.iter().map(events).sum());
        let mut rows = Vec::with_capacity(commit.entries.len());
        for entry in commit.entries {
            rows.push(body::pack(entry, seq)?);
            seq += events(entry);
        }
        let bytes = rows.iter().map(|row| row.body.len()).sum();
        let snapshot = self.paces.due(run, commit, bytes)?;
        let program = &commit.snapshot.program;
        Ok(NewEntries {
            run: run.into(),
            rows,
            status: commit.status.clone(),
            seq,
            snapshot,
            lease: commit.lease.cloned(),
            messages: commit.messages.iter().map(|number| number.cast_signed()).collect(),
            program: (!program.is_empty()).then(|| program.clone()),
            due: commit.due(),
            tried: Mutex::default(),
        })
    }
}

/// The error of a store whose thread has ended.
fn gone() -> StoreError {
    StoreError::Failed("the thread that speaks to the database has ended; open the store again".to_owned())
}

impl Store for Postgres {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        self.write(Create(run.clone()))
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        match self.pack(run, &commit) {
            Ok(entries) => self.write(entries),
            Err(error) => ready(Err(error)).boxed(),
        }
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        let loaded = self.read(LoadRun { run: run.into(), at });
        async move {
            let (loaded, pace) = loaded.await?;
            // Who resumes a run counts from its last snapshot on, however often it is taken up: else none would ever be due.
            if at.is_none() && !matches!(loaded.info.status, RunStatus::Done { .. }) {
                self.paces.note(run, pace);
            }
            Ok(loaded)
        }
        .boxed()
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        self.read(ReadEntries(run.into()))
    }

    fn last_entries<'a>(&'a self, run: &'a str, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        self.read(ReadLastEntries { run: run.into(), many })
    }

    fn entries_from<'a>(&'a self, run: &'a str, from: u64, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        self.read(ReadEntriesFrom { run: run.into(), from, many })
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        self.read(ListRuns)
    }

    fn counts(&self) -> StoreFuture<'_, Vec<(StatusKind, u64)>> {
        self.read(CountRuns)
    }

    fn page<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, RunPage> {
        self.read(ReadPage(filter.clone()))
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        self.write(Acquire { run: run.into(), owner: owner.into(), ttl })
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        // Whoever has it next writes its snapshots.
        self.paces.forget(run);
        self.write(Release { run: run.into(), lease: lease.clone() })
    }

    fn driver<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Str>> {
        self.read(DriverOf(run.into()))
    }

    fn as_queue(self: Arc<Self>) -> Option<Arc<dyn Queue>> {
        Some(self)
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        self.write(KeepProgram(program.clone()))
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        self.read(FindProgram(digest.into()))
    }

    fn answer(&self, request: &str) -> Result<Option<Value>, StoreError> {
        self.wait(FindAnswer(request.into()), Some(ANSWER_PATIENCE))
    }

    fn keep_answer<'a>(&'a self, request: &'a str, answer: &'a Value, at: Time) -> StoreFuture<'a, ()> {
        match serde_json::to_vec(answer) {
            Ok(body) => self.write(KeepAnswer { request: request.into(), at, body }),
            Err(error) => {
                ready(Err(StoreError::Failed(format!("an answer cannot be written: {error}")))).boxed()
            }
        }
    }
}

impl Queue for Postgres {
    fn take_due<'a>(&'a self, request: WorkRequest<'a>) -> StoreFuture<'a, TakenRuns> {
        self.write(TakeDue {
            owner: request.owner.into(),
            ttl: request.ttl,
            programs: request.programs.to_vec(),
            now: request.now,
            limit: request.limit,
            tried: Mutex::default(),
        })
    }

    fn post<'a>(&'a self, run: &'a str, message: &'a Message) -> StoreFuture<'a, u64> {
        match Post::new(run, message) {
            Ok(post) => self.write(post),
            Err(error) => ready(Err(error)).boxed(),
        }
    }

    fn leave<'a>(
        &'a self,
        run: &'a RunInfo,
        program: &'a ProgramText,
        start: &'a Start,
    ) -> StoreFuture<'a, ()> {
        match Leave::new(run, program, start) {
            Ok(leave) => self.write(leave),
            Err(error) => ready(Err(error)).boxed(),
        }
    }

    fn messages<'a>(&'a self, owner: &'a str) -> StoreFuture<'a, PostedMessages> {
        self.read(Messages(owner.into()))
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        let changed = self.changes.notified();
        self.listens.call_once(|| {
            let listening = listener::listen(Arc::clone(&self.session), Arc::clone(&self.changes));
            drop(self.background.spawn(listening));
        });
        changed.boxed()
    }
}

/// Looks through a database without changing anything.
///
/// # Errors
/// If there are no runs in it, or it cannot be opened.
pub fn survey(address: &PostgresAddress) -> Result<Survey, StoreError> {
    Postgres::open_to_read(address)?.wait(survey::Look, None)
}

/// Removes runs with all that belongs to them, programs that no run uses any more, and old answers. All of it is removed or
/// nothing, whenever the process ends.
///
/// # Errors
/// [`StoreError::Unknown`], [`StoreError::Unfinished`], [`StoreError::Held`] and [`StoreError::Damaged`] for a run that
/// was named; as [`Postgres::open`]; or what failed below. Nothing was removed then.
pub fn purge(address: &PostgresAddress, what: &Purge) -> Result<Purged, StoreError> {
    Postgres::open_to_read(address)?;
    Postgres::open(address)?.wait(purge::Remove(what.clone()), None)
}
