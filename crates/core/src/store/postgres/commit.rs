//! A commit: one statement, and so one transaction and one way to the server and back.

use std::sync::{Mutex, MutexGuard, PoisonError};

use deadpool_postgres::Object;
use tokio_postgres::types::ToSql;

use super::fault::WorkError;
use super::found_run::{self, QueuePlace};
use super::known_runs::KnownRun;
use super::session::{Session, Work};
use super::{listener, text};
use crate::machine::{JOURNAL_VERSION, Time};
use crate::port::{Lease, LeaseState, RunStatus, StoreError};
use crate::store::row::{self, EntryRow, Link};
use crate::value::Str;

/// A run may be written by others so often between a look at it and a commit.
const MAX_LOOKS: u32 = 8;

/// Everything of a commit happens if the run is as it was when this process looked, and the lease is its own; otherwise nothing
/// does. The run of a message is compared in a way that no index serves, so that messages are found by their numbers alone.
///
/// The count of messages in the row is the one that is there when the row is locked, less those that are taken: a message that came
/// meanwhile, and that this statement does not see, stays counted. `$28` says that the run ends, or had ended: then it has none, and
/// all that are seen are closed.
const SQL: &str = "\
WITH gone AS (
  SELECT count(*) AS many FROM messages m WHERE m.number = ANY($26::bigint[]) AND m.run - $1 = 0 AND m.body IS NOT NULL
), run AS (
  UPDATE runs r SET status = $4, entries = $5, seq = $6, chain = $7, sum = $8, goes_by = $9, due = $10, queue_sum = $11,
    messages = CASE WHEN $28::bool THEN 0 ELSE r.messages - gone.many END,
    posted = CASE WHEN NOT $28 AND r.messages > gone.many THEN r.posted END,
    posted_sum = CASE WHEN $28 OR r.messages = gone.many THEN NULL WHEN gone.many = 0 THEN r.posted_sum
      ELSE sha256(convert_to(concat_ws(' ', r.no, r.messages - gone.many, r.posted), 'UTF8')) END
  FROM gone
  WHERE r.no = $1 AND r.sum = $2 AND r.queue_sum = $3
    AND CASE WHEN $12::bigint IS NULL THEN r.until = 0 ELSE r.fence = $12 AND r.owner IS NOT NULL END
  RETURNING r.no
), added AS (
  INSERT INTO journal (run, entry, version, cause, at, step, seq, events, sum, chain, body)
  SELECT run.no, e.* FROM run, unnest($13::bigint[], $14::bigint[], $15::text[], $16::bigint[], $17::bigint[],
    $18::bigint[], $19::bigint[], $20::bigint[], $21::bytea[], $22::bytea[]) AS e
), pictured AS (
  INSERT INTO snapshots (run, entry, version, chain, sum, body)
  SELECT run.no, $5, $23::bigint, $7, $24::bigint, $25::bytea FROM run WHERE $25::bytea IS NOT NULL
  ON CONFLICT (run, entry) DO UPDATE
  SET version = EXCLUDED.version, chain = EXCLUDED.chain, sum = EXCLUDED.sum, body = EXCLUDED.body
), taken AS (
  UPDATE messages m SET body = NULL, sum = sha256(convert_to(concat_ws(' ', m.number, m.run, m.token), 'UTF8'))
  FROM run WHERE NOT $28 AND m.number = ANY($26::bigint[]) AND m.run - run.no = 0
), closed AS (
  UPDATE messages m SET body = NULL, sum = sha256(convert_to(concat_ws(' ', m.number, m.run, m.token), 'UTF8'))
  FROM run WHERE $28 AND m.run = run.no AND m.body IS NOT NULL
)
SELECT CASE WHEN $27::text IS NOT NULL THEN pg_notify($27::text, '') END FROM run";

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
    /// The numbers of the messages that it takes.
    pub(super) messages: Vec<i64>,
    /// The digest of the program that the run goes by after it, if that is known.
    pub(super) program: Option<Str>,
    /// See [`Commit::due`](crate::port::Commit::due).
    pub(super) due: Option<Time>,
    /// The run as it was before the attempt whose end is not known.
    pub(super) tried: Mutex<Option<KnownRun>>,
}

/// The run after a commit, and the columns of the rows that it adds.
struct Sealed {
    after: KnownRun,
    entries: Vec<i64>,
    sums: Vec<i64>,
    links: Vec<Link>,
}

impl NewEntries {
    /// The run as this process left it, or as it is.
    async fn before(&self, session: &Session, client: &Object) -> Result<KnownRun, WorkError> {
        if let Some(tried) = self.tried().take() {
            return Ok(tried);
        }
        if let Some(known) = session.known.take(&self.run) {
            return Ok(known);
        }
        let found = found_run::find(client, &self.run).await?;
        LeaseState::check(found.lease_state()?.as_ref(), &self.run, self.lease.as_ref())?;
        Ok(KnownRun { row: found.row, queue: found.queue })
    }

