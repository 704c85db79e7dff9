//! What goes in comes out.

use std::sync::Arc;

use futures::FutureExt;
use loopwright::drive::{DriveError, Finished, rebuild};
use loopwright::machine::{Snapshot, Start};
use loopwright::port::{EntryCause, RunStatus, Store, StoreError};
use loopwright::store::{Memory, Sqlite, survey};
use loopwright::value::Value;

use super::world::{driver, end, folder, program, sqlite, tools, wait, waiting};

use crate::rebuilt;

async fn again(store: &dyn Store, run: &str, at: Option<u64>) -> Snapshot {
    let kept = store.load(run, at).await.expect("the run is whole");
    rebuild(&program(), &kept).expect("it goes the same way")
}

#[tokio::test]
async fn a_run_is_the_same_after_the_file_was_closed() {
    let folder = folder();
    let store = sqlite(&folder);
    let driven = waiting(&driver(store.clone()), "one", 20).await;
    let (before, entries) = (driven.snapshot().clone(), store.entries("one").await.expect("its journal"));
    drop(driven);
    drop(store);

    let store = sqlite(&folder);
    assert_eq!(store.entries("one").await.expect("its journal"), entries);
    assert_eq!(again(&*store, "one", None).await, before);
    assert_eq!(store.runs().await.expect("the runs")[0].status, RunStatus::Waiting);
    let mut run = driver(store.clone()).reopen("one").await.expect("it goes on");
    wait(&mut run).await;
    let last = end(&mut run).await;
    assert_eq!(again(&*store, "one", None).await, last);
    let done = RunStatus::Done { outcome: "end".into(), ok: true };
    assert_eq!(store.runs().await.expect("the runs")[0].status, done);
    assert!(survey(store.path()).expect("a store").is_whole());
}

#[tokio::test]
async fn both_stores_keep_the_same() {
    let folder = folder();
    let (file, memory) = (sqlite(&folder), Arc::new(Memory::new()));
    waiting(&driver(file.clone()), "one", 5).await;
    waiting(&driver(memory.clone()), "one", 5).await;
    let kinds = |entries: Vec<loopwright::port::JournalEntry>| {
        let kinds = |entry: loopwright::port::JournalEntry| {
            let events: Vec<_> =
                entry.events.into_iter().map(|event| (event.seq, event.frame, event.kind)).collect();
            (entry.cause, entry.step, events)
        };
        entries.into_iter().map(kinds).collect::<Vec<_>>()
    };
    let (file, memory) =
        (file.entries("one").await.expect("kept"), memory.entries("one").await.expect("kept"));
    assert_eq!(kinds(file), kinds(memory));
}

#[tokio::test]
async fn every_entry_is_a_place_to_look_at() {
    let folder = folder();
    let store = sqlite(&folder);
    let run = waiting(&driver(store.clone()), "one", 12).await;
    let entries = store.entries("one").await.expect("its journal");
    let whole = store.load("one", None).await.expect("whole");
    for at in 0..=entries.len() {
        let mut kept = whole.clone();
        kept.entries.truncate(at);
        let wanted = rebuild(&program(), &kept).expect("it goes the same way");
        let at = u64::try_from(at).expect("a small number");
        assert_eq!(again(&*store, "one", Some(at)).await, wanted);
    }
    assert_eq!(again(&*store, "one", Some(999)).await, *run.snapshot());
}

#[tokio::test]
async fn a_long_run_is_built_from_its_last_snapshot() {
    let folder = folder();
    let store = sqlite(&folder);
    let run = waiting(&driver(store.clone()), "long", 400).await;
    let kept = store.load("long", None).await.expect("whole");
    assert!(kept.from > 0, "a snapshot was kept on the way");
    assert_eq!(rebuild(&program(), &kept).expect("it goes the same way"), *run.snapshot());
    let early = store.load("long", Some(kept.from - 1)).await.expect("whole");
    assert!(early.from < kept.from);
}

#[tokio::test]
async fn a_run_that_was_dropped_goes_on_from_the_file() {
    let folder = folder();
    let store = sqlite(&folder);
    let driver = driver(store.clone());
    let mut run = driver.start(super::world::start("cut", 50)).await.expect("the run begins");
    // Wherever this falls, what is in the file is a place to go on from.
    let _ = tokio::time::timeout(std::time::Duration::from_millis(5), run.drive()).await;
    drop(run);
    drop(driver);
    drop(store);
    let store = sqlite(&folder);
    let tools = Arc::new(tools());
    let driver = rebuilt::driver(program()).tools(tools).store(store.clone());
    let mut run = driver.reopen("cut").await.expect("it goes on");
    match run.drive().await.expect("the run goes on") {
        // The call was under way, and its tool does not say that it may be called again.
        Finished::Waiting { asks, .. } => {
            assert!(asks[0].text.contains("Well?") || asks[0].text.contains("Nobody knows"));
        }
        other => panic!("the run does not wait: {other:?}"),
    }
    assert_eq!(again(&*store, "cut", None).await, *run.snapshot());
}

