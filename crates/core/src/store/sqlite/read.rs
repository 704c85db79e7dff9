//! Reading, with every sum and link looked at.

use rusqlite::{Connection, OptionalExtension, params};

use super::fault;
use super::lease::{JobError, lease_state};
use super::lease_clock::LeaseClock;
use super::row::link;
use crate::machine::Snapshot;
use crate::port::{
    JournalEntry, LeaseState, ListedRun, ProgramText, RunFilter, RunInfo, RunPage, StatusKind, StoreError,
    StoredRun,
};
use crate::store::damage;
use crate::store::journal_walk::{FoundRow, JournalWalk, WalkStart};
use crate::store::row::{EntryRow, RunRow, entry_of, key, program_sum, read_program};
use crate::store::stored_snapshot::{SnapshotRow, StoredSnapshot};
use crate::value::Str;

/// The run of that id, whole.
pub(super) fn find(conn: &Connection, run: &str) -> Result<RunRow, StoreError> {
    let ask = |source: &str| -> rusqlite::Result<Option<RunRow>> {
        let sql = format!("SELECT {} FROM {source} WHERE id = ?1", RunRow::COLUMNS);
        conn.prepare_cached(&sql)?.query_row([run], RunRow::read).optional()
    };
    // An index that is damaged may hide a run that is there.
    let found = match ask("runs") {
        Ok(None) => ask("runs NOT INDEXED"),
        other => other,
    };
    match found.map_err(|error| fault::from(&error))? {
        None => Err(StoreError::Unknown(run.into())),
        Some(row) if row.is_whole() && row.info.run == run => Ok(row),
        Some(_) => Err(damage::of_row(run)),
    }
}

/// Reads the entries of a run from a place on, up to the first `to` of the run, until one is not what was written. `hear` is
/// given each that is.
pub(super) fn walk(
    conn: &Connection,
    run: &RunRow,
    from: WalkStart,
    to: u64,
    hear: &mut dyn FnMut(JournalEntry),
) -> JournalWalk {
    let mut walk = JournalWalk::new(from);
    if let Err(error) = read_rows(conn, run, &mut walk, to, hear) {
        walk.wrong = Some(format!("entry {} cannot be read: {error}", walk.place.entry));
    }
    walk.end(run, to);
    walk
}

fn read_rows(
    conn: &Connection,
    run: &RunRow,
    walk: &mut JournalWalk,
    to: u64,
    hear: &mut dyn FnMut(JournalEntry),
) -> rusqlite::Result<()> {
    let Some((first, last)) = walk.range(run, to) else { return Ok(()) };
    let sql = format!("SELECT {} FROM journal WHERE id BETWEEN ?1 AND ?2 ORDER BY id", EntryRow::COLUMNS);
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query([key(run.no, first), key(run.no, last)])?;
    while let Some(found) = rows.next()? {
        let found = FoundRow {
            id: found.get(0)?,
            row: EntryRow::read(found)?,
            sum: found.get(7)?,
            link: link(found, 8)?,
        };
        match walk.step(run, to, &found) {
            Some(entry) => hear(entry),
            None => return Ok(()),
        }
    }
    Ok(())
}

/// The entries of a run from a place on, up to the first `to` of the run, if all are whole.
fn whole(conn: &Connection, run: &RunRow, from: WalkStart, to: u64) -> Result<Vec<JournalEntry>, StoreError> {
    let mut entries = Vec::new();
    let walk = walk(conn, run, from, to, &mut |entry| entries.push(entry));
    walk.whole(run, entries)
}

/// The last whole snapshot of a run after at most `to` entries. `wrong` hears of those that are not whole.
pub(super) fn picture(
    conn: &Connection,
    run: &RunRow,
    to: u64,
    mut wrong: impl FnMut(u64, &str),
) -> rusqlite::Result<Option<StoredSnapshot>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, version, chain, sum, body FROM snapshots WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC",
    )?;
    let last = u32::try_from(to).unwrap_or(u32::MAX);
    let mut rows = statement.query([key(run.no, 0), key(run.no, last)])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        match read_picture(id, row)? {
            Ok(picture) => return Ok(Some(picture)),
            Err(why) => wrong(entry_of(id), &why),
        }
    }
    Ok(None)
}

fn read_picture(id: i64, row: &rusqlite::Row<'_>) -> rusqlite::Result<Result<StoredSnapshot, String>> {
    let row =
        SnapshotRow { id, version: row.get(1)?, chain: link(row, 2)?, sum: row.get(3)?, body: row.get(4)? };
    Ok(row.read())
}

