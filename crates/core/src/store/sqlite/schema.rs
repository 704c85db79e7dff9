//! The tables, and how files of earlier versions become files of this one.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use rusqlite::{Connection, Transaction};

use crate::store::row::RunRow;

/// The version of the tables, kept in the last eight bits of `user_version`.
pub(super) const VERSION: i64 = 2;

/// The bits of `user_version` after the [number](super::mark) of the store.
const BITS: u32 = 8;

/// The greatest number of a store: those before the version's bits, without the sign.
const NUMBERS: u32 = (1 << (31 - BITS)) - 1;

/// A number for a new store. It is no secret, and only has to be one that nobody else's store has.
fn fresh_number() -> i64 {
    let random = RandomState::new().build_hasher().finish();
    i64::from(u32::try_from(random % u64::from(NUMBERS)).unwrap_or_default()) + 1
}

/// The version in a `user_version`.
pub(super) const fn version(stamp: i64) -> i64 {
    if stamp < 0 { stamp } else { stamp & ((1 << BITS) - 1) }
}

/// The number of the store in a `user_version`.
pub(super) fn number(stamp: i64) -> Option<u32> {
    u32::try_from(stamp >> BITS).ok().filter(|number| *number > 0)
}

/// The mark of our files, stored in `application_id`: the letters `Loop`.
pub(super) const APPLICATION: i64 = 0x4C6F_6F70;

/// The tables as they must be, by name. The `id` of a row of `journal` or `snapshots` is the run's number, shifted by 32
/// bits, plus the number of the entry or of the entries before.
///
/// The rows of `journal` are in the order in which they were written, not by their ids: what many runs write at once
/// shares pages then. If the rows of each run were together, every commit would write a page of its own, ten times what it
/// says. An index by the ids is what that costs, some 15 bytes an entry.
///
/// Effects and branches have no tables of their own. Intent, outcome and rollbacks are entries of the journal; a second
/// copy could disagree with it, and would be one more page to sync for each effect.
pub(super) const TABLES: &[(&str, &str)] = &[
    (
        "runs",
        "CREATE TABLE runs (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, graph TEXT NOT NULL, \
         program TEXT NOT NULL, started INTEGER NOT NULL, status TEXT NOT NULL, entries INTEGER NOT NULL, \
         seq INTEGER NOT NULL, chain BLOB NOT NULL, sum INTEGER NOT NULL) STRICT",
    ),
    (
        "journal",
        "CREATE TABLE journal (id INTEGER NOT NULL UNIQUE, version INTEGER NOT NULL, cause TEXT NOT NULL, \
         at INTEGER NOT NULL, step INTEGER NOT NULL, seq INTEGER NOT NULL, events INTEGER NOT NULL, \
         sum INTEGER NOT NULL, chain BLOB NOT NULL, body BLOB NOT NULL) STRICT",
    ),
    (
        "snapshots",
        "CREATE TABLE snapshots (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, chain BLOB NOT NULL, \
         sum INTEGER NOT NULL, body BLOB NOT NULL) STRICT",
    ),
    (
        "leases",
        "CREATE TABLE leases (run INTEGER PRIMARY KEY, owner TEXT NOT NULL, fence INTEGER NOT NULL, \
         until INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT",
    ),
    (
        "programs",
        "CREATE TABLE programs (digest TEXT PRIMARY KEY, main TEXT NOT NULL, files BLOB NOT NULL, \
         sum INTEGER NOT NULL) STRICT",
    ),
    (
        "answers",
        "CREATE TABLE answers (request TEXT PRIMARY KEY, at INTEGER NOT NULL, body BLOB NOT NULL, \
         sum INTEGER NOT NULL) STRICT",
    ),
];

/// The tables with at most one row for each run.
pub(super) const OF_RUNS: [&str; 2] = ["runs", "leases"];

/// Makes the tables of a new file, or those of an older one into ours. Everything or nothing happens.
pub(super) fn migrate(tx: &Transaction<'_>, from: i64, fresh: bool) -> rusqlite::Result<()> {
    if fresh {
        for (_, sql) in TABLES {
            tx.execute_batch(sql)?;
        }
    } else if from == 0 {
        from_version_0(tx)?;
    } else {
        from_version_1(tx)?;
    }
    // Only a new store gets a number: that of one that is there was noted when it was made.
    let before: i64 = tx.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let number = if fresh { fresh_number() } else { before >> BITS };
    tx.pragma_update(None, "user_version", number << BITS | VERSION)?;
    tx.pragma_update(None, "application_id", APPLICATION)
}

/// Version 0 had neither leases nor answers, its runs had no sums, and long columns were not last.
fn from_version_0(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    for name in ["runs", "journal", "snapshots"] {
        tx.execute_batch(&format!("ALTER TABLE {name} RENAME TO old_{name}"))?;
    }
    for (_, sql) in TABLES.iter().filter(|(name, _)| *name != "programs") {
        tx.execute_batch(sql)?;
    }
    let mut old = tx.prepare(
        "SELECT no, id, graph, program, started, status, entries, seq, chain, 0 FROM old_runs ORDER BY no",
    )?;
    let runs = old.query_map([], RunRow::read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    drop(old);
    for run in runs {
        run.insert(tx)?;
    }
    tx.execute_batch(
        "INSERT INTO journal SELECT id, version, cause, at, step, seq, events, sum, chain, body FROM old_journal; \
         INSERT INTO snapshots SELECT id, version, chain, sum, body FROM old_snapshots; \
         DROP TABLE old_runs; DROP TABLE old_journal; DROP TABLE old_snapshots",
    )
}

/// In version 1 the rows of the journal were ordered by their ids.
fn from_version_1(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.execute_batch("ALTER TABLE journal RENAME TO old_journal")?;
    for (_, sql) in TABLES.iter().filter(|(name, _)| *name == "journal") {
        tx.execute_batch(sql)?;
    }
    tx.execute_batch("INSERT INTO journal SELECT * FROM old_journal ORDER BY id; DROP TABLE old_journal")
}

/// The first table, index or other part that is not as it should be.
pub(super) fn difference(conn: &Connection) -> rusqlite::Result<Option<String>> {
    let mut parts =
        conn.prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'")?;
    let mut rows = parts.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (kind, name, sql): (String, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let known = TABLES.iter().find(|(own, _)| *own == name);
        if kind != "table" || known.is_none_or(|(_, own)| sql.as_deref() != Some(own)) {
            return Ok(Some(format!("the {kind} `{name}` is not one that this version makes")));
        }
        found.push(name);
    }
    let missing = TABLES.iter().find(|(own, _)| !found.iter().any(|name| name == own));
    Ok(missing.map(|(name, _)| format!("the table `{name}` is missing")))
}
