//! Leases, by the clock of the server.

use std::time::Duration;

use deadpool_postgres::Object;

use super::fault::WorkError;
use super::found_run;
use super::session::{Session, Work};
use super::{listener, text};
use crate::port::{Lease, LeaseState, StoreError};
use crate::value::Str;

/// A lease may be given to others so often between a look at it and its being taken.
const MAX_LOOKS: u32 = 8;

/// The clock of the server, in milliseconds since 1970.
pub(super) const CLOCK: &str =
    "clock AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)";

/// Its time, in a statement with [`CLOCK`].
pub(super) const NOW: &str = "(SELECT now FROM clock)";

/// The columns of a lease that an owner `$1` gets for `$2` milliseconds of the run in `old`: its own again if it was not given
/// back, else one with the next fencing number.
pub(super) const GIVEN: &str = "\
owner = $1, fence = old.next, until = old.now + $2, \
lease_sum = sha256(convert_to(concat_ws(' ', old.no, old.next, old.now + $2, $1::text), 'UTF8'))";

/// The next fencing number of a run `r` for an owner `$1`.
pub(super) const NEXT: &str =
    "CASE WHEN r.owner = $1 AND r.until <> 0 THEN r.fence ELSE r.fence + 1 END AS next";

/// A lease may be given of a run `r` whose driver is known, where nobody has one: it was given back, has run out, or seems to last
/// longer than any does, since the clock was set back.
pub(super) fn free() -> String {
    format!(
        "(r.until = 0 OR r.until <= {NOW} OR r.until > {NOW} + {}) AND {WELL}",
        Lease::MAX_DURATION.as_millis()
    )
}

/// The lease of a run `r` is what was written.
pub(super) const WELL: &str = "coalesce(r.lease_sum = \
sha256(convert_to(concat_ws(' ', r.no, r.fence, r.until, r.owner), 'UTF8')), \
r.owner IS NULL AND r.lease_sum IS NULL AND r.fence = 0 AND r.until = 0)";

/// The time of a lease in milliseconds: never 0.
pub(super) fn millis(ttl: Duration) -> i64 {
    i64::try_from(ttl.min(Lease::MAX_DURATION).as_millis()).unwrap_or(i64::MAX)
}

/// Acquiring a lease.
#[derive(Debug)]
pub(super) struct Acquire {
    pub(super) run: Str,
    pub(super) owner: Str,
    pub(super) ttl: Duration,
}

impl Work for Acquire {
    type Done = Lease;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Lease, WorkError> {
        // `$4` and `$5` are the fence of an owner that is known to have ended, and the end of its lease: one that was renewed since has
        // another.
        let sql = format!(
            "WITH {CLOCK}, old AS (SELECT r.no, {NOW} AS now, {NEXT} FROM runs r WHERE r.id = $3 \
             AND ({} OR (r.owner = $1 AND {WELL}) OR (r.fence = $4 AND r.until = $5 AND {WELL})) FOR UPDATE OF r) \
             UPDATE runs SET {GIVEN} FROM old WHERE runs.no = old.no RETURNING runs.fence",
            free()
        );
        let acquire = client.prepare_cached(&sql).await?;
        let (owner, run) = (text::column(&self.owner), text::column(&self.run));
        let mut ended: (Option<i64>, i64) = (None, 0);
        for _ in 0..MAX_LOOKS {
            let given =
                client.query_opt(&acquire, &[&owner, &millis(self.ttl), &run, &ended.0, &ended.1]).await?;
            if let Some(given) = given {
                let fence = found_run::fence(given.try_get(0)?);
                return Ok(Lease { owner: self.owner.clone(), fence });
            }
            let found = found_run::find(client, &self.run).await?;
            let lease_state = found.lease_state()?;
            LeaseState::next(lease_state.as_ref(), &self.run, &self.owner)?;
            // It is free by now, or its owner has ended, which only this machine can tell.
            ended = (lease_state.map(|last| last.lease.fence.cast_signed()), found.until);
        }
        Err(StoreError::Failed(format!("the run `{}` changes hands again and again; try again", self.run))
            .into())
    }
}

/// Giving a lease back.
#[derive(Debug)]
pub(super) struct Release {
    pub(super) run: Str,
    pub(super) lease: Lease,
}

impl Work for Release {
    type Done = ();

    async fn attempt(&self, session: &Session, client: &mut Object, _: bool) -> Result<(), WorkError> {
        // Workers are woken only for a run that one of them may take, now or later.
        let release = client
            .prepare_cached(
                "WITH free AS (UPDATE runs SET until = 0, \
                 lease_sum = sha256(convert_to(concat_ws(' ', no, fence, 0, owner), 'UTF8')) \
                 WHERE id = $1 AND fence = $2 AND owner IS NOT NULL RETURNING due IS NOT NULL OR messages > 0 AS is_left) \
                 SELECT CASE WHEN is_left THEN pg_notify($3::text, '') END FROM free",
            )
            .await?;
        let fence = self.lease.fence.cast_signed();
        let channel = listener::channel(session.address());
        if client.query(&release, &[&text::column(&self.run), &fence, &channel]).await?.is_empty() {
            // Somebody else has it by now, or there is no such run.
            found_run::find(client, &self.run).await?;
        }
        Ok(())
    }
}