/// Loads the snapshot and entries for the state after the first `at` entries of a run.
pub(super) fn load(conn: &Connection, run: &str, at: Option<u64>) -> Result<StoredRun, StoreError> {
    let row = find(conn, run)?;
    let to = at.unwrap_or(u64::MAX).min(row.entries.into());
    let warn = |entry: u64, why: &str| tracing::warn!(run, entry, why, "a snapshot is left out");
    let last = picture(conn, &row, to, warn).map_err(|error| fault::from(&error))?;
    let (place, snapshot) = last.map_or_else(
        || (WalkStart::start(&row, None), Snapshot::new()),
        |picture| (picture.place, picture.snapshot),
    );
    let from = place.entry;
    let entries = whole(conn, &row, place, to)?;
    Ok(StoredRun { info: row.info, from, snapshot, entries })
}

/// The bytes of entries after the last snapshot of a run, and the bytes of that snapshot; both 0 before the first.
pub(super) fn since_snapshot(conn: &Connection, run: &str) -> Result<(usize, usize), StoreError> {
    let row = find(conn, run)?;
    let ask = || -> rusqlite::Result<(i64, i64)> {
        let (first, end) = (key(row.no, 0), key(row.no, u32::MAX));
        let last = conn
            .prepare_cached(
                "SELECT id, length(body) FROM snapshots WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT 1",
            )?
            .query_row([first, end], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let (from, size) = last.unwrap_or((first, 0));
        let since = conn
            .prepare_cached("SELECT coalesce(sum(length(body)), 0) FROM journal WHERE id BETWEEN ?1 AND ?2")?
            .query_row([from, end], |row| row.get(0))?;
        Ok((since, size))
    };
    let (since, size) = ask().map_err(|error| fault::from(&error))?;
    let bytes = |n: i64| usize::try_from(n).unwrap_or_default();
    Ok((bytes(since), bytes(size)))
}

/// The whole journal of a run.
pub(super) fn entries(conn: &Connection, run: &str) -> Result<Vec<JournalEntry>, StoreError> {
    let row = find(conn, run)?;
    let base = base(conn, &row).map_err(|error| fault::from(&error))?;
    whole(conn, &row, WalkStart::start(&row, base.as_ref()), row.entries.into())
}

/// The last entries of a run: so many, or all if it has no more.
pub(super) fn last_entries(conn: &Connection, run: &str, many: u32) -> Result<Vec<JournalEntry>, StoreError> {
    let row = find(conn, run)?;
    match row.entries.checked_sub(many) {
        None | Some(0) => entries(conn, run),
        Some(from) => entries_between(conn, &row, from, row.entries.into()),
    }
}

/// Entries of a run from a number on: so many at most.
pub(super) fn entries_from(
    conn: &Connection,
    run: &str,
    from: u64,
    many: u32,
) -> Result<Vec<JournalEntry>, StoreError> {
    let row = find(conn, run)?;
    let to = from.saturating_add(many.into()).min(row.entries.into());
    match u32::try_from(from) {
        Ok(0) => {
            let base = base(conn, &row).map_err(|error| fault::from(&error))?;
            whole(conn, &row, WalkStart::start(&row, base.as_ref()), to)
        }
        Ok(first) if from < to => entries_between(conn, &row, first, to),
        _ => Ok(Vec::new()),
    }
}

/// The entries of a run from one on that is not the first, up to the first `to` of the run.
fn entries_between(
    conn: &Connection,
    row: &RunRow,
    from: u32,
    to: u64,
) -> Result<Vec<JournalEntry>, StoreError> {
    let before = from.saturating_sub(1);
    let place = conn
        .prepare_cached("SELECT chain, seq, events FROM journal WHERE id = ?1")
        .and_then(|mut ask| {
            ask.query_row([key(row.no, before)], |found| {
                let seq = found.get::<_, u64>(1)?.saturating_add(found.get::<_, u32>(2)?.into());
                Ok(WalkStart {
                    entry: u64::from(before) + 1,
                    chain: link(found, 0)?.unwrap_or_default(),
                    seq,
                })
            })
            .optional()
        })
        .map_err(|error| fault::from(&error))?;
    let missing = || damage::of_run(&row.info.run, &format!("entry {before} is missing"));
    whole(conn, row, place.ok_or_else(missing)?, to)
}

/// The snapshot a run began with, if it began with one.
pub(super) fn base(conn: &Connection, run: &RunRow) -> rusqlite::Result<Option<Snapshot>> {
    Ok(picture(conn, run, 0, |_, _| {})?.map(|picture| picture.snapshot))
}

/// All runs, in order. One that is damaged fails the list: its own facts are not known.
pub(super) fn runs(conn: &Connection) -> Result<Vec<RunInfo>, StoreError> {
    let sql = format!("SELECT {} FROM runs ORDER BY no", RunRow::COLUMNS);
    let rows =
        || conn.prepare_cached(&sql)?.query_map([], RunRow::read)?.collect::<rusqlite::Result<Vec<_>>>();
    let rows = rows().map_err(|error| fault::from(&error))?;
    match rows.iter().find(|row| !row.is_whole()) {
        Some(row) => Err(damage::of_row(&row.info.run)),
        None => Ok(rows.into_iter().map(|row| row.info).collect()),
    }
}

/// The numbers of runs of each kind. One whose status is damaged is of none.
pub(super) fn counts(conn: &Connection) -> Result<Vec<(StatusKind, u64)>, StoreError> {
    let rows = || {
        conn.prepare_cached("SELECT status, count(*) FROM runs GROUP BY status")?
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<(String, u64)>>>()
    };
    let rows = rows().map_err(|error| fault::from(&error))?;
    Ok(StatusKind::counts(
        rows.iter().filter_map(|(status, count)| Some((StatusKind::of_text(status)?, *count))),
    ))
}

/// A page of the list of runs. The order of their numbers is that of the table itself, so a page reads no more than the rows that it
/// passes over.
pub(super) fn page(conn: &Connection, filter: &RunFilter) -> Result<RunPage, StoreError> {
    let sql = format!(
        "SELECT {} FROM runs WHERE no < ?1 AND (?2 IS NULL OR status GLOB ?2) AND (?3 IS NULL OR graph = ?3) \
         ORDER BY no DESC LIMIT ?4",
        RunRow::COLUMNS
    );
    let pattern = filter.kind.map(|kind| kind.pattern().replace('%', "*"));
    let limit = filter.limit();
    // One more says whether there is another page.
    let rows = || {
        conn.prepare_cached(&sql)?
            .query_map(params![filter.before(), pattern, filter.graph.as_deref(), limit + 1], RunRow::read)?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    let mut rows = rows().map_err(|error| fault::from(&error))?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| has_more).map(|last| ecow::eco_format!("{}", last.no));
    let runs = rows.into_iter().map(|row| listed(conn, row)).collect::<Result<_, _>>()?;
    Ok(RunPage { runs, next })
}

/// A run as a list shows it.
fn listed(conn: &Connection, row: RunRow) -> Result<ListedRun, StoreError> {
    if !row.is_whole() {
        return Ok(ListedRun { info: row.info, steps: None, driver: None, events: Some(row.seq) });
    }
    let last = match row.entries.checked_sub(1) {
        Some(last) => conn
            .prepare_cached("SELECT step FROM journal WHERE id = ?1")
            .and_then(|mut ask| ask.query_row([key(row.no, last)], |found| found.get(0)).optional())
            .map_err(|error| fault::from(&error))?,
        // A branch of another run has the steps of the state that it began with.
        None => Some(base(conn, &row).map_err(|error| fault::from(&error))?.map_or(0, |base| base.step())),
    };
    let driver = driver(conn, &row).unwrap_or_default();
    Ok(ListedRun { steps: last, driver, events: Some(row.seq), info: row.info })
}

/// The driver of a run.
pub(super) fn driver(conn: &Connection, run: &RunRow) -> Result<Option<Str>, StoreError> {
    match lease_state(conn, &LeaseClock::of_system(), run) {
        Ok(lease_state) => Ok(lease_state.and_then(LeaseState::driver)),
        Err(JobError::Refused(error)) => Err(error),
        Err(JobError::Failed(error)) => Err(fault::from(&error)),
    }
}

/// The texts of a program.
pub(super) fn program(conn: &Connection, digest: &str) -> Result<Option<ProgramText>, StoreError> {
    let found = conn
        .prepare_cached("SELECT main, files, sum FROM programs WHERE digest = ?1")
        .and_then(|mut ask| {
            ask.query_row([digest], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, i64>(2)?))
            })
            .optional()
        })
        .map_err(|error| fault::from(&error))?;
    let Some((main, files, sum)) = found else { return Ok(None) };
    if sum != program_sum(digest, &main, &files) {
        return Err(damage::of_program(digest, &format!("{}; {}", damage::NOT_WRITTEN, damage::ADVICE)));
    }
    read_program(digest, &main, &files)
        .map(Some)
        .map_err(|error| damage::of_program(digest, &format!("it cannot be read: {error}")))
}
