//! The check before a file is written: in one whose parts contradict each other a run may be there that is not found,
//! and what is added may be written over something.

use rusqlite::{Connection, OptionalExtension};

use super::fault::{MALFORMED, refused, unreadable};
use super::schema;
use super::site::Site;
use crate::port::StoreError;
use crate::store::damage;
use crate::store::row::entry_of;

/// A store of so many bytes is looked at as a whole; of a larger one, what says which runs there are and what was
/// written last.
const MAX_BYTES_CHECKED_WHOLE: u64 = 4 << 20;

/// Looks at a file before the first write.
///
/// # Errors
/// [`StoreError::Refused`] if it is malformed.
pub(super) fn check(site: &Site, conn: &Connection) -> Result<(), StoreError> {
    structure(site, conn)?;
    // In one transaction: others may write meanwhile.
    let found = conn.unchecked_transaction().and_then(|looks| stray(&looks));
    match found.map_err(|error| unreadable(site.named(), &error))? {
        None => Ok(()),
        Some(why) => Err(malformed(site, &why)),
    }
}

/// The same without a look at what the rows say of each other: whoever removes runs mends that.
///
/// # Errors
/// As [`check`].
pub(super) fn structure(site: &Site, conn: &Connection) -> Result<(), StoreError> {
    let ask = |what: &str| -> rusqlite::Result<Option<String>> {
        let mut ask = conn.prepare(&format!("PRAGMA integrity_check({what})"))?;
        let lines = ask.query_map([], |row| row.get::<_, String>(0))?;
        lines.into_iter().find(|line| !line.as_ref().is_ok_and(|line| line == "ok")).transpose()
    };
    let bytes: u64 = ["", "-wal"].into_iter().filter_map(|end| site.length(end)).sum();
    let found = if bytes <= MAX_BYTES_CHECKED_WHOLE {
        ask("1")
    } else {
        // The tables whose rows are as many as there are runs; each with its index.
        schema::OF_RUNS
            .iter()
            .map(|table| ask(table))
            .find(|found| !matches!(found, Ok(None)))
            .unwrap_or(Ok(None))
    };
    match found {
        Ok(None) => Ok(()),
        Ok(Some(what)) => Err(malformed(site, &what)),
        Err(error) => Err(unreadable(site.named(), &error)),
    }
}

fn malformed(site: &Site, what: &str) -> StoreError {
    let why = format!(
        "{MALFORMED} ({what}). If an old copy was put in its place, put the file and \
         its `-wal` back together as they were; {}; to keep new runs, name another file with `--db`",
        damage::ADVICE
    );
    refused(site.named(), why)
}

/// The fault in the row of the journal that was written last: its key must lead to it, and its run must know of it.
fn stray(conn: &Connection) -> rusqlite::Result<Option<String>> {
    let last = conn
        .query_row("SELECT rowid, id FROM journal ORDER BY rowid DESC LIMIT 1", [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        })
        .optional()?;
    let Some((place, key)) = last else { return Ok(None) };
    let found: Option<i64> =
        conn.query_row("SELECT rowid FROM journal WHERE id = ?1", [key], |row| row.get(0)).optional()?;
    if found != Some(place) {
        return Ok(Some("the entry that was written last is not found by its key".to_owned()));
    }
    let entries: Option<u64> =
        conn.query_row("SELECT entries FROM runs WHERE no = ?1", [key >> 32], |row| row.get(0)).optional()?;
    Ok(match entries {
        Some(entries) if entries > entry_of(key) => None,
        _ => Some(format!("no run knows of entry {} of run number {}", entry_of(key), key >> 32)),
    })
}
