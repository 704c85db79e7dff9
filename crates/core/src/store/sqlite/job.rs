//! Jobs of the writer, inside of its transaction.

use std::time::Duration;

use rusqlite::{Connection, params};

use super::answers::AnswerRow;
use super::bytes::LongColumn;
use super::lease::{JobError, lease_state};
use super::lease_clock::LeaseClock;
use super::read::find;
use super::run_cache::{CachedRun, RunCache};
use crate::machine::JOURNAL_VERSION;
use crate::port::{Lease, LeaseState, ProgramText, RunInfo, RunStatus, StoreError};
use crate::store::row::{self, EntryRow, Link, RunRow};
use crate::value::Str;

/// One thing to do.
#[derive(Debug)]
pub(super) enum Job {
    Create(RunInfo),
    Commit(Box<NewEntries>),
    Acquire {
        run: Str,
        owner: Str,
        ttl: Duration,
    },
    Release {
        run: Str,
        lease: Lease,
    },
    Program(ProgramText),
    Answer(AnswerRow),
    /// For the test of a writer that is gone.
    #[cfg(test)]
    Panic,
}

/// The rows that a commit adds to a run.
#[derive(Debug)]
pub(super) struct NewEntries {
    pub(super) run: Str,
    pub(super) rows: Vec<EntryRow<'static>>,
    pub(super) status: RunStatus,
    /// The number of the event that comes next after it.
    pub(super) seq: u64,
    /// A snapshot after it, as JSON.
    pub(super) snapshot: Option<Vec<u8>>,
    pub(super) lease: Option<Lease>,
}

/// The result of a job.
#[derive(Debug)]
pub(super) enum JobResult {
    Nothing,
    /// The journal row written last.
    Row(i64, Link),
    Lease(Lease),
}

/// Does a job. `runs` are as they are in the file.
pub(super) fn run(
    conn: &Connection,
    runs: &mut RunCache,
    watch: &LeaseClock,
    job: &Job,
) -> Result<JobResult, JobError> {
    match job {
        Job::Create(info) => create(conn, info),
        Job::Commit(entries) => commit(conn, runs, watch, entries),
        Job::Acquire { run, owner, ttl } => {
            runs.take(run);
            acquire(conn, watch, run, owner, *ttl)
        }
        Job::Release { run, lease } => {
            runs.take(run);
            release(conn, watch, run, lease)
        }
        Job::Program(program) => keep_program(conn, program),
        Job::Answer(row) => Ok(row.keep(conn).map(|()| JobResult::Nothing)?),
        #[cfg(test)]
        Job::Panic => panic!("this panic is part of a test"),
    }
}

fn create(conn: &Connection, info: &RunInfo) -> Result<JobResult, JobError> {
    let taken = conn.prepare_cached("SELECT 1 FROM runs WHERE id = ?1")?.exists([info.run.as_str()])?;
    if taken {
        return match find(conn, &info.run) {
            // It was cut off before anything of it was stored, and begins now.
            Ok(row) if row.seq == 0 && row.entries == 0 && row.info.program == info.program => {
                Ok(JobResult::Nothing)
            }
            _ => Err(StoreError::Exists(info.run.clone()).into()),
        };
    }
    // The numbers of runs that are gone are not used again while the journal has rows of them.
    let last: i64 = conn.query_row(
        "SELECT max(ifnull((SELECT max(no) FROM runs), 0), ifnull((SELECT max(id) >> 32 FROM journal), 0), \
         ifnull((SELECT max(id) >> 32 FROM snapshots), 0))",
        [],
        |row| row.get(0),
    )?;
    let no = u32::try_from(last + 1)
        .ok()
        .filter(|no| *no < u32::MAX >> 1)
        .ok_or_else(|| StoreError::Failed("the store has no number left for another run".to_owned()))?;
    RunRow::new(no, info)?.insert(conn)?;
    Ok(JobResult::Nothing)
}

fn commit(
    conn: &Connection,
    runs: &mut RunCache,
    watch: &LeaseClock,
    entries: &NewEntries,
) -> Result<JobResult, JobError> {
    let CachedRun { mut run, lease_state } = if let Some(known) = runs.take(&entries.run) {
        known
    } else {
        let run = find(conn, &entries.run)?;
        CachedRun { lease_state: lease_state(conn, watch, &run)?, run }
    };
    LeaseState::check(lease_state.as_ref(), &run.info.run, entries.lease.as_ref())?;
    let base = entries.rows.is_empty() && run.entries == 0;
    if !base {
        let found = entries.rows.first().map_or(entries.seq, |first| first.seq);
        if found != run.seq {
            return Err(StoreError::Gap { wanted: run.seq, found }.into());
        }
    }
    let many = u32::try_from(entries.rows.len()).unwrap_or(u32::MAX);
    if run.entries.checked_add(many).is_none() {
        let why = "the run has as many entries as a journal can hold".to_owned();
        return Err(StoreError::Failed(why).into());
    }
    let mut last = None;
    for row in &entries.rows {
        let key = row::key(run.no, run.entries);
        run.chain = row.insert(conn, key, &run.chain)?;
        run.entries += 1;
        last = Some(key);
    }
    run.seq = entries.seq;
    run.status = row::written(&entries.status)?;
    run.update(conn)?;
    if let Some(body) = &entries.snapshot {
        let key = row::key(run.no, run.entries);
        let sum = row::snapshot_sum(key, JOURNAL_VERSION, &run.chain, body);
        conn.prepare_cached("INSERT OR REPLACE INTO snapshots VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![key, JOURNAL_VERSION, run.chain, sum, LongColumn(body)])?;
        LongColumn(body).fill(conn, "snapshots", key)?;
    }
    let done = last.map_or(JobResult::Nothing, |key| JobResult::Row(key, run.chain));
    if !matches!(entries.status, RunStatus::Done { .. }) {
        runs.keep(CachedRun { run, lease_state });
    }
    Ok(done)
}

fn acquire(
    conn: &Connection,
    watch: &LeaseClock,
    run: &str,
    owner: &str,
    ttl: Duration,
) -> Result<JobResult, JobError> {
    let row = find(conn, run)?;
    let lease = LeaseState::next(lease_state(conn, watch, &row)?.as_ref(), run, owner)?;
    write_lease(conn, row.no, &lease, watch.end(ttl))?;
    Ok(JobResult::Lease(lease))
}

fn release(conn: &Connection, watch: &LeaseClock, run: &str, lease: &Lease) -> Result<JobResult, JobError> {
    let row = find(conn, run)?;
    if let Some(last) = lease_state(conn, watch, &row)?
        && last.lease.fence == lease.fence
    {
        write_lease(conn, row.no, &last.lease, 0)?;
    }
    Ok(JobResult::Nothing)
}

fn write_lease(conn: &Connection, no: u32, lease: &Lease, until: i64) -> rusqlite::Result<()> {
    let sum = row::lease_sum(no, lease, until);
    conn.prepare_cached("INSERT OR REPLACE INTO leases VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(params![
        no,
        lease.owner.as_str(),
        lease.fence,
        until,
        sum
    ])?;
    Ok(())
}

fn keep_program(conn: &Connection, program: &ProgramText) -> Result<JobResult, JobError> {
    let files = row::program_files(program)?;
    let sum = row::program_sum(&program.digest, &program.main, &files);
    conn.prepare_cached("INSERT OR IGNORE INTO programs VALUES (?1, ?2, ?3, ?4)")?.execute(params![
        program.digest.as_str(),
        program.main.as_str(),
        files,
        sum
    ])?;
    Ok(JobResult::Nothing)
}
