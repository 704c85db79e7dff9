//! Rows, and the sums that tell when one is not what was written.
//!
//! A row's `sum` covers all its columns. A journal row's `chain` covers its sum and the chain of the row before, from
//! the run's own beginning on: a row that is missing, moved or doubled breaks it even if it is whole by itself.

use std::borrow::Cow;

use blake3::Hasher;

use crate::port::{Lease, ProgramText, RunInfo, RunStatus, StoreError};
use crate::value::Str;

/// The number of bytes of a link.
pub(super) const LINK: usize = 16;

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
    pub(super) sum: i64,
}

impl RunRow {
    /// A run of which nothing is there.
    pub(super) fn new(no: u32, info: &RunInfo) -> Result<Self, StoreError> {
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

    /// The checksum of the row.
    pub(super) fn expected_sum(&self) -> i64 {
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
}

/// A status as it is in its column.
pub(super) fn written(status: &RunStatus) -> Result<String, StoreError> {
    serde_json::to_string(status)
        .map_err(|error| StoreError::Failed(format!("a status cannot be written: {error}")))
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
    /// Leaves the body where the store has it, where a row is only looked at: a long one is not copied.
    pub(super) body: Cow<'r, [u8]>,
}

impl EntryRow<'_> {
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

/// The sum of a row of `answers`.
pub(super) fn answer_sum(request: &str, at: i64, body: &[u8]) -> i64 {
    Sum::of("answers").text(request).number(at).bytes(body).sum()
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
