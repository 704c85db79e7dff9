//! Runs that are due, and messages for runs.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool_postgres::Object;
use tokio_postgres::types::ToSql;

use super::fault::WorkError;
use super::found_run;
use super::lease::{CLOCK, GIVEN, NEXT, free, millis};
use super::session::{Session, Work};
use super::{listener, text};
use crate::machine::Time;
use crate::port::{Lease, Message, PostedMessage, StoreError, TakenRun, TakenRuns};
use crate::store::damage::{ADVICE, NOT_WRITTEN};
use crate::value::Str;

/// The time from which a run with a message is due: before every other.
const FIRST: &str = "(-9223372036854775808)::bigint";

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

impl TakeDue {
    /// Looks for runs that are due without locking anything: an idle worker does no more.
    async fn look(&self, client: &Object) -> Result<(bool, Option<Time>), WorkError> {
        // For each program, what the index has first: however many runs there are.
        let ask = client
            .prepare_cached(
                "SELECT EXISTS (SELECT FROM unnest($1::text[]) AS p(digest), \
                   LATERAL (SELECT FROM runs r WHERE r.goes_by = p.digest AND r.due <= $2 LIMIT 1) AS first) \
                 OR EXISTS (SELECT FROM messages m JOIN runs r ON r.no = m.run WHERE m.body IS NOT NULL AND r.goes_by = ANY($1)), \
                 (SELECT min(next.due) FROM unnest($1::text[]) AS p(digest), \
                   LATERAL (SELECT r.due FROM runs r WHERE r.goes_by = p.digest AND r.due > $2 ORDER BY r.due LIMIT 1) AS next)",
            )
            .await?;
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
        // `old` is looked at again once its row is locked, so that of workers that take at once each gets other runs.
        let sql = format!(
            "WITH {CLOCK}, due AS (\
               SELECT r.no, r.due AS at FROM runs r WHERE r.goes_by = ANY($3::text[]) AND r.due <= $4 \
               UNION ALL \
               SELECT r.no, {FIRST} FROM messages m JOIN runs r ON r.no = m.run WHERE m.body IS NOT NULL AND r.goes_by = ANY($3::text[])), \
             first AS (SELECT no, min(at) AS at FROM due GROUP BY no), \
             old AS (\
               SELECT r.no, first.at, clock.now, {NEXT} FROM first JOIN runs r ON r.no = first.no, clock \
               WHERE {free} AND r.goes_by = ANY($3::text[]) \
                 AND (r.due <= $4 OR EXISTS (SELECT FROM messages m WHERE m.run = r.no AND m.body IS NOT NULL)) \
               ORDER BY first.at, r.no LIMIT $5 FOR UPDATE OF r SKIP LOCKED) \
             UPDATE runs SET {GIVEN} FROM old WHERE runs.no = old.no \
             RETURNING runs.id, runs.goes_by, runs.fence, old.at, runs.no",
            free = free()
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

/// The sum of a message, which is the server's, since the number is.
const SUM: &str = "sha256(convert_to(concat_ws(' ', m.number, m.run, m.token, m.body), 'UTF8'))";

/// Keeping a message for a run.
#[derive(Debug)]
pub(super) struct Post {
    run: Str,
    body: String,
    /// Tells the message from every other, so that it is kept once however often that is tried.
    token: i64,
}

impl Post {
    /// A message that is kept once.
    pub(super) fn new(run: &str, message: &Message) -> Result<Self, StoreError> {
        let unwritten = |error| StoreError::Failed(format!("a message cannot be written: {error}"));
        let body = serde_json::to_string(message).map_err(unwritten)?;
        // Each state of a hasher has keys of its own.
        let token = RandomState::new().hash_one(std::process::id()).cast_signed();
        Ok(Self { run: run.into(), body, token })
    }
}

impl Work for Post {
    type Done = u64;

    async fn attempt(&self, session: &Session, client: &mut Object, _: bool) -> Result<u64, WorkError> {
        let sql = format!(
            "WITH m AS (SELECT nextval('message_numbers') AS number, no AS run, $2::bigint AS token, $3::text AS body \
             FROM runs WHERE id = $1), \
             added AS (INSERT INTO messages SELECT m.number, m.run, m.token, m.body, {SUM} FROM m \
             ON CONFLICT (token) DO NOTHING RETURNING number) \
             SELECT number, pg_notify($4::text, '') FROM added"
        );
        let insert = client.prepare_cached(&sql).await?;
        let channel = listener::channel(session.address());
        let params: [&(dyn ToSql + Sync); 4] = [&text::column(&self.run), &self.token, &self.body, &channel];
        let mut added = client.query_opt(&insert, &params).await?;
        if added.is_none() {
            // An earlier attempt was made and its answer lost. If the message was taken by now, it is there without its text.
            let ask = client.prepare_cached("SELECT number FROM messages WHERE token = $1").await?;
            added = client.query_opt(&ask, &[&self.token]).await?;
        }
        let number = added.ok_or_else(|| StoreError::Unknown(self.run.clone()))?;
        Ok(number.try_get::<_, i64>(0)?.cast_unsigned())
    }
}

/// The messages for the runs of an owner.
#[derive(Debug)]
pub(super) struct Messages(pub(super) Str);

impl Work for Messages {
    type Done = Vec<PostedMessage>;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Self::Done, WorkError> {
        let ask = client
            .prepare_cached(&format!(
                "WITH {CLOCK} SELECT m.number, m.body, m.sum = {SUM}, r.id FROM messages m JOIN runs r ON r.no = m.run, clock \
                 WHERE m.body IS NOT NULL AND r.owner = $1 AND r.until > clock.now ORDER BY m.number"
            ))
            .await?;
        let mut messages = Vec::new();
        for row in client.query(&ask, &[&text::column(&self.0)]).await? {
            let run = text::read(row.try_get(3)?);
            let why =
                |why: String| StoreError::Damaged { what: format!("a message for the run `{run}`"), why };
            let message = read(&row)?.map_err(why)?;
            messages.push(PostedMessage { number: row.try_get::<_, i64>(0)?.cast_unsigned(), run, message });
        }
        Ok(messages)
    }
}

/// A message as it stands in a row.
fn read(row: &tokio_postgres::Row) -> Result<Result<Message, String>, tokio_postgres::Error> {
    if !row.try_get::<_, bool>(2)? {
        return Ok(Err(format!("{NOT_WRITTEN}; {ADVICE}")));
    }
    Ok(serde_json::from_str(row.try_get(1)?).map_err(|error| format!("it cannot be read: {error}")))
}

/// The faults of the messages.
pub(super) async fn survey(client: &Object) -> Result<Vec<String>, WorkError> {
    let sql = format!(
        "SELECT m.number, m.sum = {SUM}, r.id FROM messages m LEFT JOIN runs r ON r.no = m.run ORDER BY m.number"
    );
    let mut wrong = Vec::new();
    for row in client.query(&sql, &[]).await? {
        let number: i64 = row.try_get(0)?;
        match row.try_get::<_, Option<&str>>(2)? {
            None => wrong.push(format!("message {number} is for no run that is there")),
            Some(run) if !row.try_get::<_, bool>(1)? => {
                wrong.push(format!(
                    "message {number} for the run `{}` is not what was written",
                    text::read(run)
                ));
            }
            Some(_) => {}
        }
    }
    Ok(wrong)
}
