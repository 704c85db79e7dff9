//! Removing runs that nobody wants any more, and giving their space back.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use rustc_hash::FxHashSet;

use super::fault::refused;
use super::lease::{self, JobError};
use super::lease_clock::LeaseClock;
use super::open;
use super::site::Site;
use super::{fault, integrity, note};
use crate::machine::Time;
use crate::port::StoreError;
use crate::store::body;
use crate::store::purged::{self, Purge, Purged, Wanted};
use crate::store::row::{RunRow, key};

/// Removes runs with all that belongs to them, programs that no run uses any more, and old answers; then gives the space
/// back. All of it is removed or nothing, whenever the process ends.
///
/// # Errors
/// [`StoreError::Unknown`], [`StoreError::Unfinished`], [`StoreError::Held`] and [`StoreError::Damaged`] for a run that
/// was named; as `Sqlite::open`; or what failed below. Nothing was removed then.
pub fn purge(path: &Path, what: &Purge) -> Result<Purged, StoreError> {
    // A link to nowhere is something that is there.
    if path.symlink_metadata().is_err() {
        return Err(refused(path, "there is no such file"));
    }
    let site = Site::to_write(path)?;
    let before = size(&site);
    let mut conn = open::writer(&site)?;
    if let Some(why) = note::missing(&site, &conn).map_err(|error| fault::from(&error))? {
        return Err(refused(path, why));
    }
    integrity::structure(&site, &conn)?;
    let mut purged = remove(&site, &mut conn, what)?;
    if !what.dry {
        purged.left = give_back(&conn, purged.is_empty()).err();
    }
    drop(conn);
    Ok(Purged { before, after: size(&site), ..purged })
}

/// The bytes of a store and its log.
fn size(site: &Site) -> u64 {
    ["", "-wal"].into_iter().filter_map(|end| site.length(end)).sum()
}

fn remove(site: &Site, conn: &mut Connection, what: &Purge) -> Result<Purged, StoreError> {
    let failed = |error: rusqlite::Error| fault::from(&error);
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let rows = all_runs(&tx).map_err(failed)?;
    let chosen = choose(&tx, &rows, &what.runs).map_err(|not| match not {
        JobError::Refused(error) => error,
        JobError::Failed(error) => failed(error),
    })?;
    let stay: Vec<&RunRow> = rows.iter().filter(|row| !chosen.iter().any(|gone| gone.no == row.no)).collect();
    let removed = || -> rusqlite::Result<Purged> {
        for row in &chosen {
            remove_run(&tx, row)?;
        }
        let programs = remove_programs(&tx, &stay)?;
        let answers = match what.answers {
            Some(before) => tx.execute("DELETE FROM answers WHERE at < ?1", [before])?,
            None => 0,
        };
        let runs = chosen.iter().map(|row| row.info.run.clone()).collect();
        Ok(Purged { runs, programs, answers, ..Purged::default() })
    };
    let removed = removed().map_err(failed)?;
    if what.dry || removed.is_empty() {
        return Ok(removed);
    }
    // Before the commit: a note that names an earlier row is true either way, one that names a removed row never more.
    note::renew(site, &tx).map_err(failed)?;
    tx.commit().map_err(failed)?;
    // Another process may have noted its last commit in between, of a run that is gone now.
    note::renew(site, conn).map_err(failed)?;
    Ok(removed)
}

fn all_runs(conn: &Connection) -> rusqlite::Result<Vec<RunRow>> {
    let sql = format!("SELECT {} FROM runs NOT INDEXED ORDER BY no", RunRow::COLUMNS);
    conn.prepare(&sql)?.query_map([], RunRow::read)?.collect()
}

