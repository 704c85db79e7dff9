//! Damaged copies: what was not written is never taken for a run.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopwright::drive::rebuild;
use loopwright::machine::Snapshot;
use loopwright::port::{JournalEntry, RunInfo, RunStatus, Store, StoreError};
use loopwright::program::Program;
use loopwright::store::{Memory, Sqlite, survey};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rusqlite::Connection;

use super::world::{driver, end, long, program, start, wait, waiting};

const COPIES: u64 = 500;

/// Waits for a store beside the runtime.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Handle::current().block_on(work)
}

/// A store as it was left, and what it held.
struct Original {
    program: Arc<Program>,
    /// The file, its log and its note, closed in good order or copied while it was open.
    files: BTreeMap<&'static str, Vec<u8>>,
    runs: BTreeMap<String, (Snapshot, Vec<JournalEntry>, RunStatus)>,
}

const ENDS: [&str; 3] = ["", "-wal", "-head"];

fn read(path: &Path) -> BTreeMap<&'static str, Vec<u8>> {
    let file = |end: &'static str| Some((end, fs::read(format!("{}{end}", path.display())).ok()?));
    ENDS.into_iter().filter_map(file).collect()
}

fn write(path: &Path, files: &BTreeMap<&'static str, Vec<u8>>) {
    for end in ["", "-wal", "-shm", "-head"] {
        let name = PathBuf::from(format!("{}{end}", path.display()));
        match files.get(end) {
            Some(bytes) => fs::write(name, bytes).expect("written"),
            None if name.exists() => fs::remove_file(name).expect("removed"),
            None => {}
        }
    }
}

/// The same store twice: copied while it was open, most of it in the log, and closed.
async fn originals() -> [Original; 2] {
    let folder = super::world::folder();
    let path = folder.path().join("runs.db");
    let store = Arc::new(Sqlite::open(&path).expect("a store"));
    let own = driver(store.clone());
    let mut states = BTreeMap::new();
    for (name, rounds) in [("one", 3), ("long", 14), ("two", 12), ("three", 7)] {
        let first = if name == "long" { long(name, rounds) } else { start(name, rounds) };
        let mut run = own.start(first).await.expect("the run begins");
        wait(&mut run).await;
        let state = if name == "two" { end(&mut run).await } else { run.snapshot().clone() };
        states.insert(name.to_owned(), state);
    }
    let guest = waiting(&driver(Arc::new(Memory::new())), "guest", 3).await.snapshot().clone();
    let mut run = own.resume(guest).await.expect("it goes on");
    states.insert("guest".to_owned(), end(&mut run).await);
    drop(run);
    drop(own);
    let mut runs = BTreeMap::new();
    for (name, state) in states {
        let entries = store.entries(&name).await.expect("its journal");
        let info = store.runs().await.expect("the runs").into_iter().find(|info| info.run == name);
        runs.insert(name, (state, entries, info.expect("it is listed").status));
    }
    let open = read(&path);
    drop(store);
    let closed = read(&path);
    assert!(open.contains_key("-wal") && !closed.contains_key("-wal"));
    let program = program();
    let closed = Original { program: program.clone(), files: closed, runs: runs.clone() };
    [Original { program, files: open, runs }, closed]
}

const TABLES: [(&str, &[&str]); 4] = [
    ("journal", &["version", "cause", "at", "step", "seq", "events", "sum", "chain", "body"]),
    ("runs", &["id", "graph", "program", "started", "status", "entries", "seq", "chain", "sum"]),
    ("snapshots", &["version", "chain", "sum", "body"]),
    ("journal", &["body"]),
];

