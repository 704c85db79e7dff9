//! Runs in a file, by SQLite.
//!
//! One thread writes: what waits when it is free shares one transaction and one sync, and everybody is answered once
//! that is durable. Readers have connections of their own and see what is committed.
//!
//! SQLite notices torn pages, but no changed bytes: every row has a sum, and the rows of a run are a chain. What is not
//! what was written is named, and never taken for a run.

mod answers;
mod bytes;
mod disk;
mod fault;
mod identity;
mod integrity;
mod job;
mod lease;
mod lease_clock;
mod note;
mod open;
mod purge;
mod read;
mod reader;
mod readers;
mod rights;
mod row;
mod run_cache;
mod schema;
mod settings;
mod site;
mod stamp;
mod store_file;
mod survey;
#[cfg(test)]
mod tests;
mod write_ahead_log;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use rusqlite::Connection;

use self::answers::AnswerRow;
use self::job::{Job, JobResult, NewEntries};
use self::lease_clock::LeaseClock;
use self::open::FileVersion;
use self::readers::ReadConnections;
use self::site::Site;
use self::writer::WriteQueue;
use crate::machine::Time;
use crate::port::{
    Commit, JournalEntry, Lease, ProgramText, RunFilter, RunInfo, RunPage, RunStatus, StatusKind, Store,
    StoreError, StoreFuture, StoredRun,
};
use crate::store::body;
use crate::store::snapshot_pace::{SnapshotPace, SnapshotPaces};
use crate::value::{Str, Value};
pub use identity::{StoreIdentity, mark};
pub use purge::purge;
pub use survey::survey;

/// Keeps runs in a file.
#[derive(Debug)]
pub struct Sqlite {
    // Dropped before the writer: the last connection to close tidies the log away, and readers may not.
    readers: Arc<ReadConnections>,
    /// Nothing where it was opened to be read.
    writer: Option<WriteQueue>,
    paces: SnapshotPaces,
}

impl Sqlite {
    /// Opens a store, and makes it if there is none: the file for its owner alone, and so the folders that are made
    /// for it.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for a file of another program, of a later version, or with other tables than ours, and
    /// where a commit could not be made durable; [`StoreError::Damaged`]; [`StoreError::Failed`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_by(path.as_ref(), LeaseClock::of_system())
    }

    /// As [`Sqlite::open`], with leases by a clock of the caller's own, which tells nanoseconds since 1970.
    ///
    /// # Errors
    /// As [`Sqlite::open`].
    pub fn open_with_clock(
        path: impl AsRef<Path>,
        now: impl Fn() -> Time + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        Self::open_by(path.as_ref(), LeaseClock::new(now))
    }

    fn open_by(path: &Path, watch: LeaseClock) -> Result<Self, StoreError> {
        let site = Arc::new(Site::to_write(path)?);
        let conn = match Self::ready(&site) {
            // A disk that fails once says through SQLite that the file is damaged.
            Err(error) if fault::is_damage(&error) => Self::ready(&site),
            ready => ready,
        };
        let conn = conn.map_err(|error| disk::explained(&site, error))?;
        let writer = WriteQueue::start(Arc::clone(&site), conn, watch)?;
        Ok(Self {
            readers: Arc::new(ReadConnections::new(site, true)),
            writer: Some(writer),
            paces: SnapshotPaces::default(),
        })
    }

    /// A connection to write, to a file in which everything is there.
    fn ready(site: &Site) -> Result<Connection, StoreError> {
        let conn = open::writer(site)?;
        if let Some(why) = note::missing(site, &conn).map_err(|error| fault::from(&error))? {
            return Err(fault::refused(site.named(), why));
        }
        open::settle(site.named(), &conn)?;
        integrity::check(site, &conn)?;
        Ok(conn)
    }

    /// Opens a store to read it. Nothing is written, so it may lie where nothing can be; only one that must be brought up to
    /// date first is opened to write for that, if it may be.
    ///
    /// # Errors
    /// As [`Sqlite::open`]. What writes is [`StoreError::Refused`] afterwards.
    pub fn open_to_read(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let site = Arc::new(Site::to_read(path.as_ref())?);
        let store = Self {
            readers: Arc::new(ReadConnections::new(site, false)),
            writer: None,
            paces: SnapshotPaces::default(),
        };
        if let Some(why) = store.unready()? {
            let site = &store.readers.site;
            if !site.may_write() {
                return Err(reader::needs_writing(site, &why));
            }
            store.readers.close();
            drop(Self::open(path.as_ref())?);
        }
        let site = Arc::clone(&store.readers.site);
        store.readers.read(move |conn| {
            open::compare(site.named(), conn)?;
            match note::missing(&site, conn).map_err(|error| fault::from(&error))? {
                Some(why) => Err(fault::refused(site.named(), why)),
                None => Ok(()),
            }
        })?;
        Ok(store)
    }

    /// The work that must be done before it can be read, if there is any.
    fn unready(&self) -> Result<Option<String>, StoreError> {
        let site = &self.readers.site;
        if site.has("-journal") {
            return Ok(Some("its first transaction was interrupted and must be rolled back".to_owned()));
        }
        Ok(match self.readers.read(|conn| FileVersion::of(site.named(), conn))? {
            FileVersion::Current => None,
            FileVersion::Fresh => Some("nothing was ever written to it, and it must be made".to_owned()),
            FileVersion::Older(version) => {
                Some(format!("it is of an earlier version ({version}) and must be upgraded"))
            }
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.readers.site.named()
    }

    fn pack(&self, run: &str, commit: &Commit<'_>) -> Result<Job, StoreError> {
        let events = |entry: &JournalEntry| u64::try_from(entry.events.len()).unwrap_or(u64::MAX);
        let mut seq = commit.snapshot.seq.saturating_sub(commit.entries.iter().map(events).sum());
        let mut rows = Vec::with_capacity(commit.entries.len());
        for entry in commit.entries {
            rows.push(body::pack(entry, seq)?);
            seq += events(entry);
        }
        let bytes = rows.iter().map(|row| row.body.len()).sum();
        let snapshot = self.paces.due(run, commit, bytes)?;
        let (status, lease) = (commit.status.clone(), commit.lease.cloned());
        Ok(Job::Commit(Box::new(NewEntries { run: run.into(), rows, status, seq, snapshot, lease })))
    }

    fn order(&self, job: Job) -> StoreFuture<'static, ()> {
        match self.writer() {
            Ok(writer) => {
                let answer = writer.order(job);
                async move { answer.await.map(|_| ()) }.boxed()
            }
            Err(error) => std::future::ready(Err(error)).boxed(),
        }
    }

    fn writer(&self) -> Result<&WriteQueue, StoreError> {
        let refused = || fault::refused(self.path(), "it was opened to be read");
        self.writer.as_ref().ok_or_else(refused)
    }

    /// Reads beside the threads that drive runs, if there are any.
    fn read<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let readers = Arc::clone(&self.readers);
        async move {
            let Ok(runtime) = tokio::runtime::Handle::try_current() else { return readers.read(work) };
            let failed = |_| StoreError::Failed("reading the store was given up".to_owned());
            runtime.spawn_blocking(move || readers.read(work)).await.map_err(failed)?
        }
        .boxed()
    }
}

