//! A row of `runs` as it was found.

use std::time::Duration;

use deadpool_postgres::Object;
use tokio_postgres::Row;

use super::fault::WorkError;
use super::text;
use crate::machine::Time;
use crate::port::{Lease, LeaseState, RunInfo, RunStatus, StoreError};
use crate::store::row::{LINK, Link, RunRow, Sum};
use crate::store::{damage, process};
use crate::value::Str;

/// The columns, in the order in which [`FoundRun::read`] takes them. The sum of a lease is the server's, since its end is told by
/// the clock of the server.
pub(super) const COLUMNS: &str = "no, id, graph, program, started, status, entries, seq, chain, sum, goes_by, due, queue_sum, \
    owner, fence, until, coalesce(lease_sum = sha256(convert_to(concat_ws(' ', no, fence, until, owner), 'UTF8')), \
    owner IS NULL AND lease_sum IS NULL AND fence = 0 AND until = 0), \
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// The number of columns.
pub(super) const COLUMN_COUNT: usize = 18;

/// The worker that may take a run, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct QueuePlace {
    /// The digest of the program that the run goes by; none once it has ended.
    pub(super) goes_by: Option<Str>,
    /// See [`Commit::due`](crate::port::Commit::due).
    pub(super) due: Option<Time>,
}

impl QueuePlace {
    /// The checksum of the columns, for the run of that number.
    pub(super) fn sum(&self, no: u32) -> i64 {
        let option = |sum: Sum, is: bool| sum.count(u64::from(is));
        let sum = option(Sum::of("queue").count(no.into()), self.goes_by.is_some());
        let sum = option(sum.text(self.goes_by.as_deref().unwrap_or_default()), self.due.is_some());
        sum.number(self.due.unwrap_or_default()).sum()
    }
}

/// A row of `runs`.
#[derive(Debug)]
pub(super) struct FoundRun {
    pub(super) row: RunRow,
    pub(super) queue: QueuePlace,
    queue_sum: i64,
    lease: Option<LeaseState>,
    /// The end of the lease, in milliseconds since 1970 by the clock of the server; 0 once it was given back.
    pub(super) until: i64,
    /// True if the lease is what was written.
    leased_well: bool,
}

impl FoundRun {
    /// Reads a row as it is; whether it is whole is another question.
    pub(super) fn read(row: &Row) -> Result<Self, tokio_postgres::Error> {
        let status: String = row.try_get(5)?;
        let info = RunInfo {
            run: text::read(row.try_get(1)?),
            graph: text::read(row.try_get(2)?),
            program: text::read(row.try_get(3)?),
            started: row.try_get(4)?,
            // A status that cannot be read has a wrong sum, too.
            status: serde_json::from_str(&status).unwrap_or(RunStatus::Running),
        };
        let own = RunRow {
            no: number(row, 0)?,
            info,
            status,
            entries: number(row, 6)?,
            seq: row.try_get::<_, i64>(7)?.cast_unsigned(),
            chain: link(row, 8)?.unwrap_or_default(),
            sum: row.try_get(9)?,
        };
        let queue = QueuePlace {
            goes_by: row.try_get::<_, Option<&str>>(10)?.map(text::read),
            due: row.try_get(11)?,
        };
        let (until, now): (i64, i64) = (row.try_get(15)?, row.try_get(17)?);
        let lease = row.try_get::<_, Option<&str>>(13)?.map(|owner| {
            let lease = Lease { owner: text::read(owner), fence: fence(row.get(14)) };
            let left = (until != 0).then(|| left(&lease.owner, until, now));
            LeaseState { lease, left }
        });
        Ok(Self { row: own, queue, queue_sum: row.try_get(12)?, lease, until, leased_well: row.try_get(16)? })
    }

    /// Returns true if the checksums of the row are right. That of the lease is another matter.
    pub(super) fn is_whole(&self) -> bool {
        self.row.is_whole() && self.queue_sum == self.queue.sum(self.row.no)
    }

    /// The lease of the run.
    ///
    /// # Errors
    /// [`StoreError::Damaged`].
    pub(super) fn lease_state(&self) -> Result<Option<LeaseState>, StoreError> {
        if self.leased_well {
            return Ok(self.lease.clone());
        }
        Err(damage::of_run(&self.row.info.run, "its driver is unknown"))
    }
}

/// The run of that id, whole.
pub(super) async fn find(client: &Object, run: &str) -> Result<FoundRun, WorkError> {
    match look(client, run).await? {
        None => Err(StoreError::Unknown(run.into()).into()),
        Some(found) if found.is_whole() && found.row.info.run == run => Ok(found),
        Some(_) => Err(damage::of_row(run).into()),
    }
}

/// The run of that id, as it is.
pub(super) async fn look(client: &Object, run: &str) -> Result<Option<FoundRun>, WorkError> {
    let ask = client.prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE id = $1")).await?;
    let found = client.query_opt(&ask, &[&text::column(run)]).await?;
    Ok(found.as_ref().map(FoundRun::read).transpose()?)
}

/// The time that a lease still lasts, in milliseconds since 1970 by the clock of the server.
fn left(owner: &str, until: i64, now: i64) -> Duration {
    let left = Duration::from_millis(u64::try_from(until.saturating_sub(now)).unwrap_or_default());
    let is_over = left > Lease::MAX_DURATION || process::is_gone(owner);
    if is_over { Duration::ZERO } else { left }
}

/// The fencing number of a column.
pub(super) const fn fence(column: i64) -> u64 {
    column.cast_unsigned()
}

/// A number of 32 bits. What does not fit was never written, and its row has a wrong sum.
pub(super) fn number(row: &Row, column: usize) -> Result<u32, tokio_postgres::Error> {
    Ok(u32::try_from(row.try_get::<_, i64>(column)?).unwrap_or(u32::MAX))
}

/// A link as it is in a column.
pub(super) fn link(row: &Row, column: usize) -> Result<Option<Link>, tokio_postgres::Error> {
    Ok(<[u8; LINK]>::try_from(row.try_get::<_, &[u8]>(column)?).ok())
}
