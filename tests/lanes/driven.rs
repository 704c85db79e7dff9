//! The same through the driver: calls take random times on a simulated clock, and processes are real.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use loopwright::config::Config;
use loopwright::drive::Finished;
use loopwright::machine::{Call, Done, Event, EventKind, Outcome, Start, Time};
use loopwright::port::{BoxFuture, Clock, Observer, RunView, ToolHost, ToolInfo};
use loopwright::program::Program;
use loopwright::program::graph::Delivery;
use loopwright::source::FileId;
use loopwright::tool::{CommandContext, CommandTool, Tools};
use loopwright::value::{Map, Value, json};
use tokio::time::Instant;

use super::meaning::{Meaning, Reader};
use super::{answer, program, tokens};
use crate::dice::Dice;
use crate::played::compiled;
use crate::rebuilt;

const ORDERS: u64 = 1_000;

/// Time that goes on only when everything waits.
struct Simulated(Instant);

impl Clock for Simulated {
    fn now(&self) -> Time {
        Time::try_from(self.0.elapsed().as_nanos()).expect("a test is short")
    }

    fn sleep_until(&self, until: Time) -> BoxFuture<'static, ()> {
        let end = self.0 + Duration::from_nanos(until.max(0).unsigned_abs());
        tokio::time::sleep_until(end).boxed()
    }
}

/// A tool that takes up to three seconds, as the dice say.
struct Dawdling(Mutex<Dice>);

impl ToolHost for Dawdling {
    fn catalogue(&self) -> Vec<ToolInfo> {
        vec![ToolInfo::new("work", Value::Map(Map::new())).delivery(Delivery::Pure)]
    }

    fn call(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let seconds = self.0.lock().unwrap_or_else(PoisonError::into_inner).below(4);
        let outcome = answer(call);
        async move {
            tokio::time::sleep(Duration::from_secs(seconds as u64)).await;
            outcome
        }
        .boxed()
    }
}

/// Keeps every event.
#[derive(Default)]
struct Keeps(Mutex<Vec<Event>>);

impl Observer for Keeps {
    fn recorded(&self, event: &Event, _: u32, _: RunView<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
    }
}

/// A run through the driver.
struct Driven {
    done: Done,
    meaning: Meaning,
    /// Tokens of all answers that were recorded, and what was charged for them.
    tokens: (i64, i64),
}

async fn drive(program: &Arc<Program>, seed: u64) -> Driven {
    let kept = Arc::new(Keeps::default());
    let driver = rebuilt::driver(program.clone())
        .clock(Arc::new(Simulated(Instant::now())))
        .tools(Arc::new(Dawdling(Mutex::new(Dice::new(seed)))))
        .observer(kept.clone());
    let start = Start { run: "r".into(), ..Start::default() };
    let mut run = driver.start(start).await.expect("the run begins");
    let done = match run.drive().await.expect("the run goes on") {
        Finished::Done(done) => done,
        other => panic!("the run did not end: {other:?}"),
    };
    let events = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
    let answered = events.iter().filter_map(|event| match &event.kind {
        EventKind::Resolved { outcome, .. } | EventKind::Late { outcome, .. } => Some(tokens(outcome)),
        _ => None,
    });
    let root = run.snapshot().root().expect("the root stays");
    let budgets = &program.graphs[0].budgets;
    let place = budgets.iter().position(|budget| budget.name == "tokens").expect("it has one");
    let billed = root.frame.counters[place].used;
    Driven { done, meaning: Reader::of(program, &events), tokens: (answered.sum(), billed) }
}

