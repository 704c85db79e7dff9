//! Runs in a file, by SQLite.
//!
//! One thread writes: what waits when it is free shares one transaction and one sync, and everybody is answered once
//! that is durable. Readers have connections of their own and see what is committed.
//!
//! SQLite notices torn pages, but no changed bytes: every row has a sum, and the rows of a run are a chain. What is not
//! what was written is named, and never taken for a run.

mod answers;
mod body;
mod bytes;
mod fault;
mod head;
mod job;
mod log;
mod open;
mod purge;
mod read;
mod row;
mod schema;
mod standing;
mod survey;
#[cfg(test)]
mod tests;
mod watch;
mod work;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use rusqlite::Connection;
use rustc_hash::FxHashMap;

use self::answers::AnswerRow;
use self::job::{Done, Entries, Job};
use self::watch::Watch;
use self::writer::Writer;
use crate::machine::{Snapshot, Time};
use crate::port::{Commit, Entry, Kept, Lease, ProgramText, RunInfo, Status, Store, StoreError, Stored};
use crate::value::{Str, Value};
pub use purge::{Purge, Purged, Wanted, purge};
pub use survey::{RunSurvey, Survey, survey};

/// So many bytes of entries are worth a snapshot, whatever its size.
const FEW: usize = 64 << 10;

/// A snapshot is due once the entries since the last are so many times its size: the file grows by a quarter more at
/// most, and what is built again stays in proportion to the state.
const TIMES: usize = 4;

/// Connections to read that are kept open.
const READERS: usize = 4;

/// Keeps runs in a file.
#[derive(Debug)]
pub struct Sqlite {
    // Dropped before the writer: the last connection to close tidies the log away, and readers may not.
    readers: Arc<Readers>,
    writer: Writer,
    paces: Mutex<FxHashMap<Str, Pace>>,
}

/// Connections to read.
#[derive(Debug)]
struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// Reads on a connection of its own, in one transaction, so that all that is read belongs together.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let last = idle().pop();
        let conn = last.map_or_else(|| open::reader(&self.path), Ok)?;
        let failed = |error: rusqlite::Error| fault::from(&error);
        conn.execute_batch("BEGIN").map_err(failed)?;
        let result = work(&conn);
        conn.execute_batch("COMMIT").map_err(failed)?;
        let mut idle = idle();
        if idle.len() < READERS {
            idle.push(conn);
        }
        result
    }
}

/// How much was written of a run since its last snapshot, and how large that was.
#[derive(Debug, Clone, Copy, Default)]
struct Pace {
    since: usize,
    last: usize,
}

impl Sqlite {
    /// Opens a store, and makes it if there is none: the file for its owner alone, and so the folders that are made
    /// for it.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for a file of another program, of a later version, or with other tables than ours, and
    /// where a commit could not be made durable; [`StoreError::Damaged`]; [`StoreError::Failed`].
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Self::open_by(path.into(), Watch::of_system())
    }

    /// As [`Sqlite::open`], with leases by a clock of the caller's own, which tells nanoseconds since 1970.
    ///
    /// # Errors
    /// As [`Sqlite::open`].
    pub fn open_with_clock(
        path: impl Into<PathBuf>,
        now: impl Fn() -> Time + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        Self::open_by(path.into(), Watch::new(now))
    }

    fn open_by(path: PathBuf, watch: Watch) -> Result<Self, StoreError> {
        let conn = open::writer(&path)?;
        if let Some(why) = head::missing(&path, &conn).map_err(|error| fault::from(&error))? {
            return Err(open::refused(&path, why));
        }
        open::settle(&path, &conn)?;
        let writer = Writer::start(&path, conn, watch)?;
        let readers = Arc::new(Readers { path, idle: Mutex::default() });
        Ok(Self { readers, writer, paces: Mutex::default() })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.readers.path
    }

    /// A snapshot as JSON, if one is due behind so many bytes more.
    fn due(&self, run: &str, commit: &Commit<'_>, bytes: usize) -> Result<Option<Vec<u8>>, StoreError> {
        let mut paces = self.paces.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = matches!(commit.status, Status::Done { .. });
        let mut pace = if ended { paces.remove(run) } else { paces.get(run).copied() }.unwrap_or_default();
        pace.since += bytes;
        let due = commit.whole || (!ended && pace.since >= FEW.max(pace.last.saturating_mul(TIMES)));
        let body = if due { Some(written(commit.snapshot)?) } else { None };
        if let Some(body) = &body {
            pace = Pace { since: 0, last: body.len() };
        }
        if !ended {
            paces.insert(run.into(), pace);
        }
        Ok(body)
    }

    fn pack(&self, run: &str, commit: &Commit<'_>) -> Result<Job, StoreError> {
        let events = |entry: &Entry| u64::try_from(entry.events.len()).unwrap_or(u64::MAX);
        let mut seq = commit.snapshot.seq.saturating_sub(commit.entries.iter().map(events).sum());
        let mut rows = Vec::with_capacity(commit.entries.len());
        for entry in commit.entries {
            rows.push(body::pack(entry, seq)?);
            seq += events(entry);
        }
        let bytes = rows.iter().map(|row| row.body.len()).sum();
        let snapshot = self.due(run, commit, bytes)?;
        let (status, lease) = (commit.status.clone(), commit.lease.cloned());
        Ok(Job::Commit(Box::new(Entries { run: run.into(), rows, status, seq, snapshot, lease })))
    }

    fn order(&self, job: Job) -> Stored<'static, ()> {
        let answer = self.writer.order(job);
        async move { answer.await.map(|_| ()) }.boxed()
    }

    /// Reads beside the threads that drive runs, if there are any.
    fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Stored<'static, T> {
        let readers = Arc::clone(&self.readers);
        async move {
            let Ok(runtime) = tokio::runtime::Handle::try_current() else { return readers.read(work) };
            let failed = |_| StoreError::Failed("reading the store was given up".to_owned());
            runtime.spawn_blocking(move || readers.read(work)).await.map_err(failed)?
        }
        .boxed()
    }
}

