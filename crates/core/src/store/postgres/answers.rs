//! Answers of models that may be given again.

use deadpool_postgres::Object;
use tokio_postgres::Row;

use super::fault::WorkError;
use super::session::{Session, Work};
use super::text;
use crate::machine::Time;
use crate::port::{AnswerCache, StoreError};
use crate::store::damage::{self, NOT_WRITTEN};
use crate::store::row::answer_sum;
use crate::value::{Str, Value};

/// Keeping an answer in place of an earlier one to the same request.
#[derive(Debug)]
pub(super) struct KeepAnswer {
    pub(super) request: Str,
    pub(super) at: Time,
    pub(super) body: Vec<u8>,
}

impl Work for KeepAnswer {
    type Done = ();

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<(), WorkError> {
        let keep = client
            .prepare_cached(
                "INSERT INTO answers VALUES ($1, nextval('answer_numbers'), $2, $3, $4) ON CONFLICT (request) DO UPDATE \
                 SET number = EXCLUDED.number, at = EXCLUDED.at, body = EXCLUDED.body, sum = EXCLUDED.sum RETURNING number",
            )
            .await?;
        let sum = answer_sum(&self.request, self.at, &self.body);
        let number: i64 = client
            .query_one(&keep, &[&text::column(&self.request), &self.at, &self.body, &sum])
            .await?
            .try_get(0)?;
        // To find the oldest that stays, all of them are counted: once for so many.
        let spare = i64::try_from(AnswerCache::MAX_SPARE_ANSWERS).unwrap_or(i64::MAX);
        if number % spare != 0 {
            return Ok(());
        }
        let drop = client
            .prepare_cached(
                "DELETE FROM answers WHERE number < (SELECT min(number) FROM \
                 (SELECT number FROM answers ORDER BY number DESC LIMIT $1) AS stay)",
            )
            .await?;
        let most = i64::try_from(AnswerCache::MAX_ANSWERS).unwrap_or(i64::MAX);
        client.execute(&drop, &[&most]).await?;
        Ok(())
    }
}

/// The answer that was stored for a request.
#[derive(Debug)]
pub(super) struct FindAnswer(pub(super) Str);

impl Work for FindAnswer {
    type Done = Option<Value>;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Option<Value>, WorkError> {
        let Self(request) = self;
        let ask = client.prepare_cached(&format!("SELECT {COLUMNS} FROM answers WHERE request = $1")).await?;
        let Some(found) = client.query_opt(&ask, &[&text::column(request)]).await? else { return Ok(None) };
        let (found, body) = read(&found)?;
        let damaged = |why: String| StoreError::Damaged { what: damage::answer(request), why };
        let body = body.filter(|_| found == *request).ok_or_else(|| damaged(NOT_WRITTEN.to_owned()))?;
        let value =
            serde_json::from_slice(&body).map_err(|error| damaged(format!("it cannot be read: {error}")));
        Ok(Some(value?))
    }
}

/// The columns, in the order in which [`read`] takes them.
const COLUMNS: &str = "request, at, body, sum";

/// The request of a row, and its body if it is what was written.
fn read(row: &Row) -> Result<(Str, Option<Vec<u8>>), tokio_postgres::Error> {
    let (request, body): (_, Vec<u8>) = (text::read(row.try_get(0)?), row.try_get(2)?);
    let whole = answer_sum(&request, row.try_get(1)?, &body) == row.try_get::<_, i64>(3)?;
    Ok((request, whole.then_some(body)))
}

/// The faults of the stored answers.
pub(super) async fn survey(client: &Object) -> Result<Vec<String>, WorkError> {
    let mut wrong = Vec::new();
    for row in client.query(&format!("SELECT {COLUMNS} FROM answers ORDER BY number"), &[]).await? {
        if let (request, None) = read(&row)? {
            wrong.push(format!("{} {}", damage::answer(&request), damage::ANSWER_NOT_USED));
        }
    }
    Ok(wrong)
}
