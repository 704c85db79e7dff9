//! What keeping a run costs: a synced effect against a bare synced row of the same bytes, one after the other by turns; the
//! bytes of an effect early and late in a long run; and how many effects a second a thousand runs at once come to.

#[expect(dead_code, reason = "the runs of this bench are begun by what keeps them")]
mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::ready;
use loopwright::drive::{Driver, Finished};
use loopwright::machine::{Input, InputKind, Outcome, Output, Snapshot, Start, step};
use loopwright::port::{Cause, Commit, Entry, RunInfo, Status, Store};
use loopwright::program::Program;
use loopwright::store::Sqlite;
use loopwright::tool::Tools;
use loopwright::value::{Map, Value};
use rusqlite::Connection;

/// Effects that are timed, and as many bare rows.
const EFFECTS: usize = 4_000;
/// Effects of the long run.
const LONG: u32 = 10_000;
/// Runs at once.
const RUNS: usize = 1_000;
/// Effects of each of them.
const EACH: i64 = 50;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime starts");
    let folder = tempfile::tempdir().expect("a folder can be made");
    runtime.block_on(one_by_one(folder.path()));
    runtime.block_on(long(folder.path()));
    runtime.block_on(together(folder.path()));
}

/// A run that is kept, and steps from one call to the next.
struct Kept {
    program: Program,
    store: Arc<Sqlite>,
    snapshot: Snapshot,
    out: Vec<Output>,
}

impl Kept {
    async fn begin(store: Arc<Sqlite>, run: &str) -> Self {
        let program = common::program(&common::text("growing.yaml"));
        let info = RunInfo {
            run: run.into(),
            graph: "growing".into(),
            program: program.digest.clone(),
            started: 0,
            status: Status::Running,
        };
        store.create(&info).await.expect("a new run");
        let mut kept = Self { program, store, snapshot: Snapshot::new(), out: Vec::new() };
        let start = common::start(Map::new());
        kept.effect(run, start).await;
        kept
    }

    /// Answers the call under way and keeps what follows.
    async fn next(&mut self, run: &str) {
        let call = self.snapshot.calls().next().expect("a call is under way").id.clone();
        let outcome =
            Outcome::answer(Value::from("The tower is 54 m tall, and the bridge beside it is longer."));
        let at = self.snapshot.at + 1;
        self.effect(run, Input { at, kind: InputKind::Resolved { call, outcome } }).await;
    }

    async fn effect(&mut self, run: &str, input: Input) {
        let (at, cause) = (input.at, Cause::Input(input.kind.clone()));
        step(&self.program, &mut self.snapshot, input, &mut self.out);
        let events = self.out.drain(..).filter_map(|output| match output {
            Output::Record(event) => Some(event),
            _ => None,
        });
        let entry = Entry { at, cause, step: self.snapshot.step(), events: events.collect() };
        let commit = Commit {
            entries: &[entry],
            status: Status::Running,
            snapshot: &self.snapshot,
            whole: false,
            lease: None,
        };
        self.store.commit(run, commit).await.expect("it is kept");
    }
}

async fn one_by_one(folder: &std::path::Path) {
    let path = folder.join("one.db");
    let mut kept = Kept::begin(Arc::new(Sqlite::open(&path).expect("a store")), "one").await;
    for _ in 0..100 {
        kept.next("one").await;
    }
    let sizes = Connection::open(&path).expect("SQLite reads it");
    let bytes: usize = sizes
        .query_row("SELECT length(body) + 70 FROM journal ORDER BY id DESC LIMIT 1", [], |row| row.get(0))
        .expect("an entry");
    let bare = Connection::open(folder.join("bare.db")).expect("SQLite opens it");
    bare.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;",
    )
    .expect("it is set");
    bare.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB)").expect("a table");
    let row = vec![7_u8; bytes];
    let (mut own, mut raw) = (Vec::new(), Vec::new());
    for _ in 0..EFFECTS {
        let begin = Instant::now();
        kept.next("one").await;
        own.push(begin.elapsed());
        let begin = Instant::now();
        bare.prepare_cached("INSERT INTO rows (body) VALUES (?1)")
            .expect("SQL")
            .execute([&row])
            .expect("a row");
        raw.push(begin.elapsed());
    }
    let (own, raw) = (median(own), median(raw));
    println!(
        "one synced effect of {bytes} bytes: {own:.1?}; a bare synced row: {raw:.1?}; ratio {:.2}",
        own.as_secs_f64() / raw.as_secs_f64()
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

async fn long(folder: &std::path::Path) {
    let path = folder.join("long.db");
    let mut kept = Kept::begin(Arc::new(Sqlite::open(&path).expect("a store")), "long").await;
    let begin = Instant::now();
    for _ in 0..LONG {
        kept.next("long").await;
    }
    let took = begin.elapsed();
    let conn = Connection::open(&path).expect("SQLite reads it");
    let mean = |from: u32, to: u32| -> f64 {
        let sql = "SELECT (SELECT sum(length(body) + 70) FROM journal WHERE (id & 4294967295) BETWEEN ?1 AND ?2) + \
                   (SELECT ifnull(sum(length(body) + 40), 0) FROM snapshots WHERE (id & 4294967295) BETWEEN ?1 AND ?2)";
        let bytes: f64 = conn.query_row(sql, [from, to], |row| row.get(0)).expect("sums");
        bytes / f64::from(to - from)
    };
    let whole = std::fs::metadata(&path).map_or(0, |meta| meta.len());
    println!(
        "bytes an effect: {:.0} over 100 to 1,100, {:.0} over 9,000 to 10,000, {:.0} over all; the file has {whole}; {took:.1?}",
        mean(100, 1_100),
        mean(9_000, 10_000),
        mean(0, LONG)
    );
    let begin = Instant::now();
    let found = kept.store.load("long", None).await.expect("it is whole");
    let again = loopwright::drive::rebuild(&kept.program, &found).expect("it goes the same way");
    assert!(again == kept.snapshot, "what is built again is what there was");
    println!(
        "building it again from {} entries behind a snapshot: {:.1?}",
        found.entries.len(),
        begin.elapsed()
    );
}

async fn together(folder: &std::path::Path) {
    let store = Arc::new(Sqlite::open(folder.join("many.db")).expect("a store"));
    let schema = serde_json::json!({"type": "object"});
    let tools = Tools::new().closure("lookup", &schema, |_: Map| ready(Ok(Value::from("found"))));
    let program = Arc::new(common::program(&common::text("growing.yaml")));
    let driver = Driver::new(program).tools(Arc::new(tools)).store(store);
    let begin = Instant::now();
    let mut runs = tokio::task::JoinSet::new();
    for n in 0..RUNS {
        let driver = driver.clone();
        runs.spawn(async move {
            let input: Map = [("rounds", Value::Int(EACH))].into_iter().collect();
            let start = Start { run: format!("run-{n}").as_str().into(), input, ..Start::default() };
            let mut run = driver.start(start).await.expect("the run begins");
            assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
        });
    }
    while let Some(ended) = runs.join_next().await {
        ended.expect("the run ends");
    }
    let took = begin.elapsed();
    let effects = i64::try_from(RUNS).unwrap_or_default() * (EACH + 1);
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let rate = effects as f64 / took.as_secs_f64();
    println!("{RUNS} runs at once: {effects} synced effects in {took:.1?}, {rate:.0} a second");
}