#[tokio::test(start_paused = true)]
async fn lanes_come_to_the_same_whatever_their_calls_take() {
    let program = program("calm.yaml");
    let first = drive(&program, 0).await;
    assert!(first.done.ok, "{:?}", first.done);
    for seed in 1..ORDERS {
        let driven = drive(&program, seed).await;
        assert_eq!(driven.done, first.done, "times {seed}");
        assert_eq!(driven.meaning, first.meaning, "times {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_lane_stops_the_others_whatever_their_calls_take() {
    let program = program("stopped.yaml");
    let first = drive(&program, 0).await;
    let mut late = 0;
    for seed in 1..ORDERS {
        let driven = drive(&program, seed).await;
        assert_eq!(driven.done, first.done, "times {seed}");
        assert_eq!(driven.meaning.lanes[""], first.meaning.lanes[""], "times {seed}");
        driven.meaning.agrees(&first.meaning);
        assert_eq!(driven.tokens.0, driven.tokens.1, "times {seed}");
        late += driven.meaning.late.len();
    }
    // Two calls may come back at the same moment.
    assert!(late > 50, "only {late} answers were late");
}

const QUEUE: &str = "
graph: queue
start: all
nodes:
  all: {kind: each, over: '[1, 5, 7, 9, 11, 13]', as: item, graph: one.yaml, with: {n: item}, at_once: 2, next: [{to: end}]}
  end: {kind: final}
";

const ONE: &str = "
graph: one
input: {n: int}
start: work
nodes:
  work: {kind: wait, delay: 10s, next: [{to: end}]}
  end: {kind: final}
";

#[tokio::test(start_paused = true)]
async fn no_more_lanes_run_than_the_graph_allows() {
    let driver = rebuilt::driver(compiled(&[("queue.yaml", QUEUE), ("one.yaml", ONE)]))
        .clock(Arc::new(Simulated(Instant::now())));
    let before = Instant::now();
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    assert!(matches!(run.drive().await, Ok(Finished::Done(done)) if done.ok));
    assert_eq!(before.elapsed().as_secs(), 30, "three times two lanes of ten seconds");
}

const PROCESSES: &str = "
graph: processes
state: {failure: string?}
start: all
nodes:
  all:
    kind: parallel
    branches:
      slow: {graph: slow.yaml}
      breaks: {graph: breaks.yaml}
    next:
      - {to: end}
      - {to: end, on: error, do: failure = error.message}
  end: {kind: final}
output: {failure: failure}
";

const SLOW: &str = "
graph: slow
start: inner
nodes:
  inner: {kind: each, over: '[1, 2]', as: item, graph: sleeps.yaml, next: [{to: end}]}
  end: {kind: final}
";

const SLEEPS: &str = "
graph: sleeps
start: work
nodes: {work: {kind: tool, tool: sleep, next: [{to: end}]}, end: {kind: final}}
";

const BREAKS: &str = "
graph: breaks
start: work
nodes: {work: {kind: tool, tool: break, next: [{to: end}]}, end: {kind: final}}
";

/// Each sleeping command has a child that would write a file. The other one fails as soon as both sleep.
const COMMANDS: &str = r#"
tools.sleep.command = ["sh", "-c", "(sleep 2; echo late > late.$$) & echo begun > begun.$$; sleep 60"]
tools.break.command = ["sh", "-c", "while [ $(ls | grep -c begun) -lt 2 ]; do sleep 0.05; done; exit 1"]
"#;

#[tokio::test]
async fn the_processes_of_cancelled_lanes_are_ended_with_their_children() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = Arc::new(|name: &str| std::env::var_os(name));
    let surroundings = CommandContext { folder: folder.path().to_owned(), env, guard: None };
    let commands = Config::read(COMMANDS, FileId(0)).expect("a good file").tools;
    let tools = commands
        .into_iter()
        .fold(Tools::new(), |tools, command| tools.with(CommandTool::new(command, surroundings.clone())));
    let files = [
        ("processes.yaml", PROCESSES),
        ("slow.yaml", SLOW),
        ("sleeps.yaml", SLEEPS),
        ("breaks.yaml", BREAKS),
    ];
    let driver = rebuilt::driver(compiled(&files)).tools(Arc::new(tools.grant_all()));
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    let Ok(Finished::Done(done)) = run.drive().await else { panic!("the run did not end") };
    assert_eq!(json::canonical(&done.output), r#"{"failure":"`break` exited with 1"}"#);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let names = std::fs::read_dir(folder.path()).expect("the folder").flatten();
    let names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let count = |begin: &str| names.iter().filter(|name| name.starts_with(begin)).count();
    assert_eq!((count("begun"), count("late")), (2, 0), "{names:?}");
}
