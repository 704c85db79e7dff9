//! Effects per second, and the cost of a worker that has nothing to do.

use std::sync::Arc;
use std::time::{Duration, Instant};

use loopwright::machine::Start;
use loopwright::port::{Message, Queue, RunInfo, RunStatus, Store};
use loopwright::store::postgres::Postgres;
use loopwright::value::{Map, Value};

use super::crew::Crew;
use crate::desk::Desk;
use crate::ledger::desk_with_ledger;
use crate::postgres::server::{self, Server, program_path, store};
use crate::until::{until, within};

/// Effects of each run.
const EFFECTS: u64 = 20;

#[test]
fn workers_share_the_work_of_a_database() {
    if !server::is_here() {
        return;
    }
    let (runs, crews): (u64, &[usize]) =
        if crate::long::is_long() { (1000, &[1, 4, 8]) } else { (40, &[1, 2]) };
    // What is measured is on the disk when a commit returns.
    let server = Server::start(&["max_connections=200"]);
    let desk = desk_with_ledger();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    for workers in crews {
        let address = server.database();
        let queue = runtime.block_on(async { store(&address) });
        runtime.block_on(begin(&queue, &desk, &address, runs));
        let begun = Instant::now();
        let crew = Crew::start(&desk, &["--db", &address, "count.yaml", "--format", "json"], *workers);
        let all_ended = || runtime.block_on(are_ended(&queue));
        within("the runs have ended", Duration::from_mins(10), all_ended);
        let took = begun.elapsed();
        drop(crew);
        let size: u64 = server
            .sql(&name(&address), "SELECT sum(length(body)) / count(*) FROM loopwright.journal")
            .parse()
            .expect("a number");
        let bare = bare(&server, &name(&address), size, *workers);
        #[expect(clippy::cast_precision_loss, reason = "it is shown")]
        let rate = (runs * EFFECTS) as f64 / took.as_secs_f64();
        eprintln!(
            "{runs} runs, {workers} workers: {rate:.0} effects/s; {bare:.0} bare inserts/s of {size} bytes over as many connections"
        );
    }
    idle(&server, &desk);
}

fn name(address: &str) -> String {
    address.rsplit_once('/').expect("an address").1.to_owned()
}

async fn begin(queue: &Arc<Postgres>, desk: &Desk, address: &str, runs: u64) {
    let first =
        desk.run(&format!("run count.yaml --db {address} --run-id first --detach --input rounds={EFFECTS}"));
    assert_eq!(first.code, Some(0), "{first:?}");
    let info = queue.runs().await.expect("they are listed").remove(0);
    for number in 1..runs {
        let run = format!("run-{number}");
        queue.create(&RunInfo { run: run.as_str().into(), ..info.clone() }).await.expect("it is created");
        let rounds = i64::try_from(EFFECTS).expect("few");
        let input: Map = [("rounds", Value::Int(rounds))].into_iter().collect();
        let start = Start { run: run.as_str().into(), input, ..Start::default() };
        queue.post(&run, &Message::Start(Box::new(start))).await.expect("it is posted");
    }
}

async fn are_ended(queue: &Postgres) -> bool {
    let all = queue.runs().await.expect("they are listed");
    let ended = all.iter().all(|info| matches!(info.status, RunStatus::Done { .. }));
    if !ended {
        // To list them takes time from the workers.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ended
}

/// Inserts of as many bytes that are committed one by one, per second, over so many connections.
fn bare(server: &Server, database: &str, size: u64, connections: usize) -> f64 {
    server.sql(database, "CREATE TABLE bare (id bigserial PRIMARY KEY, body bytea NOT NULL)");
    let script = server.file("bare.sql");
    let bytes = usize::try_from(size).expect("it is small");
    std::fs::write(&script, format!("INSERT INTO bare (body) VALUES ('\\x{}');\n", "61".repeat(bytes)))
        .expect("a file");
    let output = std::process::Command::new(program_path("pgbench"))
        .args([
            "-n",
            "-T",
            if crate::long::is_long() { "3" } else { "1" },
            "-M",
            "prepared",
            "-c",
            &connections.to_string(),
            "-f",
        ])
        .arg(&script)
        .arg(server.address(database))
        .output()
        .expect("pgbench runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = "));
    rate.and_then(|rate| rate.split_whitespace().next()?.parse().ok()).unwrap_or_else(|| panic!("{output:?}"))
}

/// The cost of a worker that waits while 10,000 runs have ended.
fn idle(server: &Server, desk: &Desk) {
    let address = server.database();
    let crew = Crew::start(desk, &["--db", &address, "count.yaml"], 1);
    let listens = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{}' AND query LIKE 'LISTEN%'",
        name(&address)
    );
    until("the worker listens", || server.sql("postgres", &listens) == "1");
    let seconds = if crate::long::is_long() { 30 } else { 3 };
    let before = (crew.ticks(0), queries(server, &address));
    std::thread::sleep(Duration::from_secs(seconds));
    let after = (crew.ticks(0), queries(server, &address));
    let per_second = |count: u64| count / seconds;
    eprintln!(
        "an idle worker: {} ms of processor time and {} transactions a second",
        per_second((after.0 - before.0) * 10),
        per_second(after.1 - before.1)
    );
    // It looks once a second. A worker that turned in a loop would take all of it.
    assert!(
        (after.0 - before.0) * 10 < seconds * 200,
        "an idle worker takes {} ms",
        (after.0 - before.0) * 10
    );
}

fn queries(server: &Server, address: &str) -> u64 {
    let sql = format!(
        "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{}'",
        name(address)
    );
    server.sql("postgres", &sql).parse().expect("a number")
}
