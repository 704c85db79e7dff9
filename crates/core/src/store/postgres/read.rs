//! Reading, with every sum and link looked at.

use std::borrow::Cow;

use deadpool_postgres::Object;
use futures::{TryStreamExt, join, pin_mut};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::fault::WorkError;
use super::found_run::{self, FoundRun, link, number};
use super::session::{Session, Work};
use super::text;
use crate::machine::Snapshot;
use crate::port::{JournalEntry, LeaseState, ProgramText, RunInfo, StoreError, StoredRun};
use crate::store::damage;
use crate::store::journal_walk::{FoundRow, JournalWalk, WalkStart};
use crate::store::row::{EntryRow, RunRow, entry_of, key, program_sum, read_program};
use crate::store::snapshot_pace::SnapshotPace;
use crate::store::stored_snapshot::{SnapshotRow, StoredSnapshot};
use crate::value::Str;

/// What reads belongs together.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The columns of an entry, in the order in which [`entry`] takes them.
const ENTRY: &str =
    "j.run, j.entry, j.version, j.cause, j.at, j.step, j.seq, j.events, j.sum, j.chain, j.body";

/// The columns of a snapshot, in the order in which [`snapshot`] takes them.
const SNAPSHOT: &str = "s.run, s.entry, s.version, s.chain, s.sum, s.body";

/// The rows of a run that were found at once.
struct FoundParts {
    run: FoundRun,
    snapshot: Option<SnapshotRow>,
    entries: Vec<Row>,
}

/// The row of a run, its last snapshot after at most `snapshot` entries, and its entries from that (or from the first) to `last`.
/// All of it is asked for at once.
async fn parts(
    client: &Object,
    run: &str,
    snapshot_to: i64,
    from_first: bool,
    last: i64,
) -> Result<FoundParts, WorkError> {
    let id = text::column(run);
    let find =
        client.prepare_cached(&format!("SELECT {} FROM runs WHERE id = $1", found_run::COLUMNS)).await?;
    let picture = client
        .prepare_cached(&format!(
            "SELECT {SNAPSHOT} FROM snapshots s JOIN runs r ON r.no = s.run WHERE r.id = $1 AND s.entry <= $2 \
             ORDER BY s.entry DESC LIMIT 1"
        ))
        .await?;
    let walk = client
        .prepare_cached(&format!(
            "SELECT {ENTRY} FROM journal j JOIN runs r ON r.no = j.run WHERE r.id = $1 AND j.entry <= $3 AND j.entry >= \
             CASE WHEN $4 THEN 0 ELSE coalesce((SELECT max(s.entry) FROM snapshots s WHERE s.run = r.no AND s.entry <= $2), 0) \
             END ORDER BY j.entry"
        ))
        .await?;
    let by_id: [&(dyn ToSql + Sync); 1] = [&id];
    let by_snapshot: [&(dyn ToSql + Sync); 2] = [&id, &snapshot_to];
    let by_range: [&(dyn ToSql + Sync); 4] = [&id, &snapshot_to, &last, &from_first];
    // They are sent in this order, and none waits for the answer to the one before.
    let (begun, found, pictures, entries, ended) = join!(
        client.batch_execute(BEGIN),
        client.query_opt(&find, &by_id),
        client.query_opt(&picture, &by_snapshot),
        client.query(&walk, &by_range),
        client.batch_execute("COMMIT"),
    );
    begun?;
    let (found, pictures, entries) = (found?, pictures?, entries?);
    ended?;
    let found = found.as_ref().map(FoundRun::read).transpose()?;
    let found = match found {
        None => return Err(StoreError::Unknown(run.into()).into()),
        Some(found) if found.is_whole() && found.row.info.run == run => found,
        Some(_) => return Err(damage::of_row(run).into()),
    };
    let snapshot = pictures.as_ref().map(snapshot).transpose()?;
    Ok(FoundParts { run: found, snapshot, entries })
}

/// A row of `snapshots`.
fn snapshot(row: &Row) -> Result<SnapshotRow, tokio_postgres::Error> {
    Ok(SnapshotRow {
        id: key(number(row, 0)?, number(row, 1)?),
        version: number(row, 2)?,
        chain: link(row, 3)?,
        sum: row.try_get(4)?,
        body: row.try_get(5)?,
    })
}

/// A row of `journal`.
fn entry(row: &Row) -> Result<FoundRow<'_>, tokio_postgres::Error> {
    let body: &[u8] = row.try_get(10)?;
    Ok(FoundRow {
        id: key(number(row, 0)?, number(row, 1)?),
        row: EntryRow {
            version: number(row, 2)?,
            cause: row.try_get(3)?,
            at: row.try_get(4)?,
            step: row.try_get::<_, i64>(5)?.cast_unsigned(),
            seq: row.try_get::<_, i64>(6)?.cast_unsigned(),
            events: number(row, 7)?,
            body: Cow::Borrowed(body),
        },
        sum: row.try_get(8)?,
        link: link(row, 9)?,
    })
}

