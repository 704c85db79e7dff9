//! Rows, and the sums that tell when one is not what was written.
//!
//! A row's `sum` covers all its columns. A journal row's `chain` covers its sum and the chain of the row before, from
//! the run's own beginning on: a row that is missing, moved or doubled breaks it even if it is whole by itself.

use std::borrow::Cow;

use blake3::Hasher;
use rusqlite::{Connection, Row, params};

use super::bytes::LongColumn;
use crate::port::{Lease, ProgramText, RunInfo, RunStatus, StoreError};
use crate::value::Str;

/// The number of bytes of a link.
const LINK: usize = 16;

/// The hash over a row and all rows before it.
pub(super) type Link = [u8; LINK];

/// The key of an entry of a run, in `journal` and `snapshots`.
pub(super) const fn key(no: u32, entry: u32) -> i64 {
    (no as i64) << 32 | entry as i64
}

/// The number of the entry in a key.
pub(super) const fn entry_of(key: i64) -> u64 {
    (key & 0xFFFF_FFFF).cast_unsigned()
}

/// Sums up columns, each with its length, so that nothing can pass from one to the next.
pub(super) struct Sum(Hasher);

impl Sum {
    pub(super) fn of(table: &str) -> Self {
        Self(Hasher::new()).text(table)
    }

    pub(super) fn number(mut self, number: i64) -> Self {
        self.0.update(&number.to_le_bytes());
        self
    }

    pub(super) fn count(self, number: u64) -> Self {
        self.number(number.cast_signed())
    }

    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self = self.count(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.0.update(bytes);
        self
    }

    pub(super) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// The first eight bytes of the hash, as a column has them.
    pub(super) fn sum(&self) -> i64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0.finalize().as_bytes()[..8]);
        i64::from_le_bytes(first)
    }

    /// The next link after `before`.
    pub(super) fn link(mut self, before: &Link) -> Link {
        self.0.update(before);
        let mut link = [0; LINK];
        link.copy_from_slice(&self.0.finalize().as_bytes()[..LINK]);
        link
    }
}

/// A link as it is in a column.
pub(super) fn link(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Link>> {
    Ok(row.get_ref(column)?.as_blob()?.try_into().ok())
}

/// A row of `runs`.
#[derive(Debug, Clone)]
pub(super) struct RunRow {
    pub(super) no: u32,
    pub(super) info: RunInfo,
    /// The status as it is in its column.
    pub(super) status: String,
    pub(super) entries: u32,
    pub(super) seq: u64,
    pub(super) chain: Link,
    sum: i64,
}

impl RunRow {
    /// The columns, in the order in which [`RunRow::read`] takes them.
    pub(super) const COLUMNS: &str = "no, id, graph, program, started, status, entries, seq, chain, sum";

    /// A run of which nothing is there.
    pub(super) fn new(no: u32, info: &RunInfo) -> rusqlite::Result<Self> {
        let mut row = Self {
            no,
            info: info.clone(),
            status: written(&info.status)?,
            entries: 0,
            seq: 0,
            chain: [0; LINK],
            sum: 0,
        };
        row.chain = row.first_link();
        Ok(row)
    }

    /// The checksum of the columns that never change.
    fn origin(&self, of: &str) -> Sum {
        Sum::of(of)
            .count(self.no.into())
            .text(&self.info.run)
            .text(&self.info.graph)
            .text(&self.info.program)
            .number(self.info.started)
    }

    /// The first link of the run's chain.
    pub(super) fn first_link(&self) -> Link {
        self.origin("run").link(&[0; LINK])
    }

    fn expected_sum(&self) -> i64 {
        self.origin("runs")
            .text(&self.status)
            .count(self.entries.into())
            .count(self.seq)
            .bytes(&self.chain)
            .sum()
    }

    /// Returns true if the checksum of the row is right.
    pub(super) fn is_whole(&self) -> bool {
        self.sum == self.expected_sum()
    }

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

/// A status as it is in its column.
pub(super) fn written(status: &RunStatus) -> rusqlite::Result<String> {
    serde_json::to_string(status).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// A row of `journal` without its key and link.
#[derive(Debug, Clone)]
pub(super) struct EntryRow<'r> {
    pub(super) version: u32,
    pub(super) cause: String,
    pub(super) at: i64,
    pub(super) step: u64,
    pub(super) seq: u64,
    pub(super) events: u32,
    /// Leaves the body where SQLite has it, where a row is only looked at: a long one is not copied.
    pub(super) body: Cow<'r, [u8]>,
}

impl<'r> EntryRow<'r> {
    /// The columns, in the order in which [`EntryRow::read`] takes them.
    pub(super) const COLUMNS: &'static str = "id, version, cause, at, step, seq, events, sum, chain, body";

    /// The sum of the row at a key, and its link.
    pub(super) fn seal(&self, key: i64, before: &Link) -> (i64, Link) {
        let sum = Sum::of("journal")
            .number(key)
            .count(self.version.into())
            .text(&self.cause)
            .number(self.at)
            .count(self.step)
            .count(self.seq)
            .count(self.events.into())
            .bytes(&self.body);
        (sum.sum(), sum.link(before))
    }

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

/// The sum of a row of `snapshots`.
pub(super) fn snapshot_sum(key: i64, version: u32, chain: &Link, body: &[u8]) -> i64 {
    Sum::of("snapshots").number(key).count(version.into()).bytes(chain).bytes(body).sum()
}

/// The sum of a row of `leases`.
pub(super) fn lease_sum(no: u32, lease: &Lease, until: i64) -> i64 {
    Sum::of("leases").count(no.into()).text(&lease.owner).count(lease.fence).number(until).sum()
}

/// The sum of a row of `programs`.
pub(super) fn program_sum(digest: &str, main: &str, files: &[u8]) -> i64 {
    Sum::of("programs").text(digest).text(main).bytes(files).sum()
}

/// The column `files` of a program: the texts as a list, as the first stores had it, or an object where there are functions too.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum ProgramFiles<'f> {
    Texts(Cow<'f, [(Str, Str)]>),
    WithFunctions { texts: Cow<'f, [(Str, Str)]>, functions: Cow<'f, [(Str, u32)]> },
}

/// The texts of a program and the functions that it calls, as they are written.
pub(super) fn program_files(program: &ProgramText) -> Result<Vec<u8>, StoreError> {
    let texts = Cow::Borrowed(&*program.files);
    let files = if program.functions.is_empty() {
        ProgramFiles::Texts(texts)
    } else {
        ProgramFiles::WithFunctions { texts, functions: Cow::Borrowed(&*program.functions) }
    };
    serde_json::to_vec(&files)
        .map_err(|error| StoreError::Failed(format!("the program cannot be written: {error}")))
}

/// The program that was written.
pub(super) fn read_program(digest: &str, main: &str, files: &[u8]) -> serde_json::Result<ProgramText> {
    let (texts, functions) = match serde_json::from_slice(files)? {
        ProgramFiles::Texts(texts) => (texts, Cow::default()),
        ProgramFiles::WithFunctions { texts, functions } => (texts, functions),
    };
    Ok(ProgramText {
        digest: digest.into(),
        main: main.into(),
        files: texts.into_owned(),
        functions: functions.into_owned(),
    })
}