#[tokio::test]
async fn a_snapshot_from_elsewhere_begins_a_journal_of_its_own() {
    let folder = folder();
    let elsewhere = waiting(&driver(Arc::new(Memory::new())), "guest", 3).await.snapshot().clone();
    let store = sqlite(&folder);
    let mut run = driver(store.clone()).resume(elsewhere.clone()).await.expect("it goes on");
    let last = end(&mut run).await;
    assert_eq!(again(&*store, "guest", Some(0)).await, elsewhere);
    assert_eq!(again(&*store, "guest", None).await, last);
    let events = store.events("guest").await.expect("its events");
    assert_eq!(events[0].seq, elsewhere.seq);

    // The snapshot is behind now.
    let mut late = driver(store.clone()).resume(elsewhere).await.expect("nothing is kept yet");
    let ask = late.snapshot().asks().next().expect("a question").id.clone();
    late.handle().answer(ask, Value::from("no"));
    let error = late.drive().await.expect_err("the journal has gone on");
    assert!(matches!(error, DriveError::Store(StoreError::Gap { .. })), "{error}");
    assert_eq!(again(&*store, "guest", None).await, last);
}

#[tokio::test]
async fn many_runs_share_the_file() {
    let folder = folder();
    let store = sqlite(&folder);
    let driver = driver(store.clone());
    let runs: Vec<_> = (0..40)
        .map(|n| {
            let driver = driver.clone();
            tokio::spawn(async move { waiting(&driver, &format!("run-{n}"), 6).await.snapshot().clone() })
        })
        .collect();
    for (n, run) in runs.into_iter().enumerate() {
        let wanted = run.await.expect("it waits");
        assert_eq!(again(&*store, &format!("run-{n}"), None).await, wanted);
    }
    assert!(survey(store.path()).expect("a store").is_whole());
}

#[tokio::test]
async fn a_way_back_is_part_of_the_journal() {
    let program = super::world::compiled(
        r"
graph: goes_back
state: {seen: string?}
budgets: {rounds: 9}
pause: {when: visits(work) == 3, ask: '''On?'''}
start: work
nodes:
  work:
    kind: tool
    tool: echo
    args: {text: '''hello'''}
    into: seen
    do: spend rounds
    next: [{to: end, when: visits(work) >= 4}, {to: work}]
  end: {kind: final}
",
    );
    let folder = folder();
    let store = sqlite(&folder);
    let driver = rebuilt::driver(program.clone()).tools(Arc::new(tools())).store(store.clone());
    let mut run = driver.start(Start { run: "back".into(), ..Start::default() }).await.expect("it begins");
    let mut answers =
        vec![Value::from("resume"), Value::Map([("rollback", Value::Int(1))].into_iter().collect())];
    let last = loop {
        match run.drive().await.expect("it goes on") {
            Finished::Done(_) => break run.snapshot().clone(),
            Finished::Waiting { asks, .. } => {
                run.handle().answer(asks[0].id.clone(), answers.pop().expect("an answer is left"));
            }
            other => panic!("nobody stopped it: {other:?}"),
        }
    };
    let entries = store.entries("back").await.expect("its journal");
    assert!(
        entries.iter().any(|entry| matches!(entry.cause, EntryCause::Back { to: 1, step: 1 })),
        "{entries:#?}"
    );
    let kept = store.load("back", None).await.expect("whole");
    assert!(kept.from > 0, "behind the way back a snapshot was kept");
    assert_eq!(rebuild(&program, &kept).expect("the same way"), last);
    // From the very beginning, across the way back.
    let all = loopwright::port::StoredRun { from: 0, snapshot: Snapshot::new(), entries, ..kept };
    assert_eq!(rebuild(&program, &all).expect("the same way"), last);
}

#[test]
fn a_store_works_without_a_runtime() {
    let folder = folder();
    let store = Sqlite::open(folder.path().join("runs.db")).expect("a store");
    let runs = store.runs().now_or_never().expect("it is read at once");
    assert!(runs.expect("the runs").is_empty());
}

#[tokio::test]
async fn long_texts_are_kept_whole() {
    let program = super::world::compiled(
        r"
graph: long
state: {x: string = '''0123456789abcdef'''}
budgets: {rounds: 17}
start: grow
nodes:
  grow:
    do: |
      spend rounds
      x = x + x
    next: [{to: ask, on: exhausted(rounds)}, {to: grow}]
  ask: {kind: human, ask: '''Well?''', options: [yes, no], next: [{to: end}]}
  end: {kind: final}
",
    );
    let folder = folder();
    let store = sqlite(&folder);
    let driver = rebuilt::driver(program.clone()).store(store.clone());
    let mut run = driver.start(Start { run: "long".into(), ..Start::default() }).await.expect("it begins");
    wait(&mut run).await;
    let kept = store.load("long", None).await.expect("whole");
    assert!(kept.from == 1 && kept.entries.is_empty(), "a snapshot was due at once");
    assert_eq!(rebuild(&program, &kept).expect("the same way"), *run.snapshot());
    let all = loopwright::port::StoredRun {
        from: 0,
        snapshot: Snapshot::new(),
        entries: store.entries("long").await.expect("whole"),
        ..kept
    };
    assert_eq!(rebuild(&program, &all).expect("the same way"), *run.snapshot());
    assert!(survey(store.path()).expect("a store").is_whole());
}
