//! Taking runs that are due.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool_postgres::Object;

use super::fault::WorkError;
use super::lease::{CLOCK, GIVEN, NEXT, NOW, free, millis};
use super::session::{Session, Work};
use super::{found_run, text};
use crate::machine::Time;
use crate::port::{Lease, TakenRun, TakenRuns};
use crate::value::Str;

/// Taking runs that are due.
#[derive(Debug)]
pub(super) struct TakeDue {
    pub(super) owner: Str,
    pub(super) ttl: Duration,
    pub(super) programs: Vec<Str>,
    pub(super) now: Time,
    pub(super) limit: usize,
    /// The runs of an attempt whose end was not heard of.
    pub(super) tried: Mutex<Option<TakenRuns>>,
}

/// The runs `r` of a program `p` that are due by their timers at `$2`, or at once.
const TIMED: &str = "r.goes_by = p.digest AND r.due <= $2";

/// The same for those with a message, whenever that came by whatever clock. The row counts messages to be found by them; that one is
/// there is looked up, so that a wrong count has no worker take the run again and again.
const POSTED: &str = "r.goes_by = p.digest AND r.posted IS NOT NULL \
AND EXISTS (SELECT FROM messages m WHERE m.run = r.no AND m.body IS NOT NULL)";

impl TakeDue {
    /// Looks for runs that are due without locking anything: an idle worker does no more. Each program is looked for by itself, so
    /// that an index has first what is due first, however many runs there are.
    async fn look(&self, client: &Object) -> Result<(bool, Option<Time>), WorkError> {
        let any = |which: &str, order: &str| {
            format!(
                "EXISTS (SELECT FROM unnest($1::text[]) AS p(digest), LATERAL (SELECT FROM runs r WHERE {which} AND {} \
                 ORDER BY {order}, r.no LIMIT 1) AS first)",
                free()
            )
        };
        let sql = format!(
            "WITH {CLOCK} SELECT {} OR {}, (SELECT min(next.due) FROM unnest($1::text[]) AS p(digest), LATERAL (\
             SELECT r.due FROM runs r WHERE r.goes_by = p.digest AND r.due > $2 ORDER BY r.due LIMIT 1) AS next)",
            any(TIMED, "r.due"),
            any(POSTED, "r.posted"),
        );
        let ask = client.prepare_cached(&sql).await?;
        let row = client.query_one(&ask, &[&self.digests(), &self.now]).await?;
        Ok((row.try_get(0)?, row.try_get(1)?))
    }

    /// The runs of an attempt whose end was not heard of, if it was made: the leases are there, with their fencing numbers.
    async fn decided(&self, client: &Object) -> Result<Option<TakenRuns>, WorkError> {
        let Some(taken) = self.tried().take() else { return Ok(None) };
        let ids: Vec<String> = taken.runs.iter().map(|taken| text::column(&taken.run).into_owned()).collect();
        let fences: Vec<i64> = taken.runs.iter().map(|taken| taken.lease.fence.cast_signed()).collect();
        let ask = client
            .prepare_cached(
                "SELECT count(*) FROM runs r JOIN unnest($1::text[], $2::bigint[]) AS t(id, fence) \
                 ON r.id = t.id AND r.fence = t.fence AND r.owner = $3",
            )
            .await?;
        let own: i64 =
            client.query_one(&ask, &[&ids, &fences, &text::column(&self.owner)]).await?.try_get(0)?;
        Ok((own > 0).then_some(taken))
    }

    fn tried(&self) -> MutexGuard<'_, Option<TakenRuns>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn digests(&self) -> Vec<String> {
        self.programs.iter().map(|digest| text::column(digest).into_owned()).collect()
    }

    /// Takes what is due, in the transaction that is open.
    async fn take(&self, client: &Object) -> Result<Vec<TakenRun>, WorkError> {
        // A row is looked at again once it is locked, and one that another worker has locked is passed over: so of workers that take
        // at once each gets other runs.
        let first = |which: &str, at: &str| {
            format!(
                "SELECT first.* FROM unnest($3::text[]) AS p(digest), LATERAL (\
                 SELECT r.no, {at} AS at, {NOW} AS now, {NEXT} FROM runs r WHERE {} AND {} \
                 ORDER BY {at}, r.no LIMIT $5 FOR UPDATE OF r SKIP LOCKED) AS first",
                which.replace("$2", "$4"),
                free()
            )
        };
        let sql = format!(
            "WITH {CLOCK}, timed AS ({}), posted AS ({}), old AS (\
             SELECT no, min(at) AS at, min(now) AS now, min(next) AS next FROM (TABLE timed UNION ALL TABLE posted) AS due \
             GROUP BY no ORDER BY min(at), no LIMIT $5) \
             UPDATE runs SET {GIVEN} FROM old WHERE runs.no = old.no \
             RETURNING runs.id, runs.goes_by, runs.fence, old.at, runs.no",
            first(TIMED, "r.due"),
            first(POSTED, "r.posted"),
        );
        let take = client.prepare_cached(&sql).await?;
        let limit = i64::try_from(self.limit).unwrap_or(i64::MAX);
        let owner = text::column(&self.owner);
        let mut rows =
            client.query(&take, &[&owner, &millis(self.ttl), &self.digests(), &self.now, &limit]).await?;
        rows.sort_by_key(|row| (row.get::<_, i64>(3), row.get::<_, i64>(4)));
        let taken = |row: &tokio_postgres::Row| {
            Ok(TakenRun {
                run: text::read(row.try_get(0)?),
                program: text::read(row.try_get::<_, Option<&str>>(1)?.unwrap_or_default()),
                lease: Lease { owner: self.owner.clone(), fence: found_run::fence(row.try_get(2)?) },
            })
        };
        rows.iter().map(taken).collect::<Result<_, tokio_postgres::Error>>().map_err(WorkError::from)
    }
}

impl Work for TakeDue {
    type Done = TakenRuns;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<TakenRuns, WorkError> {
        if let Some(taken) = self.decided(client).await? {
            return Ok(taken);
        }
        let (any, next) = self.look(client).await?;
        let mut taken = TakenRuns { runs: Vec::new(), next };
        if any && self.limit > 0 {
            client.batch_execute("BEGIN").await?;
            match self.take(client).await {
                Ok(runs) if runs.is_empty() => client.batch_execute("ROLLBACK").await?,
                Ok(runs) => {
                    taken.runs = runs;
                    *self.tried() = Some(taken.clone());
                    client.batch_execute("COMMIT").await?;
                }
                Err(error) => return Err(ended(client, error).await),
            }
        }
        Ok(taken)
    }
}

/// Ends a transaction that failed.
async fn ended(client: &Object, error: WorkError) -> WorkError {
    match client.batch_execute("ROLLBACK").await {
        // The server is still there, so what failed is why.
        Ok(()) => error,
        Err(lost) => WorkError::Database(lost),
    }
}
