//! Reading, with every sum and link looked at.

use rusqlite::{Connection, OptionalExtension};

use super::body::unpack;
use super::fault;
use super::lease::{JobError, lease_state};
use super::lease_clock::LeaseClock;
use super::row::{self, EntryRow, Link, RunRow, entry_of, key};
use crate::machine::{JOURNAL_VERSION, Snapshot};
use crate::port::{JournalEntry, LeaseState, ProgramText, RunInfo, StoreError, StoredRun};
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
        Some(_) => Err(fault::damaged_run(run, "its row is not what was written")),
    }
}

/// The start of a walk along a journal.
#[derive(Debug, Clone)]
pub(super) struct WalkStart {
    /// The number of entries before it.
    pub(super) entry: u64,
    /// The link of the last of them.
    pub(super) chain: Link,
    /// The number of the next event.
    pub(super) seq: u64,
}

impl WalkStart {
    /// The beginning of a run, after the snapshot it began with if there is one.
    pub(super) fn start(run: &RunRow, base: Option<&Snapshot>) -> Self {
        Self { entry: 0, chain: run.first_link(), seq: base.map_or(0, |base| base.seq) }
    }
}

/// A walk along a journal: what is whole, and where it ends otherwise than it should.
#[derive(Debug)]
pub(super) struct JournalWalk {
    /// After the last entry that is whole.
    pub(super) place: WalkStart,
    /// The fault found there.
    pub(super) wrong: Option<String>,
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
    let mut walk = JournalWalk { place: from, wrong: None };
    match read_rows(conn, run, &mut walk, to, hear) {
        Ok(()) => {}
        Err(error) => walk.wrong = Some(format!("entry {} cannot be read: {error}", walk.place.entry)),
    }
    if walk.wrong.is_none() && walk.place.entry < to {
        walk.wrong = Some(format!("entry {} is missing", walk.place.entry));
    }
    let ends = to == u64::from(run.entries);
    if walk.wrong.is_none() && ends && (walk.place.chain != run.chain || walk.place.seq != run.seq) {
        walk.wrong = Some("the journal does not end as it was left".to_owned());
    }
    walk
}

fn read_rows(
    conn: &Connection,
    run: &RunRow,
    walk: &mut JournalWalk,
    to: u64,
    hear: &mut dyn FnMut(JournalEntry),
) -> rusqlite::Result<()> {
    // At the end one looks further: a row after the last is one too many.
    let last = if to == u64::from(run.entries) { u64::from(u32::MAX) } else { to.saturating_sub(1) };
    if walk.place.entry > last || to < walk.place.entry || (to == 0 && last == 0) {
        return Ok(());
    }
    let sql = format!("SELECT {} FROM journal WHERE id BETWEEN ?1 AND ?2 ORDER BY id", EntryRow::COLUMNS);
    let mut statement = conn.prepare_cached(&sql)?;
    let short = |entry: u64| u32::try_from(entry).unwrap_or(u32::MAX);
    let mut rows = statement.query([key(run.no, short(walk.place.entry)), key(run.no, short(last))])?;
    while let Some(found) = rows.next()? {
        let id: i64 = found.get(0)?;
        let wanted = key(run.no, short(walk.place.entry));
        if walk.place.entry >= to {
            walk.wrong = Some(format!("entry {} is one too many", entry_of(id)));
        } else if id == wanted {
            let (sum, link) = (found.get(7)?, row::link(found, 8)?);
            match walk.next(id, &EntryRow::read(found)?, sum, link) {
                Ok(entry) => hear(entry),
                Err(why) => walk.wrong = Some(why),
            }
        } else {
            walk.wrong = Some(format!("entry {} is missing; {} follows", walk.place.entry, entry_of(id)));
        }
        if walk.wrong.is_some() {
            return Ok(());
        }
    }
    Ok(())
}

impl JournalWalk {
    /// The entry of the next row, if that is what was written after those before it.
    fn next(
        &mut self,
        id: i64,
        row: &EntryRow<'_>,
        sum: i64,
        link: Option<Link>,
    ) -> Result<JournalEntry, String> {
        let number = self.place.entry;
        let (own_sum, own_link) = row.seal(id, &self.place.chain);
        if sum != own_sum {
            return Err(format!("entry {number} is not what was written"));
        }
        if link != Some(own_link) {
            return Err(format!("entry {number} does not follow the entry before it"));
        }
        if row.seq != self.place.seq {
            return Err(format!("entry {number} begins with event {}, not {}", row.seq, self.place.seq));
        }
        let entry = unpack(row).map_err(|why| format!("entry {number}: {why}"))?;
        self.place = WalkStart { entry: number + 1, chain: own_link, seq: row.seq + u64::from(row.events) };
        Ok(entry)
    }
}

/// The entries of a run from a place on, up to the first `to` of the run, if all are whole.
fn whole(conn: &Connection, run: &RunRow, from: WalkStart, to: u64) -> Result<Vec<JournalEntry>, StoreError> {
    let mut entries = Vec::new();
    let walk = walk(conn, run, from, to, &mut |entry| entries.push(entry));
    match walk.wrong {
        None => Ok(entries),
        Some(why) => {
            let before = walk.place.entry;
            let why = format!("{why}; the {before} entries before it are whole");
            Err(fault::damaged_run(&run.info.run, &why))
        }
    }
}

/// A snapshot that was stored.
pub(super) struct StoredSnapshot {
    pub(super) place: WalkStart,
    pub(super) snapshot: Snapshot,
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
    let (version, body, sum): (u32, Vec<u8>, i64) = (row.get(1)?, row.get(4)?, row.get(3)?);
    let chain = row::link(row, 2)?.unwrap_or_default();
    if row::snapshot_sum(id, version, &chain, &body) != sum {
        return Ok(Err("it is not what was written".to_owned()));
    }
    if version != JOURNAL_VERSION {
        return Ok(Err(format!("it is written in version {version}")));
    }
    Ok(match serde_json::from_slice::<Snapshot>(&body) {
        Ok(snapshot) => {
            let place = WalkStart { entry: entry_of(id), chain, seq: snapshot.seq };
            Ok(StoredSnapshot { place, snapshot })
        }
        Err(error) => Err(format!("it cannot be read: {error}")),
    })
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
        Some(row) => Err(fault::damaged_run(&row.info.run, "its row is not what was written")),
        None => Ok(rows.into_iter().map(|row| row.info).collect()),
    }
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
    let damaged = |why: String| StoreError::Damaged { what: format!("the program `{digest}`"), why };
    if sum != row::program_sum(digest, &main, &files) {
        return Err(damaged(format!("it is not what was written; {}", fault::ADVICE)));
    }
    row::read_program(digest, &main, &files)
        .map(Some)
        .map_err(|error| damaged(format!("it cannot be read: {error}")))
}