/// The entries of rows, up to the first `to` of the run, if all are whole.
fn whole(run: &RunRow, from: WalkStart, to: u64, rows: &[Row]) -> Result<Vec<JournalEntry>, WorkError> {
    let mut walk = JournalWalk::new(from);
    let mut entries = Vec::with_capacity(rows.len());
    for row in rows {
        match walk.step(run, to, &entry(row)?) {
            Some(entry) => entries.push(entry),
            None => break,
        }
    }
    walk.end(run, to);
    Ok(walk.whole(run, entries)?)
}

/// The snapshot and entries for the state after the first `at` entries of a run; with none, after all of them.
#[derive(Debug)]
pub(super) struct LoadRun {
    pub(super) run: Str,
    pub(super) at: Option<u64>,
}

impl Work for LoadRun {
    type Done = (StoredRun, SnapshotPace);

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Self::Done, WorkError> {
        let all = i64::from(u32::MAX);
        let at = self.at.map(|at| i64::try_from(at).unwrap_or(all).min(all));
        let mut snapshot_to = at.unwrap_or(all);
        loop {
            let last = at.map_or(all, |at| at - 1);
            let FoundParts { run: FoundRun { row: run, .. }, snapshot, entries } =
                parts(client, &self.run, snapshot_to, false, last).await?;
            let to = self.at.unwrap_or(u64::MAX).min(run.entries.into());
            let size = snapshot.as_ref().map_or(0, |found| found.body.len());
            let stored = match snapshot.map(|found| (found.id, found.read())) {
                None => None,
                // A snapshot after more entries than there are is none of this run.
                Some((id, Ok(stored))) if entry_of(id) <= to => Some(stored),
                Some((id, read)) => {
                    let entry = entry_of(id);
                    let why = read.err().unwrap_or_else(|| "it is after the last entry".to_owned());
                    tracing::warn!(run = self.run.as_str(), entry, why, "a snapshot is left out");
                    snapshot_to = i64::try_from(entry).unwrap_or_default() - 1;
                    continue;
                }
            };
            let since = entries.iter().map(|row| row.try_get::<_, &[u8]>(10).map_or(0, <[u8]>::len)).sum();
            let pace =
                stored.as_ref().map_or_else(SnapshotPace::default, |_| SnapshotPace { since, last: size });
            let (start, snapshot) = stored.map_or_else(
                || (WalkStart::start(&run, None), Snapshot::new()),
                |StoredSnapshot { place, snapshot }| (place, snapshot),
            );
            let from = start.entry;
            let entries = whole(&run, start, to, &entries)?;
            return Ok((StoredRun { info: run.info, from, snapshot, entries }, pace));
        }
    }
}

/// The whole journal of a run.
#[derive(Debug)]
pub(super) struct ReadEntries(pub(super) Str);

impl Work for ReadEntries {
    type Done = Vec<JournalEntry>;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Self::Done, WorkError> {
        let FoundParts { run: FoundRun { row: run, .. }, snapshot, entries } =
            parts(client, &self.0, 0, true, i64::from(u32::MAX)).await?;
        let base = snapshot.and_then(|found| found.read().ok()).map(|stored| stored.snapshot);
        whole(&run, WalkStart::start(&run, base.as_ref()), run.entries.into(), &entries)
    }
}

/// The last entries of a run: so many, or all if it has no more.
#[derive(Debug)]
pub(super) struct ReadLastEntries {
    pub(super) run: Str,
    pub(super) many: u32,
}

impl Work for ReadLastEntries {
    type Done = Vec<JournalEntry>;

    async fn attempt(
        &self,
        session: &Session,
        client: &mut Object,
        again: bool,
    ) -> Result<Self::Done, WorkError> {
        let FoundRun { row: run, .. } = found_run::find(client, &self.run).await?;
        match run.entries.checked_sub(self.many) {
            None | Some(0) => ReadEntries(self.run.clone()).attempt(session, client, again).await,
            Some(from) => entries_between(client, &run, from, run.entries).await,
        }
    }
}

/// Entries of a run from a number on: so many at most.
#[derive(Debug)]
pub(super) struct ReadEntriesFrom {
    pub(super) run: Str,
    pub(super) from: u64,
    pub(super) many: u32,
}

impl Work for ReadEntriesFrom {
    type Done = Vec<JournalEntry>;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Self::Done, WorkError> {
        if self.from == 0 {
            let last = i64::from(self.many) - 1;
            let FoundParts { run: FoundRun { row: run, .. }, snapshot, entries } =
                parts(client, &self.run, 0, true, last).await?;
            let base = snapshot.and_then(|found| found.read().ok()).map(|stored| stored.snapshot);
            let to = u64::from(self.many.min(run.entries));
            return whole(&run, WalkStart::start(&run, base.as_ref()), to, &entries);
        }
        let FoundRun { row: run, .. } = found_run::find(client, &self.run).await?;
        let to = self.from.saturating_add(self.many.into()).min(run.entries.into());
        match (u32::try_from(self.from), u32::try_from(to)) {
            (Ok(from), Ok(to)) if from < to => entries_between(client, &run, from, to).await,
            _ => Ok(Vec::new()),
        }
    }
}

