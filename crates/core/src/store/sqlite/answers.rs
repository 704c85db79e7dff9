//! Answers of models that may be given again.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault;
use crate::machine::Time;
use crate::port::{AnswerCache, StoreError};
use crate::store::damage::{self, NOT_WRITTEN};
use crate::store::row::answer_sum;
use crate::value::{Str, Value};

/// A row of `answers` before it is written.
#[derive(Debug)]
pub(super) struct AnswerRow {
    request: Str,
    at: Time,
    body: Vec<u8>,
}

impl AnswerRow {
    /// The columns, in the order in which [`AnswerRow::read`] takes them.
    const COLUMNS: &str = "request, at, body, sum";

    /// An answer as a row.
    pub(super) fn pack(request: &str, answer: &Value, at: Time) -> Result<Self, StoreError> {
        let failed = |error| StoreError::Failed(format!("an answer cannot be written: {error}"));
        Ok(Self { request: request.into(), at, body: serde_json::to_vec(answer).map_err(failed)? })
    }

    fn sum(&self) -> i64 {
        answer_sum(&self.request, self.at, &self.body)
    }

    /// Reads a row, and whether it is what was written.
    fn read(row: &Row<'_>) -> rusqlite::Result<(Self, bool)> {
        let own = Self { request: row.get_ref(0)?.as_str()?.into(), at: row.get(1)?, body: row.get(2)? };
        let whole = own.sum() == row.get::<_, i64>(3)?;
        Ok((own, whole))
    }

    /// Writes it in place of an earlier answer to the same request. Of too many the oldest goes.
    pub(super) fn keep(&self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached("INSERT OR REPLACE INTO answers VALUES (?1, ?2, ?3, ?4)")?.execute(params![
            self.request.as_str(),
            self.at,
            self.body,
            self.sum()
        ])?;
        conn.prepare_cached(
            "DELETE FROM answers WHERE rowid = (SELECT min(rowid) FROM answers) \
             AND (SELECT count(*) FROM answers) > ?1",
        )?
        .execute([AnswerCache::MAX_ANSWERS])?;
        Ok(())
    }
}

/// The answer that was stored for a request, if it is whole.
pub(super) fn find(conn: &Connection, request: &str) -> Result<Option<Value>, StoreError> {
    let sql = format!("SELECT {} FROM answers WHERE request = ?1", AnswerRow::COLUMNS);
    let found = conn
        .prepare_cached(&sql)
        .and_then(|mut ask| ask.query_row([request], AnswerRow::read).optional())
        .map_err(|error| fault::from(&error))?;
    let damaged = |why: String| StoreError::Damaged { what: damage::answer(request), why };
    match found {
        None => Ok(None),
        Some((row, true)) if row.request == request => serde_json::from_slice(&row.body)
            .map(Some)
            .map_err(|error| damaged(format!("it cannot be read: {error}"))),
        Some(_) => Err(damaged(NOT_WRITTEN.to_owned())),
    }
}

/// The faults of the stored answers.
pub(super) fn survey(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = format!("SELECT {}, rowid FROM answers NOT INDEXED ORDER BY rowid", AnswerRow::COLUMNS);
    let mut ask = conn.prepare(&sql)?;
    let mut rows = ask.query([])?;
    let mut wrong = Vec::new();
    while let Some(row) = rows.next()? {
        let what = match AnswerRow::read(row) {
            Ok((_, true)) => continue,
            Ok((own, false)) => damage::answer(&own.request),
            Err(_) => format!("answer number {}", row.get::<_, i64>(4)?),
        };
        wrong.push(format!("{what} {}", damage::ANSWER_NOT_USED));
    }
    Ok(wrong)
}
