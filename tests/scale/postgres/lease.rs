//! Leases by the server's clock: who was stopped for longer than its lease stores nothing more.

use std::process::Stdio;
use std::time::{Duration, Instant};

use loopwright::port::{Message, Queue, RunStatus, Store, StoreError, WorkRequest};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::cut::Line;
use super::server::{shared, store};
use crate::desk::Desk;
use crate::until::until;
use crate::world::{commit, commit_at, info};

#[tokio::test]
async fn leases_run_out_by_the_clock_of_the_server() {
    let Some(server) = shared() else { return };
    let address = server.database();
    let (one, other) = (store(&address), store(&address));
    one.create(&info("run")).await.expect("a run");
    let first = one.acquire("run", "a", Duration::from_millis(600)).await.expect("a lease");
    let held = other.acquire("run", "b", Duration::from_mins(1)).await.expect_err("it is held");
    assert!(matches!(held, StoreError::Held { left, .. } if left <= Duration::from_millis(600)), "{held:?}");
    commit(&*one, "run", 0, Some(&first)).await.expect("it is stored");
    tokio::time::sleep(Duration::from_millis(700)).await;
    let second = other.acquire("run", "b", Duration::from_mins(1)).await.expect("a lease");
    assert!(second.fence > first.fence);
    let lost = commit(&*one, "run", 1, Some(&first)).await.expect_err("it was taken over");
    assert!(matches!(&lost, StoreError::Lost { by, .. } if by.as_str() == "b"), "{lost:?}");
    commit(&*other, "run", 1, Some(&second)).await.expect("it is stored");
}

