//! Doing jobs: several in one transaction.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::fault;
use super::job::{self, Job, JobResult};
use super::lease::JobError;
use super::lease_clock::LeaseClock;
use super::note::StoreNote;
use super::open;
use super::run_cache::RunCache;
use super::site::Site;
use super::write_ahead_log::WriteAheadLog;
use crate::port::StoreError;
use crate::store::row::Link;
use crate::value::Str;

/// The result of a job.
pub(super) type JobReply = Result<JobResult, StoreError>;

/// The time a commit may take for the next one to be done without the thread: whoever drives a run may not hold up
/// others. From here on, waking the thread and being woken by it is a small part of a commit.
const QUICK: Duration = Duration::from_millis(2);

/// The file, and what is known of it.
#[derive(Debug)]
pub(super) struct StoreFile {
    conn: Connection,
    watch: LeaseClock,
    runs: RunCache,
    head: StoreNote,
    log: WriteAheadLog,
    /// The row that the note is to name.
    unnoted: Option<(i64, Link)>,
    /// The run that wrote last, alone, and how long that took.
    last: Option<(Str, Duration)>,
    /// True if a transaction was begun for the next jobs.
    begun: bool,
    /// The error after which nothing is written.
    dead: Option<StoreError>,
}

impl StoreFile {
    pub(super) fn new(site: Arc<Site>, conn: Connection, watch: LeaseClock) -> Self {
        let (head, log) = (StoreNote::open(&site), WriteAheadLog::of(site));
        Self {
            conn,
            watch,
            runs: RunCache::default(),
            head,
            log,
            unnoted: None,
            last: None,
            begun: false,
            dead: None,
        }
    }

    /// Returns true if the caller may do a job itself: the run wrote last, too, so others have nothing to share with
    /// it, and that was quick.
    pub(super) fn suits(&self, job: &Job) -> bool {
        let Job::Commit(entries) = job else { return false };
        self.last.as_ref().is_some_and(|(run, took)| *run == entries.run && *took < QUICK)
    }

    /// Begins what is done next, if that can be without waiting for another process.
    pub(super) fn begin_now(&mut self) -> bool {
        self.begun = self.dead.is_none() && open::begin_now(&self.conn).is_ok();
        self.begun
    }

    /// Does jobs, together if that can be.
    pub(super) fn serve(&mut self, jobs: &[&Job]) -> Vec<JobReply> {
        let begin = Instant::now();
        let answers = match self.together(jobs.iter().copied()) {
            Ok(answers) => answers,
            // One of them cannot be done: alone it fails without the others.
            Err(_) if jobs.len() > 1 && self.dead.is_none() => {
                jobs.iter().map(|job| self.alone(job)).collect()
            }
            Err(error) => jobs.iter().map(|_| Err(error.clone())).collect(),
        };
        self.last = match jobs {
            [Job::Commit(entries)] => Some((entries.run.clone(), begin.elapsed())),
            _ => None,
        };
        let row = answers.iter().rev().find_map(|answer| match answer {
            Ok(JobResult::Row(key, chain)) => Some((*key, *chain)),
            _ => None,
        });
        self.unnoted = row.or(self.unnoted);
        answers
    }

    /// Does the work after a commit that no caller waits for: notes it (the note may always be older than the file) and
    /// makes room for the next ones.
    pub(super) fn tidy(&mut self) {
        let Some((key, chain)) = self.unnoted.take() else { return };
        self.head.note(key, &chain);
        if let Err(error) = self.log.follow(&self.conn) {
            // Where there is no room now, the next commit says so if it needs some.
            self.mourn(&error);
        }
    }

    /// After a failed write or sync nobody knows what the disk has: only opening the file again tells.
    fn mourn(&mut self, error: &rusqlite::Error) {
        if fault::code(error) == Some(ErrorCode::SystemIoFailure) {
            self.dead = Some(StoreError::Failed(format!(
                "the disk failed ({error}); nothing more is written. Open the store again to see what was stored"
            )));
        }
    }

    fn alone(&mut self, job: &Job) -> JobReply {
        self.together(std::iter::once(job))?.swap_remove(0)
    }

    /// Does jobs in one transaction. A job that may not be done is answered so, and the others are done; if SQLite
    /// fails nothing is.
    fn together<'a>(
        &mut self,
        jobs: impl Iterator<Item = &'a Job> + Clone,
    ) -> Result<Vec<JobReply>, StoreError> {
        if let Some(error) = &self.dead {
            return Err(error.clone());
        }
        let done = match self.try_together(jobs.clone()) {
            // A read that the disk refused once looks the same, and nothing was written.
            Err(error) if fault::code(&error) == Some(ErrorCode::DatabaseCorrupt) => {
                self.runs.forget();
                self.try_together(jobs)
            }
            done => done,
        };
        done.map_err(|error| {
            self.runs.forget();
            self.mourn(&error);
            self.dead.clone().unwrap_or_else(|| fault::from(&error))
        })
    }

    fn try_together<'a>(&mut self, jobs: impl Iterator<Item = &'a Job>) -> rusqlite::Result<Vec<JobReply>> {
        if !std::mem::take(&mut self.begun) {
            self.say("BEGIN IMMEDIATE")?;
        }
        let done = self.all(jobs).and_then(|answers| self.say("COMMIT").map(|()| answers));
        if done.is_err() && !self.conn.is_autocommit() {
            // Where that fails as well, SQLite rolls back when the file is opened again.
            let _ = self.say("ROLLBACK");
        }
        done
    }

    /// Begins or ends a transaction, with a statement that is kept: making one each time is a tenth of what a commit costs
    /// beside the disk.
    fn say(&self, sql: &str) -> rusqlite::Result<()> {
        self.conn.prepare_cached(sql)?.raw_execute()?;
        Ok(())
    }

    fn all<'a>(&mut self, jobs: impl Iterator<Item = &'a Job>) -> rusqlite::Result<Vec<JobReply>> {
        self.runs.look(&self.conn)?;
        let mut answers = Vec::new();
        for job in jobs {
            answers.push(match job::run(&self.conn, &mut self.runs, &self.watch, job) {
                Ok(done) => Ok(done),
                Err(JobError::Refused(error)) => Err(error),
                Err(JobError::Failed(error)) => return Err(error),
            });
        }
        Ok(answers)
    }
}