/// The entries of a run from one on that is not the first, up to the first `to` of the run.
async fn entries_between(
    client: &Object,
    run: &RunRow,
    from: u32,
    to: u32,
) -> Result<Vec<JournalEntry>, WorkError> {
    let before = from.saturating_sub(1);
    // What was added since the run was read is none of it.
    let ask = client
            .prepare_cached(&format!(
                "SELECT {ENTRY} FROM journal j WHERE j.run = $1 AND j.entry >= $2 AND j.entry < $3 ORDER BY j.entry"
            ))
            .await?;
    let range: [&(dyn ToSql + Sync); 3] = [&i64::from(run.no), &i64::from(before), &i64::from(to)];
    let rows = client.query(&ask, &range).await?;
    let missing = || damage::of_run(&run.info.run, &format!("entry {before} is missing"));
    let (first, rows) = rows.split_first().ok_or_else(missing)?;
    // The chain of the others begins with its link.
    let first = entry(first)?;
    if entry_of(first.id) != u64::from(before) {
        return Err(missing().into());
    }
    let (chain, seq) =
        (first.link.unwrap_or_default(), first.row.seq.saturating_add(first.row.events.into()));
    let start = WalkStart { entry: u64::from(before) + 1, chain, seq };
    whole(run, start, to.into(), rows)
}

/// All runs, in order. One that is damaged fails the list: its own facts are not known.
#[derive(Debug)]
pub(super) struct ListRuns;

impl Work for ListRuns {
    type Done = Vec<RunInfo>;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Self::Done, WorkError> {
        let rows = rows(client).await?;
        match rows.iter().find(|found| !found.is_whole()) {
            Some(found) => Err(damage::of_row(&found.row.info.run).into()),
            None => Ok(rows.into_iter().map(|found| found.row.info).collect()),
        }
    }
}

/// The rows of all runs, in order.
pub(super) async fn rows(client: &Object) -> Result<Vec<FoundRun>, WorkError> {
    let all = client.query(&format!("SELECT {} FROM runs ORDER BY no", found_run::COLUMNS), &[]).await?;
    Ok(all.iter().map(FoundRun::read).collect::<Result<_, _>>()?)
}

/// The driver of a run.
#[derive(Debug)]
pub(super) struct DriverOf(pub(super) Str);

impl Work for DriverOf {
    type Done = Option<Str>;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Self::Done, WorkError> {
        Ok(found_run::find(client, &self.0).await?.lease_state()?.and_then(LeaseState::driver))
    }
}

/// The texts of a program.
#[derive(Debug)]
pub(super) struct FindProgram(pub(super) Str);

impl Work for FindProgram {
    type Done = Option<ProgramText>;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Self::Done, WorkError> {
        let digest = &self.0;
        let ask = client.prepare_cached("SELECT main, files, sum FROM programs WHERE digest = $1").await?;
        let Some(row) = client.query_opt(&ask, &[&text::column(digest)]).await? else { return Ok(None) };
        let (main, files): (_, &[u8]) = (text::read(row.try_get(0)?), row.try_get(1)?);
        if row.try_get::<_, i64>(2)? != program_sum(digest, &main, files) {
            let why = format!("{}; {}", damage::NOT_WRITTEN, damage::ADVICE);
            return Err(damage::of_program(digest, &why).into());
        }
        let unread = |error| damage::of_program(digest, &format!("it cannot be read: {error}"));
        Ok(Some(read_program(digest, &main, files).map_err(unread)?))
    }
}

/// Walks along a whole run, row by row. `hear` is given each entry that is whole.
pub(super) async fn walk(
    client: &Object,
    run: &RunRow,
    from: WalkStart,
    hear: &mut (dyn FnMut(JournalEntry) + Send),
) -> Result<JournalWalk, WorkError> {
    let to = u64::from(run.entries);
    let mut walk = JournalWalk::new(from);
    let sql = format!("SELECT {ENTRY} FROM journal j WHERE j.run = $1 ORDER BY j.entry");
    let rows = client.query_raw(&sql, [i64::from(run.no)]).await?;
    pin_mut!(rows);
    while let Some(row) = rows.try_next().await? {
        match walk.step(run, to, &entry(&row)?) {
            Some(entry) => hear(entry),
            None => break,
        }
    }
    walk.end(run, to);
    Ok(walk)
}

/// All snapshots of a run, the last first.
pub(super) async fn snapshots(client: &Object, run: &RunRow) -> Result<Vec<SnapshotRow>, WorkError> {
    let sql = format!("SELECT {SNAPSHOT} FROM snapshots s WHERE s.run = $1 ORDER BY s.entry DESC");
    let rows = client.query(&sql, &[&i64::from(run.no)]).await?;
    Ok(rows.iter().map(snapshot).collect::<Result<_, _>>()?)
}
