//! What keeping a run costs: a synced effect against a bare synced row of the same bytes, by turns; a thousand runs at
//! once against bare rows, a thousand in a commit; the bytes of an effect early and late in a long run, and building that
//! again.

#[expect(dead_code, reason = "the runs of this bench are begun by what keeps them")]
mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use futures::future::ready;
use loopwright::drive::{Driver, Finished, rebuild};
use loopwright::machine::{Input, InputKind, Outcome, Output, Snapshot, Start, step};
use loopwright::port::{Commit, EntryCause, JournalEntry, RunInfo, RunStatus, Store};
use loopwright::program::Program;
use loopwright::store::Sqlite;
use loopwright::tool::Tools;
use loopwright::value::{Map, Value};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Effects of the long run.
const LONG: u32 = 10_000;
/// Runs at once.
const RUNS: usize = 1_000;
/// Calls of each of them.
const EACH: i64 = 50;

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime starts")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

/// A run that is kept, and steps from one call to the next.
struct Kept {
    program: Program,
    store: Arc<Sqlite>,
    snapshot: Snapshot,
    out: Vec<Output>,
}

impl Kept {
    async fn begin(path: &Path) -> Self {
        let store = Arc::new(Sqlite::open(path).expect("a store"));
        let program = common::program(&common::text("growing.yaml"));
        let info = RunInfo {
            run: "run".into(),
            graph: "growing".into(),
            program: program.digest.clone(),
            started: 0,
            status: RunStatus::Running,
        };
        store.create(&info).await.expect("a new run");
        let mut kept = Self { program, store, snapshot: Snapshot::new(), out: Vec::new() };
        kept.effect(common::start(Map::new())).await;
        kept
    }

    /// Answers the call under way and keeps what follows.
    async fn next(&mut self) {
        let call = self.snapshot.calls().next().expect("a call is under way").id.clone();
        let outcome =
            Outcome::answer(Value::from("The tower is 54 m tall, and the bridge beside it is longer."));
        let at = self.snapshot.at + 1;
        self.effect(Input { at, kind: InputKind::Resolved { call, outcome } }).await;
    }

    async fn effect(&mut self, input: Input) {
        let (at, cause) = (input.at, EntryCause::Input(input.kind.clone()));
        step(&self.program, &mut self.snapshot, input, &mut self.out);
        let events = self.out.drain(..).filter_map(|output| match output {
            Output::Record(event) => Some(event),
            _ => None,
        });
        let entry =
            JournalEntry { at, cause, step: self.snapshot.step(), events: events.collect(), by: None };
        let commit = Commit {
            entries: &[entry],
            status: RunStatus::Running,
            snapshot: &self.snapshot,
            whole: false,
            lease: None,
            messages: &[],
        };
        self.store.commit("run", commit).await.expect("it is kept");
    }
}

/// A database of rows that are nothing but bytes, as durable as a store.
fn bare(path: &Path) -> Connection {
    let conn = Connection::open(path).expect("SQLite opens it");
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; \
         CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB)",
    )
    .expect("it is set");
    conn
}

/// The bytes of the last entry of a store, with the columns beside the body.
fn bytes_of_entry(store: &Path) -> usize {
    let conn = Connection::open(store).expect("SQLite reads it");
    conn.query_row("SELECT length(body) + 70 FROM journal ORDER BY id DESC LIMIT 1", [], |row| row.get(0))
        .expect("an entry")
}

fn one_by_one(criterion: &mut Criterion) {
    let (runtime, folder) = (runtime(), folder());
    let path = folder.path().join("runs.db");
    let mut kept = runtime.block_on(Kept::begin(&path));
    for _ in 0..100 {
        runtime.block_on(kept.next());
    }
    let row = vec![7_u8; bytes_of_entry(&path)];
    let bare = bare(&folder.path().join("bare.db"));
    let (mut own, mut raw) = (Vec::new(), Vec::new());
    criterion.bench_function("store/effect", |bencher| {
        bencher.iter_custom(|times| {
            let mut all = Duration::ZERO;
            for _ in 0..times {
                let begin = Instant::now();
                runtime.block_on(kept.next());
                own.push(begin.elapsed());
                all += begin.elapsed();
                let begin = Instant::now();
                bare.prepare_cached("INSERT INTO rows (body) VALUES (?1)")
                    .expect("SQL")
                    .execute([&row])
                    .expect("a row");
                raw.push(begin.elapsed());
            }
            all
        });
    });
    let (Some(own), Some(raw)) = (median(own), median(raw)) else { return };
    println!(
        "a synced effect of {} bytes: {own:.1?}; a bare synced row: {raw:.1?}; ratio {:.2} (at most 1.6)\n",
        row.len(),
        own.as_secs_f64() / raw.as_secs_f64()
    );
}