/// Damages a copy, and says how.
fn damage(path: &Path, files: &mut BTreeMap<&'static str, Vec<u8>>, dice: &mut SmallRng) -> String {
    let has_log = files.contains_key("-wal");
    let target = if has_log && dice.random_bool(0.6) { "-wal" } else { "" };
    let bytes = files.get_mut(target).expect("it is there");
    let place = dice.random_range(0..bytes.len());
    match dice.random_range(0..9) {
        0..=2 => {
            bytes[place] ^= 1 << dice.random_range(0..8);
            write(path, files);
            format!("a bit at {place} of `{target}`")
        }
        3 => {
            bytes.truncate(if dice.random_bool(0.5) { place } else { place / 4096 * 4096 });
            write(path, files);
            format!("`{target}` cut at {place}")
        }
        4 => {
            let page = place / 4096 * 4096;
            let end = (page + 4096).min(bytes.len());
            bytes[page..end].fill(0);
            write(path, files);
            format!("the page at {page} of `{target}` is empty")
        }
        5 => {
            let (a, b) = (place / 4096 * 4096, dice.random_range(0..bytes.len()) / 4096 * 4096);
            if a.max(b) + 4096 <= bytes.len() {
                let (one, other) = (bytes[a..a + 4096].to_vec(), bytes[b..b + 4096].to_vec());
                bytes[a..a + 4096].copy_from_slice(&other);
                bytes[b..b + 4096].copy_from_slice(&one);
            }
            write(path, files);
            format!("the pages at {a} and {b} of `{target}` changed places")
        }
        6 if has_log => {
            files.remove("-wal");
            write(path, files);
            "the log is gone".to_owned()
        }
        _ => {
            write(path, files);
            by_sql(path, dice)
        }
    }
}

/// Changes rows as somebody would who knows SQL.
fn by_sql(path: &Path, dice: &mut SmallRng) -> String {
    let conn = Connection::open(path).expect("SQLite opens it");
    let (table, columns) = TABLES[dice.random_range(0..TABLES.len())];
    let column = columns[dice.random_range(0..columns.len())];
    let key = if table == "runs" { "no" } else { "id" };
    let any = format!(
        "(SELECT {key} FROM {table} ORDER BY (abs({key} * 7919 + {}) % 10007) LIMIT 1)",
        dice.random::<u16>()
    );
    let copies = |from: &str| {
        let columns = TABLES.iter().find(|(name, _)| *name == table).map(|(_, columns)| columns.join(", "));
        let columns = columns.expect("a table");
        let columns = columns.replacen("id,", if table == "runs" { "'copy'," } else { "id," }, 1);
        format!("INSERT OR REPLACE INTO {table} SELECT {from}, {columns} FROM {table} WHERE {key} = {any}")
    };
    let sql = match dice.random_range(0..9) {
        0 | 1 => format!(
            "UPDATE {table} SET {column} = CASE typeof({column}) WHEN 'integer' THEN {column} + 1 WHEN 'blob' THEN \
             CAST(substr({column}, 1, length({column}) - 1) || '7' AS BLOB) ELSE {column} || 'x' END WHERE {key} = {any}"
        ),
        2 => format!("DELETE FROM {table} WHERE {key} = {any}"),
        3 => copies(&format!("(SELECT max({key}) FROM {table}) + 1")),
        4 => copies(&format!("(SELECT min({key}) FROM {table}) + 1")),
        5 => format!(
            "UPDATE {table} SET {key} = -1 WHERE {key} = {any}; \
             UPDATE {table} SET {key} = {key} - 1 WHERE {key} = (SELECT max({key}) FROM {table}); \
             UPDATE {table} SET {key} = (SELECT max({key}) + 1 FROM {table}) WHERE {key} = -1"
        ),
        6 => format!("PRAGMA user_version = {}", dice.random_range(3..99)),
        7 => format!("PRAGMA application_id = {}", dice.random::<u16>()),
        _ => "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM journal; END".to_owned(),
    };
    match conn.execute_batch(&sql) {
        Ok(()) => sql,
        Err(error) => format!("{sql} ({error})"),
    }
}

/// What became of a copy.
#[derive(Debug, Default)]
struct Tally {
    refused: u32,
    named: u32,
    whole: u32,
    wrong: Vec<String>,
}

/// Compares what is read of a run with what was written. An error names it.
fn same(store: &Sqlite, original: &Original, name: &str) -> Result<bool, String> {
    let (state, entries, status) = &original.runs[name];
    let mut named = false;
    match block_on(store.load(name, None)) {
        Ok(kept) => {
            let again = rebuild(&original.program, &kept).map_err(|error| error.to_string())?;
            if again != *state || kept.info.status != *status {
                return Err(format!("{name} is loaded as something else"));
            }
        }
        Err(_) => named = true,
    }
    match block_on(store.entries(name)) {
        Ok(own) if own != *entries => return Err(format!("{name} has another journal")),
        Ok(_) => {}
        Err(_) => named = true,
    }
    Ok(!named)
}

