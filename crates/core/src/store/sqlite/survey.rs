//! Survey of the readable parts of a file.

use std::path::Path;

use rusqlite::Connection;

use super::open::{self, FileVersion};
use super::read;
use super::reader::{self, ReadConnection};
use super::site::Site;
use super::{answers, disk, fault, note};
use crate::port::{JournalEntry, StoreError};
use crate::store::journal_walk::WalkStart;
use crate::store::row::{RunRow, entry_of, program_sum};
use crate::store::surveyed::{RunSurvey, Survey};

/// The most faults of the file as a whole that are reported.
const MAX_FILE_FAULTS: u32 = 100;

/// Looks through a store without changing anything.
///
/// # Errors
/// If it is none, or cannot be opened.
pub fn survey(path: &Path) -> Result<Survey, StoreError> {
    let site = Site::to_read(path)?;
    match undisturbed(&site) {
        Ok(survey) if survey.is_whole() => Ok(survey),
        Err(error) if !fault::is_damage(&error) => Err(disk::explained(&site, error)),
        // A disk that fails once says through SQLite that the file is damaged.
        _ => {
            let mut survey = undisturbed(&site).map_err(|error| disk::explained(&site, error))?;
            if !survey.is_whole()
                && let Some(why) = disk::error(&site)
            {
                survey.wrong.insert(0, format!("the disk cannot be read: {why}"));
            }
            Ok(survey)
        }
    }
}

/// Looks through a store while nobody changes it.
fn undisturbed(site: &Site) -> Result<Survey, StoreError> {
    reader::undisturbed(|| ReadConnection::open(site)?.read(site, |conn| whole(site, conn)).transpose())
}

fn whole(site: &Site, conn: &Connection) -> Result<Survey, StoreError> {
    let path = site.named();
    let mut survey = Survey::default();
    match FileVersion::of(path, conn)? {
        FileVersion::Fresh => return Ok(survey),
        FileVersion::Older(version) => {
            let why = format!("it has store version {version}; the next `run` brings it up to date");
            return Err(fault::refused(path, why));
        }
        FileVersion::Current => {}
    }
    if let Err(StoreError::Refused { why, .. }) = open::compare(path, conn) {
        survey.wrong.push(why);
    }
    whole_file(site, conn, &mut survey.wrong);
    for row in runs(conn, &mut survey.wrong) {
        survey.runs.push(look(conn, &row));
    }
    strays(conn, &mut survey.wrong);
    for rest in [programs(conn), answers::survey(conn)] {
        survey.wrong.extend(rest.unwrap_or_else(|error| vec![reason(&error)]));
    }
    Ok(survey)
}

/// Runs the checks of SQLite itself and looks for the last commits.
fn whole_file(site: &Site, conn: &Connection, wrong: &mut Vec<String>) {
    let check = || -> rusqlite::Result<Vec<String>> {
        let mut ask = conn.prepare(&format!("PRAGMA integrity_check({MAX_FILE_FAULTS})"))?;
        ask.query_map([], |row| row.get(0))?.collect()
    };
    match check() {
        Ok(lines) => wrong.extend(lines.into_iter().filter(|line| line != "ok")),
        Err(error) => wrong.push(reason(&error)),
    }
    match note::missing(site, conn) {
        Ok(missing) => wrong.extend(missing),
        Err(error) => wrong.push(reason(&error)),
    }
}

fn reason(error: &rusqlite::Error) -> String {
    match fault::from(error) {
        StoreError::Damaged { .. } => format!("SQLite cannot read a part of it: {error}"),
        other => other.to_string(),
    }
}