#[tokio::test]
async fn an_idle_worker_costs_the_same_however_many_runs_have_ended() {
    let Some(server) = shared() else { return };
    let address = server.database();
    let name = address.rsplit('/').next().expect("a name").to_owned();
    let runs = store(&address);
    runs.create(&info("run")).await.expect("a run");
    let done = RunStatus::Done { outcome: "end".into(), ok: true };
    commit_at(&*runs, "run", 0, None, done).await.expect("it is stored");
    server.sql(
        &name,
        "SET search_path = loopwright; INSERT INTO runs SELECT nextval('run_numbers'), 'ended ' || n, graph, program, started, status, \
         entries, seq, chain, sum, goes_by, due, queue_sum FROM runs, generate_series(1, 100000) AS n; \
         INSERT INTO messages SELECT n, 1, n, NULL, '' FROM generate_series(1, 100000) AS n",
    );
    // Runs that others drive are due and not to be taken.
    runs.create(&info("driven")).await.expect("a run");
    commit_at(&*runs, "driven", 0, None, RunStatus::Running).await.expect("it is stored");
    runs.acquire("driven", "another", Duration::from_mins(5)).await.expect("a lease");
    let programs = ["program".into(), "another".into()];
    let request = WorkRequest {
        owner: "idle",
        ttl: Duration::from_secs(10),
        programs: &programs,
        now: i64::MAX,
        limit: 8,
    };
    runs.take_due(request).await.expect("no runs");
    let begun = Instant::now();
    for _ in 0..100 {
        assert!(runs.take_due(request).await.expect("no runs").runs.is_empty());
    }
    let each = begun.elapsed() / 100;
    println!("an idle worker's look beside 100,000 ended runs: {each:?}");
    let pages = "SET search_path = loopwright; SELECT pg_stat_force_next_flush(); SELECT sum(seq_scan) FROM pg_stat_user_tables \
                 WHERE schemaname = 'loopwright'";
    let before = server.sql(&name, pages);
    runs.take_due(request).await.expect("no runs");
    assert_eq!(server.sql(&name, pages), before, "no table is read from one end to the other");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_is_renewed_in_the_last_moment_is_not_taken() {
    const STEP: Duration = Duration::from_millis(200);
    let Some(server) = shared() else { return };
    let line = Line::to(server.port());
    let address = server.database();
    let (server_port, line_port) = (server.port().to_string(), line.port().to_string());
    let (one, other) = (store(&address), store(&address.replace(&server_port, &line_port)));
    // What the other asks is prepared before, so that each step takes one answer.
    one.create(&info("before")).await.expect("a run");
    one.acquire("before", "a", Duration::from_mins(1)).await.expect("a lease");
    assert!(other.acquire("before", "b", Duration::from_mins(1)).await.is_err());
    for round in 0..10 {
        let run = format!("run-{round}");
        one.create(&info(&run)).await.expect("a run");
        let lease = one.acquire(&run, "a", STEP * 6).await.expect("a lease");
        line.slow(STEP * 2);
        tokio::time::sleep(STEP * 5).await;
        // It finds the lease held at 5 steps, run out at 7, and wants to take it at 9. At 8 it is renewed.
        let wants = {
            let (other, run) = (other.clone(), run.clone());
            tokio::spawn(async move { other.acquire(&run, "b", Duration::from_mins(1)).await })
        };
        tokio::time::sleep(STEP * 3).await;
        let renewed = one.acquire(&run, "a", Duration::from_mins(1)).await;
        let taken = wants.await.expect("it ends");
        line.slow(Duration::ZERO);
        // On a machine that is busy the other may be too late, and takes what has run out.
        let Ok(renewed) = renewed else { continue };
        assert_eq!(renewed, lease);
        assert!(matches!(taken, Err(StoreError::Held { .. })), "{taken:?}");
        commit(&*one, &run, 0, Some(&lease)).await.expect("it is stored");
        return;
    }
    panic!("the moment was never met");
}

#[tokio::test]
async fn workers_are_woken_only_for_runs_that_they_may_take() {
    let Some(server) = shared() else { return };
    let address = server.database();
    let (runs, worker) = (store(&address), store(&address));
    let ended = RunStatus::Done { outcome: "end".into(), ok: true };
    for (run, status) in [("ended", ended), ("waits", RunStatus::Waiting), ("runs", RunStatus::Running)] {
        runs.create(&info(run)).await.expect("a run");
        commit_at(&*runs, run, 0, None, status).await.expect("it is stored");
    }
    worker.changed().await;
    let released = async |run: &str| {
        let lease = runs.acquire(run, "a", Duration::from_mins(1)).await.expect("a lease");
        let changed = worker.changed();
        runs.release(run, &lease).await.expect("it is given back");
        tokio::time::timeout(Duration::from_millis(400), changed).await.is_ok()
    };
    assert!(!released("ended").await, "nobody drives it any more");
    assert!(!released("waits").await, "nobody has anything to do of it");
    assert!(released("runs").await, "somebody has to drive it");
    runs.post("waits", &Message::RESUME).await.expect("it is posted");
    assert!(released("waits").await, "there is a message for it");
}

/// Works for a second and notes that, again and again.
const GRAPH: &str = "graph: works
state: {n: int = 0}
budgets: {rounds: 100}
start: work
nodes:
  work:
    kind: tool
    tool: work
    do: spend rounds
    next: [{to: count}, {to: failed, on: error}, {to: failed, on: unknown}, {to: end, on: exhausted(rounds)}]
  count: {do: n += 1, next: [{to: end, when: n >= 4}, {to: work}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
";

const CONFIGURATION: &str = "[tools.work]
description = \"works\"
command = [\"sleep\", \"1\"]
delivery = \"at_least_once\"
";

#[test]
fn a_process_that_was_stopped_stores_nothing_after_its_lease() {
    let Some(server) = shared() else { return };
    let desk = Desk::new(&[("works.yaml", GRAPH), ("loopwright.toml", CONFIGURATION)]);
    desk.trust();
    let db = server.database();
    let words = format!("run works.yaml --run-id one --grant work --db {db}");
    let mut first = desk
        .program()
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let pid = Pid::from_raw(i32::try_from(first.id()).expect("a number of a process"));
    let name = db.rsplit('/').next().expect("a name").to_owned();
    let entries = || {
        server.sql(&name, "SELECT coalesce(max(entries), 0) FROM loopwright.runs").parse().unwrap_or(0_u64)
    };
    until("the run begins", || {
        if let Some(ended) = first.try_wait().expect("it is a child") {
            panic!("it ended: {ended}");
        }
        server.sql(&name, "SELECT to_regclass('loopwright.runs') IS NOT NULL").contains('t') && entries() >= 4
    });
    // In the middle of a call: one whose process is not there yet would be still at work for whoever comes next.
    std::thread::sleep(Duration::from_millis(400));
    kill(pid, Signal::SIGSTOP).expect("it is stopped");
    std::thread::sleep(Duration::from_millis(300));
    let stood = entries();
    let held = desk.run(&format!("resume one --grant work --db {db}"));
    assert_eq!(held.code, Some(2), "{held:?}");
    assert!(held.stderr.contains("is driven by process"), "{held:?}");
    std::thread::sleep(Duration::from_secs(11));
    let second = desk.run(&format!("resume one --grant work --db {db}"));
    assert_eq!(second.code, Some(0), "{second:?}");
    let ended = entries();
    assert!(ended > stood);
    kill(pid, Signal::SIGCONT).expect("it goes on");
    let first = first.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(!first.status.success() && said.contains("was taken over by"), "{said}");
    assert_eq!(entries(), ended, "it stored nothing more");
    let doctor = desk.run(&format!("doctor --db {db}"));
    assert!(doctor.stdout.contains("1 run, 1 whole"), "{doctor:?}");
}
