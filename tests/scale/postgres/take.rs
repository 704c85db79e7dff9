//! What a worker's look and the taking of runs cost, however many runs are due or have ended.

use std::time::{Duration, Instant};

use loopwright::port::{Queue, RunStatus, Store, TakenRuns, WorkRequest};
use loopwright::store::postgres::Postgres;
use loopwright::value::Str;

use super::server::{self, Server, store};
use crate::world::{commit_at, info};

/// The number of runs of each kind.
const MANY: u32 = 100_000;

/// Adds rows like that of `run`.
fn add(server: &Server, database: &str, name: &str, columns: &str) {
    server.sql(
        database,
        &format!(
            "SET search_path = loopwright; \
             INSERT INTO runs (no, id, graph, program, started, status, entries, seq, chain, sum, goes_by, due, queue_sum) \
             SELECT nextval('run_numbers'), '{name} ' || n, graph, program, started, status, entries, seq, chain, sum, \
             {columns}, queue_sum FROM runs, generate_series(1, {MANY}) AS n WHERE id = 'run'"
        ),
    );
}

async fn take(runs: &Postgres, program: &str, limit: usize) -> TakenRuns {
    let programs: [Str; 2] = [program.into(), "another".into()];
    let request = WorkRequest {
        owner: "worker",
        ttl: Duration::from_mins(5),
        programs: &programs,
        now: i64::MAX,
        limit,
    };
    runs.take_due(request).await.expect("runs")
}

/// Prints the time of a look for runs of a program.
async fn timed(runs: &Postgres, program: &str, rounds: u32, what: &str) {
    let mut taken = 0;
    drop(take(runs, program, 8).await);
    let begun = Instant::now();
    for _ in 0..rounds {
        taken += take(runs, program, 8).await.runs.len();
    }
    println!("{what}: {:?}, {} runs taken by {rounds} looks", begun.elapsed() / rounds, taken);
}

#[tokio::test]
#[ignore = "a measurement: it says what a look costs and asserts nothing"]
async fn looks_beside_many_runs() {
    if !server::is_here() {
        return;
    }
    let server = Server::start(&[]);
    let address = server.database();
    let name = address.rsplit('/').next().expect("a name").to_owned();
    let runs = store(&address);
    runs.create(&info("run")).await.expect("a run");
    let done = RunStatus::Done { outcome: "end".into(), ok: true };
    commit_at(&*runs, "run", 0, None, done).await.expect("it is stored");
    timed(&runs, "program", 100, "an idle look beside no runs").await;
    add(&server, &name, "ended", "NULL, NULL");
    timed(&runs, "program", 100, "an idle look beside 100,000 ended runs").await;
    add(&server, &name, "due", "'lost', (n * 1000)::bigint");
    timed(&runs, "program", 100, "an idle look beside 100,000 due runs of others").await;
    timed(&runs, "lost", 20, "a take of 8 of 100,000 due runs").await;
    add(&server, &name, "new", "'new', NULL");
    server.sql(
        &name,
        "SET search_path = loopwright; INSERT INTO messages SELECT no, no, no, b, \
         sha256(convert_to(concat_ws(' ', no, no, no, b), 'UTF8')) FROM runs, (SELECT '{\"kind\":\"resume\"}') AS message(b) \
         WHERE goes_by = 'new'; UPDATE runs SET messages = 1, posted = no, \
         posted_sum = sha256(convert_to(concat_ws(' ', no, 1, no), 'UTF8')) WHERE goes_by = 'new'",
    );
    timed(&runs, "program", 100, "an idle look beside 100,000 new runs of others").await;
    timed(&runs, "new", 20, "a take of 8 of 100,000 new runs").await;
    let begun = Instant::now();
    for _ in 0..20 {
        assert_eq!(runs.messages("worker").await.expect("messages").messages.len(), 168);
    }
    println!("the messages of a worker's runs beside 100,000 new runs: {:?}", begun.elapsed() / 20);
    let lease = "SET search_path = loopwright; UPDATE runs SET owner = 'o', fence = 1, until = \
                 (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 500000 WHERE goes_by = 'lost' AND no % 100 = 0; \
                 UPDATE runs SET goes_by = NULL, due = NULL WHERE goes_by = 'lost' AND no % 100 <> 0; \
                 UPDATE runs SET lease_sum = sha256(convert_to(concat_ws(' ', no, fence, until, owner), 'UTF8')) WHERE owner = 'o'";
    server.sql(&name, lease);
    timed(&runs, "lost", 20, "an idle look beside 1,000 runs that others drive").await;
}