/// The rows of runs that can be reached.
fn runs(conn: &Connection, wrong: &mut Vec<String>) -> Vec<RunRow> {
    let sql = format!("SELECT {} FROM runs NOT INDEXED ORDER BY no", RunRow::COLUMNS);
    let mut found = Vec::new();
    let mut ask = match conn.prepare(&sql) {
        Ok(ask) => ask,
        Err(error) => {
            wrong.push(reason(&error));
            return found;
        }
    };
    let Ok(rows) = ask.query_map([], |row| Ok((row.get::<_, i64>(0)?, RunRow::read(row)))) else {
        return found;
    };
    for row in rows {
        match row {
            Ok((_, Ok(row))) => found.push(row),
            Ok((no, Err(error))) => wrong.push(format!("run number {no} is not what was written: {error}")),
            Err(error) => wrong.push(format!("not all runs can be listed: {error}")),
        }
    }
    found
}

/// Walks along a run.
fn look(conn: &Connection, row: &RunRow) -> RunSurvey {
    let mut wrong = Vec::new();
    if !row.is_whole() {
        wrong.push("its row is not what was written".to_owned());
    }
    let mut hear = |entry: u64, why: &str| wrong.push(format!("the snapshot after entry {entry}: {why}"));
    // A snapshot is looked at even if a later one is whole.
    let mut to = Some(u64::from(u32::MAX));
    let mut base = None;
    while let Some(last) = to {
        match read::picture(conn, row, last, &mut hear) {
            Ok(Some(picture)) => {
                to = picture.place.entry.checked_sub(1);
                if picture.place.entry == 0 {
                    base = Some(picture.snapshot);
                }
            }
            Ok(None) => to = None,
            Err(error) => {
                hear(0, &reason(&error));
                to = None;
            }
        }
    }
    let driver = read::driver(conn, row).unwrap_or_else(|error| {
        wrong.push(match error {
            StoreError::Damaged { .. } => "its driver is unknown".to_owned(),
            other => other.to_string(),
        });
        None
    });
    let mut events = 0;
    let mut count = |entry: JournalEntry| events += u64::try_from(entry.events.len()).unwrap_or(u64::MAX);
    let walk = read::walk(conn, row, WalkStart::start(row, base.as_ref()), row.entries.into(), &mut count);
    let whole = walk.place.entry;
    wrong.extend(walk.wrong);
    RunSurvey {
        run: row.info.run.clone(),
        status: row.info.status.clone(),
        // Where that cannot be read, `Driver` and `purge` refuse the run; what of it is whole is reported nevertheless.
        driver,
        entries: row.entries.into(),
        whole,
        events,
        wrong,
    }
}

/// The programs that are not what was written.
fn programs(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut ask =
        conn.prepare("SELECT digest, main, files, sum, rowid FROM programs NOT INDEXED ORDER BY rowid")?;
    let mut rows = ask.query([])?;
    let mut wrong = Vec::new();
    while let Some(row) = rows.next()? {
        let read = || -> rusqlite::Result<(String, bool)> {
            let digest: String = row.get(0)?;
            let sum = program_sum(&digest, &row.get::<_, String>(1)?, row.get_ref(2)?.as_blob()?);
            Ok((digest, sum == row.get::<_, i64>(3)?))
        };
        match read() {
            Ok((_, true)) => {}
            Ok((digest, false)) => wrong.push(format!("the program `{digest}` is not what was written")),
            Err(_) => wrong.push(format!("program number {} is not what was written", row.get::<_, i64>(4)?)),
        }
    }
    Ok(wrong)
}

/// Rows that belong to no run.
fn strays(conn: &Connection, wrong: &mut Vec<String>) {
    let find = || -> rusqlite::Result<Option<(i64, i64)>> {
        let mut ask = conn.prepare(
            "SELECT min(id), count(*) FROM journal NOT INDEXED WHERE id >> 32 NOT IN (SELECT no FROM runs NOT INDEXED)",
        )?;
        ask.query_row([], |row| Ok(row.get::<_, Option<i64>>(0)?.zip(row.get(1)?)))
    };
    match find() {
        Ok(None) => {}
        Ok(Some((first, many))) => wrong.push(format!(
            "{many} entries belong to no run that is there; the first is entry {} of run number {}",
            entry_of(first),
            first >> 32
        )),
        Err(error) => wrong.push(reason(&error)),
    }
}