fn look(path: &Path, original: &Original, tally: &mut Tally) {
    let seen = survey(path);
    let store = match Sqlite::open(path) {
        Ok(store) => store,
        Err(StoreError::Refused { .. } | StoreError::Damaged { .. }) => {
            tally.refused += 1;
            return;
        }
        Err(other) => {
            tally.wrong.push(format!("it is refused without a name: {other}"));
            return;
        }
    };
    let mut all = true;
    for name in original.runs.keys() {
        match same(&store, original, name) {
            Ok(whole) => all &= whole,
            Err(why) => tally.wrong.push(why),
        }
    }
    // Writing may fail, and must not turn anything into something else.
    let info = RunInfo {
        run: "fresh".into(),
        graph: "g".into(),
        program: "p".into(),
        started: 0,
        status: RunStatus::Running,
    };
    let _ = block_on(store.create(&info));
    for (name, (_, entries, _)) in &original.runs {
        if block_on(store.entries(name)).is_ok_and(|own| own != *entries) {
            tally.wrong.push(format!("after a write {name} has another journal"));
        }
    }
    if !all && seen.is_ok_and(|seen| seen.is_whole()) {
        tally.wrong.push("a run is refused, and the survey finds nothing".to_owned());
    }
    if all { tally.whole += 1 } else { tally.named += 1 }
}

#[tokio::test]
async fn damaged_copies_are_named_or_are_what_they_were() {
    let originals = originals().await;
    let mut tally = Tally::default();
    tokio::task::spawn_blocking(move || {
        let folder = super::world::folder();
        for (n, original) in originals.iter().enumerate() {
            let path = folder.path().join(format!("whole-{n}.db"));
            write(&path, &original.files);
            look(&path, original, &mut tally);
            assert!(tally.whole == u32::try_from(n).expect("two") + 1 && tally.wrong.is_empty(), "{tally:?}");
        }
        for seed in 0..COPIES {
            let mut dice = SmallRng::seed_from_u64(seed);
            let original = &originals[usize::from(dice.random_bool(0.5))];
            let path = folder.path().join(format!("{seed}.db"));
            let mut files = original.files.clone();
            let how = damage(&path, &mut files, &mut dice);
            let before = tally.wrong.len();
            let looked = catch_unwind(AssertUnwindSafe(|| look(&path, original, &mut tally)));
            if looked.is_err() {
                tally.wrong.push("it panics".to_owned());
            }
            for wrong in &mut tally.wrong[before..] {
                *wrong = format!("copy {seed} ({how}): {wrong}");
            }
            write(&path, &BTreeMap::new());
        }
        assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
        assert!(
            tally.refused > 50 && tally.named > 50 && tally.whole > 20,
            "the copies are of one kind: {tally:?}"
        );
    })
    .await
    .expect("the copies were looked at");
}

/// Where the last commit of a log ends; what stands behind it is nobody's. See <https://sqlite.org/fileformat2.html#walformat>.
fn end_of_commits(log: &[u8]) -> usize {
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().expect("four bytes"));
    let frame = 24 + usize::try_from(number(8)).expect("the bytes of a page");
    let starts = (32..=log.len() - frame).step_by(frame);
    starts.filter(|start| number(start + 4) != 0).last().expect("a commit") + frame
}

#[tokio::test]
async fn a_store_that_lost_its_last_commits_is_refused() {
    let [open, _] = originals().await;
    let folder = super::world::folder();
    let path = folder.path().join("runs.db");
    let mut files = open.files.clone();
    let log = files.get_mut("-wal").expect("a log");
    log.truncate(end_of_commits(log) - 4096);
    write(&path, &files);
    let error = Sqlite::open(&path).expect_err("it is refused").to_string();
    assert!(error.contains("its last commits are missing") && error.contains("-head"), "{error}");
    assert!(!survey(&path).expect("a store").is_whole());
    // Whoever decides to go on without them may.
    fs::remove_file(folder.path().join("runs.db-head")).expect("removed");
    let store = Sqlite::open(&path).expect("it opens");
    assert!(store.load("one", None).await.is_ok());
}
