//! Runs to be kept.

use std::sync::Arc;

use futures::future::ready;
use loopwright::drive::{Driver, Finished, Run};
use loopwright::machine::{Snapshot, Start};
use loopwright::port::Store;
use loopwright::program::Program;
use loopwright::store::Sqlite;
use loopwright::tool::Tools;
use loopwright::value::{Map, Value};
use tempfile::TempDir;

use crate::played;
use crate::rebuilt;

/// Calls a tool `rounds` times and keeps every answer; then asks a person.
const LOOP: &str = r"
graph: loop
input: {rounds: int, padding: string?}
state:
  seen: list<string> = []
  last: string?
budgets: {calls: 100000}
start: work
nodes:
  work:
    kind: tool
    tool: echo
    args: {text: '''line '' + string(size(seen)) + (padding ?? '''')'}
    into: last
    then: seen += last ?? ''
    do: spend calls
    next:
      - {to: ask, when: size(seen) >= rounds}
      - {to: tidy}
  tidy: {do: last = null, next: [{to: count}]}
  count: {kind: choice, next: [{to: work}]}
  ask: {kind: human, ask: '''Well?''', options: [yes, no], next: [{to: end}]}
  end: {kind: final}
";

pub(super) fn program() -> Arc<Program> {
    compiled(LOOP)
}

pub(super) fn compiled(graph: &str) -> Arc<Program> {
    played::compiled(&[("loop.yaml", graph)])
}

pub(super) fn tools() -> Tools {
    Tools::new().closure("echo", &serde_json::json!({"type": "object"}), |args| {
        ready(Ok(args.get("text").cloned().unwrap_or_default()))
    })
}

pub(super) fn start(run: &str, rounds: i64) -> Start {
    let input: Map = [("rounds", Value::Int(rounds))].into_iter().collect();
    Start { run: run.into(), input, ..Start::default() }
}

/// As [`start`], with answers of some thousand bytes.
pub(super) fn long(run: &str, rounds: i64) -> Start {
    let mut start = start(run, rounds);
    start.input.set("padding", Value::from("0123456789abcdef".repeat(250)));
    start
}

pub(super) fn driver(store: Arc<dyn Store>) -> Driver {
    rebuilt::driver(program()).tools(Arc::new(tools())).store(store)
}

/// Drives a run until it waits for its person.
pub(super) async fn wait(run: &mut Run) {
    match run.drive().await.expect("the run goes on") {
        Finished::Waiting { .. } => {}
        other => panic!("the run does not wait: {other:?}"),
    }
}

/// A run of so many effects, waiting for its person.
pub(super) async fn waiting(driver: &Driver, run: &str, rounds: i64) -> Run {
    let mut run = driver.start(start(run, rounds)).await.expect("the run begins");
    wait(&mut run).await;
    run
}

/// Answers the person's question and drives the run to its end.
pub(super) async fn end(run: &mut Run) -> Snapshot {
    let ask = run.snapshot().asks().next().expect("a question").id.clone();
    run.handle().answer(ask, Value::from("yes"));
    assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
    run.snapshot().clone()
}

pub(super) fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

pub(super) fn sqlite(folder: &TempDir) -> Arc<Sqlite> {
    Arc::new(Sqlite::open(folder.path().join("runs.db")).expect("a store"))
}
