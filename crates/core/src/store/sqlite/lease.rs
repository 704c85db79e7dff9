//! The tenure of a run: who drives it, or drove it last.

use rusqlite::{Connection, OptionalExtension};

use super::lease_clock::LeaseClock;
use crate::port::{Lease, LeaseState, StoreError};
use crate::store::damage;
use crate::store::row::{self, RunRow};

/// A job that was not done.
#[derive(Debug)]
pub(super) enum JobError {
    /// It may not be; nothing was written.
    Refused(StoreError),
    /// SQLite failed, perhaps in the middle.
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for JobError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

/// The lease of a run.
pub(super) fn lease_state(
    conn: &Connection,
    watch: &LeaseClock,
    run: &RunRow,
) -> Result<Option<LeaseState>, JobError> {
    let found = conn
        .prepare_cached("SELECT owner, fence, until, sum FROM leases WHERE run = ?1")?
        .query_row([run.no], |row| {
            let lease = Lease { owner: row.get_ref(0)?.as_str()?.into(), fence: row.get(1)? };
            let until: i64 = row.get(2)?;
            let whole = row.get::<_, i64>(3)? == row::lease_sum(run.no, &lease, until);
            // Once it was given back it ends at 0.
            let left = (until != 0).then(|| watch.left(until, &lease.owner));
            Ok(whole.then_some(LeaseState { lease, left }))
        })
        .optional()?;
    match found {
        None => Ok(None),
        Some(Some(lease_state)) => Ok(Some(lease_state)),
        Some(None) => Err(damage::of_run(&run.info.run, "its driver is unknown").into()),
    }
}