fn written(snapshot: &Snapshot) -> Result<Vec<u8>, StoreError> {
    bytes::json(snapshot)
        .map_err(|error| StoreError::Failed(format!("a snapshot cannot be written: {error}")))
}

impl Store for Sqlite {
    fn create<'a>(&'a self, run: &'a RunInfo) -> Stored<'a, ()> {
        self.order(Job::Create(run.clone()))
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> Stored<'a, ()> {
        match self.pack(run, &commit) {
            Ok(job) => self.order(job),
            Err(error) => std::future::ready(Err(error)).boxed(),
        }
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> Stored<'a, Kept> {
        let own = Str::from(run);
        let read =
            self.read(move |conn| Ok((read::load(conn, &own, at)?, read::since_snapshot(conn, &own)?)));
        async move {
            let (kept, (since, last)) = read.await?;
            // Who goes on with a run counts from its last snapshot on, however often it is taken up: else none would ever be due.
            if at.is_none() && !matches!(kept.info.status, Status::Done { .. }) {
                let mut paces = self.paces.lock().unwrap_or_else(PoisonError::into_inner);
                paces.entry(run.into()).or_insert(Pace { since, last });
            }
            Ok(kept)
        }
        .boxed()
    }

    fn entries<'a>(&'a self, run: &'a str) -> Stored<'a, Vec<Entry>> {
        let run = Str::from(run);
        self.read(move |conn| read::entries(conn, &run))
    }

    fn runs(&self) -> Stored<'_, Vec<RunInfo>> {
        self.read(read::runs)
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> Stored<'a, Lease> {
        let answer = self.writer.order(Job::Acquire { run: run.into(), owner: owner.into(), ttl });
        async move {
            match answer.await? {
                Done::Lease(lease) => Ok(lease),
                Done::Nothing | Done::Row(..) => Err(StoreError::Failed("no lease was given".to_owned())),
            }
        }
        .boxed()
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> Stored<'a, ()> {
        self.order(Job::Release { run: run.into(), lease: lease.clone() })
    }

    fn driver<'a>(&'a self, run: &'a str) -> Stored<'a, Option<Str>> {
        let run = Str::from(run);
        self.read(move |conn| read::driver(conn, &read::find(conn, &run)?))
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> Stored<'a, ()> {
        self.order(Job::Program(program.clone()))
    }

    fn program<'a>(&'a self, digest: &'a str) -> Stored<'a, Option<ProgramText>> {
        let digest = Str::from(digest);
        self.read(move |conn| read::program(conn, &digest))
    }

    fn answer(&self, request: &str) -> Result<Option<Value>, StoreError> {
        self.readers.read(|conn| answers::find(conn, request))
    }

    fn keep_answer<'a>(&'a self, request: &'a str, answer: &'a Value, at: Time) -> Stored<'a, ()> {
        match AnswerRow::pack(request, answer, at) {
            Ok(row) => self.order(Job::Answer(row)),
            Err(error) => std::future::ready(Err(error)).boxed(),
        }
    }
}