/// The runs that are meant.
fn choose<'a>(conn: &Connection, rows: &'a [RunRow], wanted: &Wanted) -> Result<Vec<&'a RunRow>, JobError> {
    match wanted {
        Wanted::Nothing => Ok(Vec::new()),
        Wanted::Named { runs, unfinished } => {
            let mut chosen = Vec::new();
            for row in rows.iter().filter(|row| runs.contains(&row.info.run)) {
                may_go(conn, row, *unfinished)?;
                chosen.push(row);
            }
            match runs.iter().find(|run| !chosen.iter().any(|row| row.info.run == **run)) {
                Some(run) => Err(StoreError::Unknown(run.clone()).into()),
                None => Ok(chosen),
            }
        }
        Wanted::Ended { before, keep } => {
            let mut chosen = Vec::new();
            for row in rows {
                match may_go(conn, row, false) {
                    Ok(()) => chosen.push(row),
                    Err(JobError::Refused(_)) => {}
                    Err(failed) => return Err(failed),
                }
            }
            chosen.truncate(chosen.len().saturating_sub(*keep));
            let Some(before) = before else { return Ok(chosen) };
            let mut old = Vec::new();
            for row in chosen {
                if ended(conn, row)? < *before {
                    old.push(row);
                }
            }
            Ok(old)
        }
    }
}

/// Looks whether a run may be removed.
fn may_go(conn: &Connection, row: &RunRow, unfinished: bool) -> Result<(), JobError> {
    let lease_state = match lease::lease_state(conn, &LeaseClock::of_system(), row) {
        Err(JobError::Refused(error)) => Err(error),
        lease_state => Ok(lease_state?),
    };
    Ok(purged::may_go(row, lease_state, unfinished)?)
}

/// The time of a run's last entry.
fn ended(conn: &Connection, row: &RunRow) -> rusqlite::Result<Time> {
    let last = conn
        .prepare_cached("SELECT at FROM journal WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT 1")?
        .query_row([key(row.no, 0), key(row.no, u32::MAX)], |row| row.get(0))
        .optional()?;
    Ok(last.unwrap_or(row.info.started))
}

fn remove_run(tx: &Transaction<'_>, row: &RunRow) -> rusqlite::Result<()> {
    for table in ["journal", "snapshots"] {
        tx.prepare_cached(&format!("DELETE FROM {table} WHERE id BETWEEN ?1 AND ?2"))?
            .execute([key(row.no, 0), key(row.no, u32::MAX)])?;
    }
    tx.prepare_cached("DELETE FROM leases WHERE run = ?1")?.execute([row.no])?;
    tx.prepare_cached("DELETE FROM runs WHERE no = ?1")?.execute([row.no])?;
    Ok(())
}

/// Removes the programs that none of the runs uses that stay.
fn remove_programs(tx: &Transaction<'_>, stay: &[&RunRow]) -> rusqlite::Result<usize> {
    // Of a run that is damaged nobody knows which it uses.
    if !stay.iter().all(|row| row.is_whole()) {
        return Ok(0);
    }
    let mut used: FxHashSet<String> = stay.iter().map(|row| row.info.program.to_string()).collect();
    // Some continued with edited graphs.
    let bodies: Vec<Vec<u8>> = tx
        .prepare("SELECT body FROM journal WHERE cause = 'moved'")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for body in &bodies {
        match body::program(body) {
            Some(program) => used.insert(program),
            None => return Ok(0),
        };
    }
    let all: Vec<String> = tx
        .prepare("SELECT digest FROM programs")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut gone = 0;
    for digest in all.iter().filter(|digest| !used.contains(*digest)) {
        gone += tx.execute("DELETE FROM programs WHERE digest = ?1", [digest])?;
    }
    Ok(gone)
}

/// Gives the space of what was removed back to the disk.
fn give_back(conn: &Connection, nothing_new: bool) -> Result<(), String> {
    let reason = |error: rusqlite::Error| fault::from(&error).to_string();
    let free: i64 = conn.pragma_query_value(None, "freelist_count", |row| row.get(0)).map_err(reason)?;
    if nothing_new && free == 0 {
        return Ok(());
    }
    conn.execute_batch("VACUUM").map_err(reason)?;
    // The file has its new length once the log was moved into it.
    let busy: bool =
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).map_err(reason)?;
    if busy { Err("another process reads the store".to_owned()) } else { Ok(()) }
}