impl Store for Sqlite {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        self.order(Job::Create(run.clone()))
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        match self.pack(run, &commit) {
            Ok(job) => self.order(job),
            Err(error) => std::future::ready(Err(error)).boxed(),
        }
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        let own = Str::from(run);
        let read =
            self.read(move |conn| Ok((read::load(conn, &own, at)?, read::since_snapshot(conn, &own)?)));
        async move {
            let (loaded, (since, last)) = read.await?;
            // Who resumes a run counts from its last snapshot on, however often it is taken up: else none would ever be due.
            if at.is_none() && !matches!(loaded.info.status, RunStatus::Done { .. }) {
                self.paces.note(run, SnapshotPace { since, last });
            }
            Ok(loaded)
        }
        .boxed()
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        let run = Str::from(run);
        self.read(move |conn| read::entries(conn, &run))
    }

    fn last_entries<'a>(&'a self, run: &'a str, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        let run = Str::from(run);
        self.read(move |conn| read::last_entries(conn, &run, many))
    }

    fn entries_from<'a>(&'a self, run: &'a str, from: u64, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        let run = Str::from(run);
        self.read(move |conn| read::entries_from(conn, &run, from, many))
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        self.read(read::runs)
    }

    fn counts(&self) -> StoreFuture<'_, Vec<(StatusKind, u64)>> {
        self.read(read::counts)
    }

    fn page<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, RunPage> {
        let filter = filter.clone();
        self.read(move |conn| read::page(conn, &filter))
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        let writer = match self.writer() {
            Ok(writer) => writer,
            Err(error) => return std::future::ready(Err(error)).boxed(),
        };
        let answer = writer.order(Job::Acquire { run: run.into(), owner: owner.into(), ttl });
        async move {
            match answer.await? {
                JobResult::Lease(lease) => Ok(lease),
                JobResult::Nothing | JobResult::Row(..) => {
                    Err(StoreError::Failed("no lease was given".to_owned()))
                }
            }
        }
        .boxed()
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        // Whoever has it next writes its snapshots.
        self.paces.forget(run);
        self.order(Job::Release { run: run.into(), lease: lease.clone() })
    }

    fn driver<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Str>> {
        let run = Str::from(run);
        self.read(move |conn| read::driver(conn, &read::find(conn, &run)?))
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        self.order(Job::Program(program.clone()))
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        let digest = Str::from(digest);
        self.read(move |conn| read::program(conn, &digest))
    }

    fn answer(&self, request: &str) -> Result<Option<Value>, StoreError> {
        self.readers.read(|conn| answers::find(conn, request))
    }

    fn keep_answer<'a>(&'a self, request: &'a str, answer: &'a Value, at: Time) -> StoreFuture<'a, ()> {
        match AnswerRow::pack(request, answer, at) {
            Ok(row) => self.order(Job::Answer(row)),
            Err(error) => std::future::ready(Err(error)).boxed(),
        }
    }
}
