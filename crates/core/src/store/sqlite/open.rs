//! Opening a file: nothing is written before it is known to be ours and as it should be.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::fault::{refused, unreadable};
use super::settings::{PATIENCE, harden};
use super::site::Site;
use super::{fault, schema};
use crate::port::StoreError;
use crate::store::damage;

/// Versions of SQLite in which two connections that reset the log at once can damage a file.
const UNSAFE: std::ops::RangeInclusive<i32> = 3_007_000..=3_051_002;

/// The bytes of a page. A commit writes whole pages, three of them at least, and says less than half of what is usual.
const PAGE: u32 = 2_048;

/// The pages in the log after which SQLite moves them into the file.
const LOG_PAGES: u32 = 8_000;

/// The most memory for pages, in KiB: what a thousand runs are writing at once must be at hand, or SQLite reads it again
/// for each commit.
const PAGES: i64 = 4 << 10;

/// Refuses a SQLite that may damage files.
pub(super) fn check_version(path: &Path, version: i32, name: &str) -> Result<(), StoreError> {
    if UNSAFE.contains(&version) {
        let why = format!(
            "SQLite {name} can damage a store that two processes use; build with SQLite 3.51.3 or later"
        );
        return Err(refused(path, why));
    }
    Ok(())
}

/// Opens a store to write. One that is new or of an earlier version is brought up to date.
pub(super) fn writer(site: &Site) -> Result<Connection, StoreError> {
    let path = site.named();
    check_version(path, rusqlite::version_number(), rusqlite::version())?;
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let unreadable = |error: rusqlite::Error| unreadable(path, &error);
    let mut conn = Connection::open_with_flags(site.path(), flags).map_err(unreadable)?;
    site.confirm()?;
    harden(&conn).map_err(unreadable)?;
    let found = FileVersion::of(path, &conn)?;
    // Only of a new file: the pages of one that is there stay as they are.
    conn.pragma_update(None, "page_size", PAGE).map_err(unreadable)?;
    let before: String =
        conn.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(unreadable)?;
    keep_safe(path, &conn)?;
    if found != FileVersion::Current || before != "wal" {
        // That was a transaction with a journal of its own. If its end is lost in a power cut, it is taken back, and with it
        // everything that came after.
        site.sync().map_err(|error| {
            refused(path, format!("it cannot be made: {error}, when its folder was synced"))
        })?;
    }
    remember_pages(&conn).map_err(unreadable)?;
    if found != FileVersion::Current {
        migrate(path, &mut conn)?;
    }
    compare(path, &conn)?;
    Ok(conn)
}

/// Begins to write if nobody else does, without waiting.
///
/// # Errors
/// `SQLite`'s, where another process writes as well.
pub(super) fn begin_now(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(Duration::ZERO)?;
    let begun = conn.prepare_cached("BEGIN IMMEDIATE").and_then(|mut begin| begin.raw_execute());
    conn.busy_timeout(PATIENCE)?;
    begun.map(drop)
}

/// Sets how much memory pages may take.
pub(super) fn remember_pages(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "cache_size", -PAGES)
}

/// The version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileVersion {
    /// A file without tables.
    Fresh,
    /// A store of an earlier version.
    Older(i64),
    /// A store of this version.
    Current,
}

impl FileVersion {
    /// Looks, and refuses what is none of ours.
    pub(super) fn of(path: &Path, conn: &Connection) -> Result<Self, StoreError> {
        let ask = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
        let facts = || -> rusqlite::Result<_> {
            let tables = ask("SELECT count(*) FROM sqlite_schema")?;
            Ok((tables, ask("PRAGMA application_id")?, schema::version(ask("PRAGMA user_version")?)))
        };
        match facts().map_err(|error| unreadable(path, &error))? {
            (0, 0, 0) => Ok(Self::Fresh),
            (_, application, _) if application != schema::APPLICATION => {
                Err(refused(path, "this is a database of another program; name another file with `--db`"))
            }
            (_, _, version) if version > schema::VERSION => Err(refused(
                path,
                format!(
                    "it was written by a later version of loopwright (store version {version}, this one knows {}); \
                     use that version, or name another file with `--db`",
                    schema::VERSION
                ),
            )),
            (_, _, schema::VERSION) => Ok(Self::Current),
            (_, _, version) if version >= 0 => Ok(Self::Older(version)),
            (_, _, version) => Err(refused(
                path,
                format!(
                    "it says store version {version}, which there never was: it is damaged; {}",
                    damage::ADVICE
                ),
            )),
        }
    }
}

/// Refuses a file whose tables are others than those we make.
pub(super) fn compare(path: &Path, conn: &Connection) -> Result<(), StoreError> {
    match schema::difference(conn).map_err(|error| unreadable(path, &error))? {
        None => Ok(()),
        Some(what) => Err(refused(
            path,
            format!("{what}: somebody changed the file, or it is damaged; {}", damage::ADVICE),
        )),
    }
}

fn migrate(path: &Path, conn: &mut Connection) -> Result<(), StoreError> {
    let failed = |error: &rusqlite::Error| match fault::from(error) {
        StoreError::Failed(why) => refused(path, format!("it cannot be brought up to date: {why}")),
        other => other,
    };
    let tx =
        conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(|error| failed(&error))?;
    // Another process may have been faster.
    match FileVersion::of(path, &tx)? {
        FileVersion::Current => return Ok(()),
        FileVersion::Fresh => schema::migrate(&tx, 0, true),
        FileVersion::Older(version) => schema::migrate(&tx, version, false),
    }
    .and_then(|()| tx.commit())
    .map_err(|error| failed(&error))
}

/// Sets what makes a commit durable, and reads it back: a setting that is not known is ignored without a word.
fn keep_safe(path: &Path, conn: &Connection) -> Result<(), StoreError> {
    let unreadable = |error: rusqlite::Error| unreadable(path, &error);
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)).map_err(unreadable)?;
    conn.pragma_update(None, "synchronous", "FULL").map_err(unreadable)?;
    conn.pragma_update(None, "fullfsync", true).map_err(unreadable)?;
    conn.pragma_update(None, "checkpoint_fullfsync", true).map_err(unreadable)?;
    conn.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(())).map_err(unreadable)?;
    let synchronous: i64 =
        conn.pragma_query_value(None, "synchronous", |row| row.get(0)).map_err(unreadable)?;
    if mode != "wal" || synchronous != 2 {
        let why = format!(
            "a commit would not be durable here (journal mode `{mode}`, synchronous {synchronous}); \
             name a file on a local disk with `--db`"
        );
        return Err(refused(path, why));
    }
    Ok(())
}

/// Moves into the file what an earlier process left in the log, before anything is added to that.
///
/// Where a sync failed, the system may hold pages of the log for written that are not on the disk. No later sync of the
/// log writes them, and a power cut would take them, and with them all that was added later.
pub(super) fn settle(path: &Path, conn: &Connection) -> Result<(), StoreError> {
    // Others who have the store open are not waited for: what is in the log then is their doing as well.
    match conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
        Err(error) if fault::code(&error) == Some(rusqlite::ErrorCode::SystemIoFailure) => {
            Err(unreadable(path, &error))
        }
        // Where there is no room it stays in the log, and can be read there.
        _ => Ok(()),
    }
}
