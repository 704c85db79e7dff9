//! Runs that are due, and messages for runs.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::Object;

use super::fault::WorkError;
use super::found_run;
use super::lease::{CLOCK, GIVEN, NEXT, free, millis};
use super::session::{Session, Work};
use super::{listener, text};
use crate::machine::Time;
use crate::port::{Lease, Message, PostedMessage, StoreError, TakenRun, TakenRuns};
use crate::store::damage::{ADVICE, NOT_WRITTEN};
use crate::store::row::message_sum;
use crate::value::Str;

/// The time from which a run with a message is due: before every other.
const FIRST: &str = "(-9223372036854775808)::bigint";

/// The result of a transaction that must not be made twice, from before its end is asked for until that is known.
#[derive(Debug)]
pub(super) struct Deciding<T>(Mutex<Option<(String, T)>>);

impl<T> Default for Deciding<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Deciding<T> {
    /// The result of an attempt whose end was not heard of, if it was made.
    async fn decided(&self, client: &Object) -> Result<Option<T>, WorkError> {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some((transaction, result)) = before else { return Ok(None) };
        let ask = client.prepare_cached("SELECT pg_xact_status($1::text::xid8)").await?;
        let status: Option<String> = client.query_one(&ask, &[&transaction]).await?.try_get(0)?;
        match status.as_deref() {
            Some("committed") => Ok(Some(result)),
            Some("in progress") => Err(WorkError::Undecided),
            _ => Ok(None),
        }
    }

    /// Notes the result of a transaction that is about to be made.
    async fn decide(&self, client: &Object, result: &T) -> Result<(), WorkError> {
        let ask = client.prepare_cached("SELECT pg_current_xact_id()::text").await?;
        let transaction: String = client.query_one(&ask, &[]).await?.try_get(0)?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((transaction, result.clone()));
        client.batch_execute("COMMIT").await?;
        Ok(())
    }
}

/// Taking runs that are due.
#[derive(Debug)]
pub(super) struct TakeDue {
    pub(super) owner: Str,
    pub(super) ttl: Duration,
    pub(super) programs: Vec<Str>,
    pub(super) now: Time,
    pub(super) limit: usize,
    pub(super) deciding: Deciding<TakenRuns>,
}

impl TakeDue {
    /// Looks for runs that are due without locking anything: an idle worker does no more.
    async fn look(&self, client: &Object) -> Result<(bool, Option<Time>), WorkError> {
        // For each program, what the index has first: however many runs there are.
        let ask = client
            .prepare_cached(
                "SELECT EXISTS (SELECT FROM unnest($1::text[]) AS p(digest), \
                   LATERAL (SELECT FROM runs r WHERE r.goes_by = p.digest AND r.due <= $2 LIMIT 1) AS first) \
                 OR EXISTS (SELECT FROM messages m JOIN runs r ON r.no = m.run WHERE r.goes_by = ANY($1)), \
                 (SELECT min(next.due) FROM unnest($1::text[]) AS p(digest), \
                   LATERAL (SELECT r.due FROM runs r WHERE r.goes_by = p.digest AND r.due > $2 ORDER BY r.due LIMIT 1) AS next)",
            )
            .await?;
        let row = client.query_one(&ask, &[&self.digests(), &self.now]).await?;
        Ok((row.try_get(0)?, row.try_get(1)?))
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
               SELECT r.no, {FIRST} FROM messages m JOIN runs r ON r.no = m.run WHERE r.goes_by = ANY($3::text[])), \
             first AS (SELECT no, min(at) AS at FROM due GROUP BY no), \
             old AS (\
               SELECT r.no, first.at, clock.now, {NEXT} FROM first JOIN runs r ON r.no = first.no, clock \
               WHERE {free} AND r.goes_by = ANY($3::text[]) \
                 AND (r.due <= $4 OR EXISTS (SELECT FROM messages m WHERE m.run = r.no)) \
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
        if let Some(taken) = self.deciding.decided(client).await? {
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
                    self.deciding.decide(client, &taken).await?;
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

/// Keeping a message for a run.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) run: Str,
    pub(super) message: Message,
    pub(super) deciding: Deciding<u64>,
}

impl Post {
    async fn post(&self, session: &Session, client: &Object) -> Result<u64, WorkError> {
        let run = found_run::find(client, &self.run).await?.row.no;
        let next = client.prepare_cached("SELECT nextval('message_numbers')").await?;
        let number: i64 = client.query_one(&next, &[]).await?.try_get(0)?;
        let unwritten = |error| StoreError::Failed(format!("a message cannot be written: {error}"));
        let body = serde_json::to_string(&self.message).map_err(unwritten)?;
        let insert = client
            .prepare_cached(
                "WITH added AS (INSERT INTO messages VALUES ($1, $2, $3, $4)) SELECT pg_notify($5::text, '')",
            )
            .await?;
        let channel = listener::channel(session.address());
        let sum = message_sum(number, run, &body);
        client.query(&insert, &[&number, &i64::from(run), &body, &sum, &channel]).await?;
        Ok(number.cast_unsigned())
    }
}

impl Work for Post {
    type Done = u64;

    async fn attempt(&self, session: &Session, client: &mut Object, _: bool) -> Result<u64, WorkError> {
        if let Some(number) = self.deciding.decided(client).await? {
            return Ok(number);
        }
        client.batch_execute("BEGIN").await?;
        match self.post(session, client).await {
            Ok(number) => {
                self.deciding.decide(client, &number).await?;
                Ok(number)
            }
            Err(error) => Err(ended(client, error).await),
        }
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
                "WITH {CLOCK} SELECT m.number, m.run, m.body, m.sum, r.id FROM messages m JOIN runs r ON r.no = m.run, clock \
                 WHERE r.owner = $1 AND r.until > clock.now ORDER BY m.number"
            ))
            .await?;
        let mut messages = Vec::new();
        for row in client.query(&ask, &[&text::column(&self.0)]).await? {
            let run = text::read(row.try_get(4)?);
            let message = message(&row)?;
            let why =
                |why: String| StoreError::Damaged { what: format!("a message for the run `{run}`"), why };
            let (number, message) = message.map_err(why)?;
            messages.push(PostedMessage { number, run, message });
        }
        Ok(messages)
    }
}

/// A message as it stands in a row, with its number.
fn message(row: &tokio_postgres::Row) -> Result<Result<(u64, Message), String>, tokio_postgres::Error> {
    let (number, body): (i64, &str) = (row.try_get(0)?, row.try_get(2)?);
    let run = found_run::number(row, 1)?;
    if row.try_get::<_, i64>(3)? != message_sum(number, run, body) {
        return Ok(Err(format!("{NOT_WRITTEN}; {ADVICE}")));
    }
    let read = serde_json::from_str(body).map_err(|error| format!("it cannot be read: {error}"));
    Ok(read.map(|message| (number.cast_unsigned(), message)))
}

/// The faults of the messages.
pub(super) async fn survey(client: &Object) -> Result<Vec<String>, WorkError> {
    let sql = "SELECT m.number, m.run, m.body, m.sum, r.id FROM messages m LEFT JOIN runs r ON r.no = m.run ORDER BY m.number";
    let mut wrong = Vec::new();
    for row in client.query(sql, &[]).await? {
        let number: i64 = row.try_get(0)?;
        match row.try_get::<_, Option<&str>>(4)? {
            None => wrong.push(format!("message {number} is for no run that is there")),
            Some(run) if message(&row)?.is_err() => {
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