/// Nothing where the bench was left out.
fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

fn at_once(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group("store");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    let effects = u64::try_from(RUNS).expect("a small number") * (EACH.unsigned_abs() + 1);
    group.throughput(Throughput::Elements(effects));
    group.bench_function("1000_runs_at_once", |bencher| {
        bencher.iter_custom(|times| {
            (0..times)
                .map(|_| {
                    let folder = folder();
                    runtime.block_on(together(&folder.path().join("runs.db"), RUNS))
                })
                .sum()
        });
    });
    group.bench_function("bare_rows_1000_a_commit", |bencher| {
        let folder = folder();
        let path = folder.path().join("runs.db");
        runtime.block_on(together(&path, 1));
        let row = vec![7_u8; bytes_of_entry(&path)];
        bencher.iter_custom(|times| (0..times).map(|_| bare_together(&row, effects)).sum());
    });
    group.finish();
}

/// So many runs that call a tool again and again, at once.
async fn together(path: &Path, runs: usize) -> Duration {
    let store = Arc::new(Sqlite::open(path).expect("a store"));
    let schema = serde_json::json!({"type": "object"});
    let tools = Tools::new().closure("lookup", &schema, |_: Map| ready(Ok(Value::from("found"))));
    let program = Arc::new(common::program(&common::text("growing.yaml")));
    let driver = Driver::new(program).tools(Arc::new(tools)).store(store);
    let begin = Instant::now();
    let mut all = tokio::task::JoinSet::new();
    for n in 0..runs {
        let driver = driver.clone();
        all.spawn(async move {
            let input: Map = [("rounds", Value::Int(EACH))].into_iter().collect();
            let start = Start { run: format!("run-{n}").as_str().into(), input, ..Start::default() };
            let mut run = driver.start(start).await.expect("the run begins");
            assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
        });
    }
    while let Some(ended) = all.join_next().await {
        ended.expect("the run ends");
    }
    begin.elapsed()
}

/// As many bare rows, in commits of a thousand.
fn bare_together(row: &[u8], rows: u64) -> Duration {
    let folder = folder();
    let mut conn = bare(&folder.path().join("bare.db"));
    let begin = Instant::now();
    for _ in 0..rows / RUNS as u64 {
        let tx = conn.transaction().expect("it begins");
        for _ in 0..RUNS {
            tx.prepare_cached("INSERT INTO rows (body) VALUES (?1)")
                .expect("SQL")
                .execute([row])
                .expect("a row");
        }
        tx.commit().expect("it is durable");
    }
    begin.elapsed()
}

/// A run of so many effects in a store of its own.
struct Long {
    kept: Kept,
    _folder: TempDir,
}

impl Long {
    async fn run() -> Self {
        let folder = folder();
        let path = folder.path().join("runs.db");
        let mut kept = Kept::begin(&path).await;
        for _ in 0..LONG {
            kept.next().await;
        }
        let (early, late) = (mean_bytes(&path, 100, 1_100), mean_bytes(&path, 9_000, 10_000));
        println!(
            "bytes an effect: {early:.0} over 100 to 1,100, {late:.0} over 9,000 to 10,000; ratio {:.2} (at most 1.5, and \
             under 1,000 bytes)\n",
            late / early
        );
        Self { kept, _folder: folder }
    }
}

/// The bytes an entry takes in the middle, from one to another, with the snapshots that fall to it.
fn mean_bytes(path: &Path, from: u32, to: u32) -> f64 {
    let conn = Connection::open(path).expect("SQLite reads it");
    let sql = "SELECT (SELECT sum(length(body) + 70) FROM journal WHERE (id & 4294967295) BETWEEN ?1 AND ?2) + \
               (SELECT ifnull(sum(length(body) + 40), 0) FROM snapshots WHERE (id & 4294967295) BETWEEN ?1 AND ?2)";
    let bytes: f64 = conn.query_row(sql, [from, to], |row| row.get(0)).expect("sums");
    bytes / f64::from(to - from)
}

fn long(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut long = None;
    criterion.bench_function("store/build_again_after_10000", |bencher| {
        let Long { kept, .. } = long.get_or_insert_with(|| runtime.block_on(Long::run()));
        bencher.iter(|| {
            let found = runtime.block_on(kept.store.load("run", None)).expect("it is whole");
            let again = rebuild(&kept.program, &found).expect("it goes the same way");
            assert!(again == kept.snapshot, "what is built again is what there was");
        });
    });
}

criterion_group!(benches, one_by_one, at_once, long);
criterion_main!(benches);