    fn tried(&self) -> MutexGuard<'_, Option<KnownRun>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run after the commit, if it is as `before` says until then.
    fn seal(&self, before: &KnownRun) -> Result<Sealed, StoreError> {
        let mut run = before.row.clone();
        if !(self.rows.is_empty() && run.entries == 0) {
            let found = self.rows.first().map_or(self.seq, |first| first.seq);
            if found != run.seq {
                return Err(StoreError::Gap { wanted: run.seq, found });
            }
        }
        let many = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        if run.entries.checked_add(many).is_none() {
            return Err(StoreError::Failed("the run has as many entries as a journal can hold".to_owned()));
        }
        let (mut entries, mut sums, mut links) = (Vec::new(), Vec::new(), Vec::new());
        for row in &self.rows {
            let (sum, link) = row.seal(row::key(run.no, run.entries), &run.chain);
            entries.push(i64::from(run.entries));
            sums.push(sum);
            links.push(link);
            run.chain = link;
            run.entries += 1;
        }
        run.seq = self.seq;
        run.status = row::written(&self.status)?;
        run.info.status = self.status.clone();
        run.sum = run.expected_sum();
        let queue = self.queue(before);
        Ok(Sealed { after: KnownRun { row: run, queue }, entries, sums, links })
    }

    /// The place among the runs that workers take. While there is something to do at once it stays: a row whose indexed columns
    /// stay is cheaper to write.
    fn queue(&self, before: &KnownRun) -> QueuePlace {
        if matches!(self.status, RunStatus::Done { .. }) {
            return QueuePlace::default();
        }
        let program = || before.queue.goes_by.clone().unwrap_or_else(|| before.row.info.program.clone());
        let goes_by = Some(self.program.clone().unwrap_or_else(program));
        QueuePlace { goes_by, due: self.due }
    }

    /// Stores it. Returns false if the run is not as it was before, or is somebody else's.
    async fn store(
        &self,
        session: &Session,
        client: &Object,
        before: &KnownRun,
        sealed: &Sealed,
    ) -> Result<bool, WorkError> {
        let run = &sealed.after.row;
        let goes_by = sealed.after.queue.goes_by.as_deref().map(text::column);
        let fence = self.lease.as_ref().map(|lease| lease.fence.cast_signed());
        let numbers = |column: fn(&EntryRow<'_>) -> i64| self.rows.iter().map(column).collect::<Vec<_>>();
        let picture = self
            .snapshot
            .as_ref()
            .map(|body| row::snapshot_sum(row::key(run.no, run.entries), JOURNAL_VERSION, &run.chain, body));
        // Who commits under a lease drives the run further. The server makes notifying commits one after the other, so that one is
        // made only where the run becomes due by it.
        let queue = &sealed.after.queue;
        let is_left = self.lease.is_none() && queue.due.is_some() && *queue != before.queue;
        let wakes = is_left.then(|| listener::channel(session.address()));
        let is_ended = |status: &RunStatus| matches!(status, RunStatus::Done { .. });
        let closes = is_ended(&self.status) || is_ended(&before.row.info.status);
        let chain = &run.chain[..];
        let links: Vec<&[u8]> = sealed.links.iter().map(|link| &link[..]).collect();
        let params: [&(dyn ToSql + Sync); 28] = [
            &i64::from(run.no),
            &before.row.sum,
            &before.queue.sum(run.no),
            &run.status,
            &i64::from(run.entries),
            &run.seq.cast_signed(),
            &chain,
            &run.sum,
            &goes_by,
            &sealed.after.queue.due,
            &sealed.after.queue.sum(run.no),
            &fence,
            &sealed.entries,
            &numbers(|row| row.version.into()),
            &self.rows.iter().map(|row| row.cause.as_str()).collect::<Vec<_>>(),
            &numbers(|row| row.at),
            &numbers(|row| row.step.cast_signed()),
            &numbers(|row| row.seq.cast_signed()),
            &numbers(|row| row.events.into()),
            &sealed.sums,
            &links,
            &self.rows.iter().map(|row| &*row.body).collect::<Vec<_>>(),
            &i64::from(JOURNAL_VERSION),
            &picture,
            &self.snapshot,
            &self.messages,
            &wakes,
            &closes,
        ];
        let commit = client.prepare_cached(SQL).await?;
        Ok(!client.query(&commit, &params).await?.is_empty())
    }
}

impl Work for NewEntries {
    type Done = ();

    async fn attempt(&self, session: &Session, client: &mut Object, again: bool) -> Result<(), WorkError> {
        let mut before = self.before(session, client).await?;
        for _ in 0..MAX_LOOKS {
            let sealed = match self.seal(&before) {
                // What this process knows may be old.
                Err(StoreError::Gap { .. }) => None,
                sealed => Some(sealed?),
            };
            *self.tried() = Some(before.clone());
            if let Some(sealed) = &sealed
                && self.store(session, client, &before, sealed).await?
            {
                if !matches!(self.status, RunStatus::Done { .. }) {
                    session.known.note(sealed.after.clone());
                }
                return Ok(());
            }
            let found = found_run::find(client, &self.run).await?;
            // The answer to an earlier attempt was lost, and it was stored. The chain tells it from every other commit.
            if again && sealed.is_some_and(|sealed| sealed.after.row.sum == found.row.sum) {
                return Ok(());
            }
            LeaseState::check(found.lease_state()?.as_ref(), &self.run, self.lease.as_ref())?;
            before = KnownRun { row: found.row, queue: found.queue };
            self.seal(&before)?;
        }
        Err(StoreError::Failed(format!("the run `{}` is written by others again and again", self.run)).into())
    }
}
