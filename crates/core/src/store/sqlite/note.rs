//! The last commit, noted beside the file.
//!
//! A log that was cut looks to SQLite like one whose last commits never happened, and so does an older copy of the
//! file. The note is written after each commit is durable, so what it names must be there; it is never synced, so it
//! costs nothing. After a power cut it may be older than the store, or unreadable: then it says nothing.

use std::fmt::Write as _;
use std::fs::File;
use std::os::unix::fs::FileExt;

use rusqlite::{Connection, OptionalExtension};

use super::row::link;
use super::site::Site;
use crate::store::row::{EntryRow, Link, Sum, entry_of};

/// The bytes of a note.
const LENGTH: usize = 86;

/// The note beside a store.
#[derive(Debug)]
pub(super) struct StoreNote(Option<File>);

/// The end of the note's name, after the name of the store.
const NAME: &str = "-head";

impl StoreNote {
    /// Opens the note, or makes it. Without it the store works as well.
    pub(super) fn open(site: &Site) -> Self {
        Self(site.open_beside(NAME))
    }

    /// Notes a journal row that is durable now.
    pub(super) fn note(&self, key: i64, chain: &Link) {
        if let Some(file) = &self.0 {
            // Where it cannot be written, it keeps naming an earlier row, which is there too.
            let _ = file.write_all_at(text(key, chain).as_bytes(), 0);
        }
    }
}

/// Renews the note where the row that it names is no more, because it was removed, notes another one that is there; if
/// none is, the note says nothing.
pub(super) fn renew(site: &Site, conn: &Connection) -> rusqlite::Result<()> {
    if missing(site, conn)?.is_none() {
        return Ok(());
    }
    let last = conn
        .query_row("SELECT id, chain FROM journal ORDER BY id DESC LIMIT 1", [], |row| {
            Ok((row.get(0)?, link(row, 1)?.unwrap_or_default()))
        })
        .optional()?;
    let head = StoreNote::open(site);
    match (last, &head.0) {
        (Some((key, chain)), _) => head.note(key, &chain),
        (None, Some(file)) => {
            let _ = file.set_len(0);
        }
        (None, None) => {}
    }
    Ok(())
}

fn text(key: i64, chain: &Link) -> String {
    let mut text = String::with_capacity(LENGTH);
    // A `String` takes everything.
    let _ = write!(text, "loopwright head {key:019} {:032x}", u128::from_be_bytes(*chain));
    let chain = text.get(text.len() - 2 * chain.len()..).unwrap_or_default();
    let sum = Sum::of("head").number(key).text(chain).sum();
    let _ = writeln!(text, " {sum:016x}");
    text
}

/// The part of the noted row that is missing, if any.
pub(super) fn missing(site: &Site, conn: &Connection) -> rusqlite::Result<Option<String>> {
    let note = match site.read_beside(NAME, 2 * LENGTH) {
        Ok(Some(note)) => note,
        Ok(None) => return Ok(None),
        Err(error) => {
            let path = site.beside(NAME);
            return Ok(Some(format!(
                "it is unknown if its last commits are there: the file `{}` cannot be read ({error})",
                path.display()
            )));
        }
    };
    let Ok(note) = String::from_utf8(note) else { return Ok(None) };
    let Some(key) = note.split(' ').nth(2).and_then(|key| key.parse::<i64>().ok()) else { return Ok(None) };
    let sql = format!("SELECT {} FROM journal WHERE id = ?1", EntryRow::COLUMNS);
    let found = conn
        .query_row(&sql, [key], |row| {
            let (own, _) = EntryRow::read(row)?.seal(key, &Link::default());
            Ok((own == row.get::<_, i64>(7)?, link(row, 8)?))
        })
        .optional()?;
    let there = match &found {
        None => false,
        // A row that is damaged is its run's affair.
        Some((false, _)) => true,
        Some((true, chain)) => chain.is_none_or(|chain| text(key, &chain) == note),
    };
    if there || !is_ours(&note) {
        return Ok(None);
    }
    let id: Option<String> =
        conn.query_row("SELECT id FROM runs WHERE no = ?1", [key >> 32], |row| row.get(0)).optional()?;
    let run = id.map_or_else(|| format!("number {}", key >> 32), |id| format!("`{id}`"));
    Ok(Some(format!(
        "its last commits are missing: entry {} of the run {run} was written and is not there. Put the file and its \
         `-wal` back together as they were; to continue without what is missing, remove `{}`",
        entry_of(key),
        site.beside(NAME).display()
    )))
}

/// Returns true if a note is complete and in our form.
fn is_ours(note: &str) -> bool {
    let mut words = note.trim_end().split(' ').skip(2);
    let (Some(key), Some(chain)) = (words.next().and_then(|key| key.parse().ok()), words.next()) else {
        return false;
    };
    let bytes: Option<Vec<u8>> = (0..chain.len())
        .step_by(2)
        .map(|i| chain.get(i..i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect();
    bytes.and_then(|bytes| Link::try_from(bytes).ok()).is_some_and(|chain| text(key, &chain) == note)
}
