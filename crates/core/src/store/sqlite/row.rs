//! Rows as SQLite has them.

use std::borrow::Cow;

use rusqlite::{Connection, Row, params};

use super::bytes::LongColumn;
use crate::port::{RunInfo, RunStatus};
use crate::store::row::{EntryRow, Link, RunRow};
use crate::value::Str;

/// A link as it is in a column.
pub(super) fn link(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Link>> {
    Ok(row.get_ref(column)?.as_blob()?.try_into().ok())
}

impl RunRow {
    /// The columns, in the order in which [`RunRow::read`] takes them.
    pub(super) const COLUMNS: &str = "no, id, graph, program, started, status, entries, seq, chain, sum";

    /// Reads a row as it is; whether it is whole is another question.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |column| -> rusqlite::Result<Str> { Ok(row.get_ref(column)?.as_str()?.into()) };
        let status: String = row.get(5)?;
        let info = RunInfo {
            run: text(1)?,
            graph: text(2)?,
            program: text(3)?,
            started: row.get(4)?,
            // A status that cannot be read has a wrong sum, too.
            status: serde_json::from_str(&status).unwrap_or(RunStatus::Running),
        };
        Ok(Self {
            no: row.get(0)?,
            info,
            status,
            entries: row.get(6)?,
            seq: row.get(7)?,
            chain: link(row, 8)?.unwrap_or_default(),
            sum: row.get(9)?,
        })
    }

    /// Writes it as a new row.
    pub(super) fn insert(&self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached("INSERT INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?.execute(
            params![
                self.no,
                self.info.run.as_str(),
                self.info.graph.as_str(),
                self.info.program.as_str(),
                self.info.started,
                self.status,
                self.entries,
                self.seq,
                self.chain,
                self.expected_sum()
            ],
        )?;
        Ok(())
    }

    /// Writes what has changed.
    pub(super) fn update(&self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached(
            "UPDATE runs SET status = ?2, entries = ?3, seq = ?4, chain = ?5, sum = ?6 WHERE no = ?1",
        )?
        .execute(params![
            self.no,
            self.status,
            self.entries,
            self.seq,
            self.chain,
            self.expected_sum()
        ])?;
        Ok(())
    }
}

impl<'r> EntryRow<'r> {
    /// The columns, in the order in which [`EntryRow::read`] takes them.
    pub(super) const COLUMNS: &'static str = "id, version, cause, at, step, seq, events, sum, chain, body";

    /// Reads a row as it is.
    pub(super) fn read(row: &'r Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            version: row.get(1)?,
            cause: row.get(2)?,
            at: row.get(3)?,
            step: row.get(4)?,
            seq: row.get(5)?,
            events: row.get(6)?,
            body: Cow::Borrowed(row.get_ref(9)?.as_blob()?),
        })
    }

    /// Inserts the row, and gives the link for the next one.
    pub(super) fn insert(&self, conn: &Connection, key: i64, before: &Link) -> rusqlite::Result<Link> {
        let (sum, link) = self.seal(key, before);
        let body = LongColumn(&self.body);
        let place = conn
            .prepare_cached("INSERT INTO journal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?
            .insert(params![
                key,
                self.version,
                self.cause,
                self.at,
                self.step,
                self.seq,
                self.events,
                sum,
                link,
                body
            ])?;
        body.fill(conn, "journal", place)?;
        Ok(link)
    }
}
