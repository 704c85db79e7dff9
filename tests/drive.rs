//! The driver: order, time, cancellation, people, resuming.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;
use loopwright::config::RunLimits;
use loopwright::drive::{DriveError, Driver, Finished, Run};
use loopwright::machine::{Call, Done, Event, EventKind, Outcome, Question, Request, Snapshot, Start};
use loopwright::port::{
    BoxFuture, Commit, Human, HumanReply, JournalEntry, Lease, ModelClient, Observer, ProgramText, RunInfo,
    RunStatus, RunView, Store, StoreError, StoreFuture, StoredRun, ToolInfo,
};
use loopwright::program::Program;
use loopwright::program::graph::Delivery;
use loopwright::store::Memory;
use loopwright::tool::Tools;
use loopwright::value::{Map, Str, Value, json};
use tokio::time::Instant;

use crate::played::compiled;
use crate::rebuilt;

fn graph(text: &str) -> Arc<Program> {
    compiled(&[("graph.yaml", text)])
}

/// What happened, in order, as the parts of a test saw it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn say(&self, line: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn has(&self, line: &str) -> bool {
        self.lines().iter().any(|own| own == line)
    }
}

/// Says so when it is dropped before its time.
struct Alive(Log, Str);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.say(format!("{} is gone", self.1));
    }
}

/// A tool that sleeps so many seconds and gives its name back.
fn sleeper(log: &Log, name: &str, seconds: u64, delivery: Delivery) -> Tools {
    add_sleeper(Tools::new(), log, name, seconds, delivery)
}

fn add_sleeper(tools: Tools, log: &Log, name: &str, seconds: u64, delivery: Delivery) -> Tools {
    let info = ToolInfo::new(
        name,
        json::parse_strict(r#"{"type": "object"}"#, json::JsonLimits::default()).expect("JSON"),
    );
    let (log, name) = (log.clone(), Str::from(name));
    tools.closure_with(info.delivery(delivery), move |_| {
        let (log, name) = (log.clone(), name.clone());
        async move {
            log.say(format!("{name} begins"));
            let alive = Alive(log.clone(), name.clone());
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            std::mem::forget(alive);
            log.say(format!("{name} ends"));
            Ok(Value::Str(name))
        }
    })
}

fn start(run: &str) -> Start {
    Start { run: run.into(), ..Start::default() }
}

async fn finish(driver: &Driver) -> Done {
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    done(&mut run).await
}

async fn done(run: &mut Run) -> Done {
    match run.drive().await.expect("the run goes on") {
        Finished::Done(done) => done,
        other => panic!("the run did not end: {other:?}"),
    }
}

async fn waiting(run: &mut Run) -> Vec<Question> {
    match run.drive().await.expect("the run goes on") {
        Finished::Waiting { asks, .. } => asks,
        other => panic!("the run does not wait: {other:?}"),
    }
}

/// Gives the same text to every model call.
struct Says(&'static str);

impl ModelClient for Says {
    fn ask(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        ready(Outcome::answer(self.0)).boxed()
    }
}

const ASKS_AND_CALLS: &str = r"
graph: asks_and_calls
types:
  Order: {n: int}
state:
  order: Order?
  twice: int?
start: think
nodes:
  think:
    kind: model
    role: thinker
    prompt: '''how much?'''
    output: Order
    into: order
    next: [{to: double}]
  double:
    kind: tool
    tool: double
    args: {n: order.n}
    into: twice
    next: [{to: end}]
  end: {kind: final, outcome: '''well'''}
output: {result: twice}
";

fn doubling() -> Tools {
    let schema =
        serde_json::json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    Tools::new().closure("double", &schema, |args| async move {
        Ok(Value::Int(args.get("n").and_then(Value::as_int).unwrap_or_default() * 2))
    })
}

#[tokio::test]
async fn a_run_asks_a_model_and_calls_a_tool() {
    let store = Arc::new(Memory::new());
    let driver = rebuilt::driver(graph(ASKS_AND_CALLS))
        .model(Arc::new(Says(r#"{"n": 21}"#)))
        .tools(Arc::new(doubling()))
        .store(store.clone());
    let mut run = driver.start(start("first")).await.expect("the run begins");
    let end = done(&mut run).await;
    assert_eq!((end.outcome.as_str(), end.ok), ("well", true));
    assert_eq!(json::canonical(&end.output), r#"{"result":42}"#);

    let events = store.events("first").await.expect("the events");
    assert!((0..).zip(&events).all(|(seq, event)| event.seq == seq));
    assert!(matches!(events.last().map(|event| &event.kind), Some(EventKind::Done(_))));
    let info = store.runs().await.expect("the runs").remove(0);
    assert_eq!(info.status, RunStatus::Done { outcome: "well".into(), ok: true });
    let again = driver.start(start("first")).await;
    assert!(matches!(again, Err(DriveError::Store(StoreError::Exists(_)))));
}

#[tokio::test]
async fn without_ports_a_model_call_is_denied() {
    let end = finish(&rebuilt::driver(graph(ASKS_AND_CALLS))).await;
    assert_eq!((end.outcome.as_str(), end.ok), ("denied", false));
}

/// Notes each event in a log and hands it on; may refuse the event of one number, and forget what came last.
struct Noting {
    inner: Memory,
    log: Log,
    refuse: Option<u64>,
    /// Does not give back the last entry.
    forgets: bool,
}

impl Store for Noting {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        self.inner.create(run)
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        async move {
            // A store takes its time; nothing may overtake it.
            tokio::time::sleep(Duration::from_secs(5)).await;
            let events = || commit.entries.iter().flat_map(|entry| &entry.events);
            if events().any(|event| Some(event.seq) == self.refuse) {
                return Err(StoreError::Failed("the disk is full".to_owned()));
            }
            for event in events() {
                if let EventKind::Called(call) = &event.kind {
                    self.log.say(format!("kept the call of {}", call.node));
                }
            }
            self.inner.commit(run, commit).await
        }
        .boxed()
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        async move {
            let mut kept = self.inner.load(run, at).await?;
            if self.forgets {
                kept.entries.pop();
            }
            Ok(kept)
        }
        .boxed()
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        self.inner.entries(run)
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        self.inner.runs()
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        self.inner.acquire(run, owner, ttl)
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.inner.release(run, lease)
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        self.inner.keep_program(program)
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        self.inner.program(digest)
    }
}

const ONE_CALL: &str = r"
graph: one_call
start: work
nodes:
  work: {kind: tool, tool: slow, next: [{to: end}, {to: lost, on: unknown}, {to: failed, on: error}]}
  end: {kind: final}
  lost: {kind: final, ok: 'false'}
  failed: {kind: final, ok: 'false'}
";

#[tokio::test(start_paused = true)]
async fn an_event_is_kept_before_anything_behind_it_is_done() {
    let log = Log::default();
    let store = Noting { inner: Memory::new(), log: log.clone(), refuse: None, forgets: false };
    let driver = rebuilt::driver(graph(ONE_CALL))
        .tools(Arc::new(sleeper(&log, "slow", 1, Delivery::Pure)))
        .store(Arc::new(store));
    assert_eq!(finish(&driver).await.outcome, "end");
    assert_eq!(log.lines(), ["kept the call of work", "slow begins", "slow ends"]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_kept_is_not_done() {
    let log = Log::default();
    let store = Noting { inner: Memory::new(), log: log.clone(), refuse: Some(1), forgets: false };
    let driver = rebuilt::driver(graph(ONE_CALL))
        .tools(Arc::new(sleeper(&log, "slow", 1, Delivery::Pure)))
        .store(Arc::new(store));
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    let error = run.drive().await.expect_err("the store fails");
    assert_eq!(error.to_string(), "the run cannot be stored: the disk is full");
    assert!(log.lines().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_leads_elsewhere_is_noticed_where_runs_are_built_again() {
    let log = Log::default();
    let store = Noting { inner: Memory::new(), log: log.clone(), refuse: None, forgets: true };
    let driver = Driver::new(graph(ONE_CALL))
        .tools(Arc::new(sleeper(&log, "slow", 1, Delivery::Pure)))
        .store(Arc::new(store))
        .rebuilding(true);
    let mut run = driver.start(start("r")).await.expect("the run begins");
    let error = run.drive().await.expect_err("nothing leads to where it stands");
    assert!(matches!(&error, DriveError::Drifted(drift) if drift.place == "program"), "{error}");
    assert!(!log.has("slow begins"), "nothing is done behind it");
}

const THREE_LANES: &str = r"
graph: three_lanes
start: all
nodes:
  all:
    kind: parallel
    branches:
      a: {graph: lane.yaml, with: {name: '''a'''}}
      b: {graph: lane.yaml, with: {name: '''b'''}}
      c: {graph: lane.yaml, with: {name: '''c'''}}
    next: [{to: end}]
  end: {kind: final}
";

const LANE: &str = r"
graph: lane
input: {name: string}
start: work
nodes:
  work: {kind: tool, tool_of: name, next: [{to: end}]}
  end: {kind: final}
";

async fn three_lanes(at_once: usize) -> Duration {
    let log = Log::default();
    let tools =
        ["a", "b", "c"].iter().fold(Tools::new(), |t, name| add_sleeper(t, &log, name, 10, Delivery::Pure));
    let driver = rebuilt::driver(compiled(&[("graph.yaml", THREE_LANES), ("lane.yaml", LANE)]))
        .tools(Arc::new(tools))
        .limits(RunLimits { at_once, ..RunLimits::default() });
    let before = Instant::now();
    assert_eq!(finish(&driver).await.outcome, "end");
    before.elapsed()
}

#[tokio::test(start_paused = true)]
async fn calls_run_side_by_side_up_to_the_limit() {
    assert_eq!(three_lanes(16).await.as_secs(), 10);
    assert_eq!(three_lanes(2).await.as_secs(), 20);
    assert_eq!(three_lanes(1).await.as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn waits_and_time_outs_come_in_time() {
    let log = Log::default();
    let driver = rebuilt::driver(graph(
        r"
graph: waits
start: pause
nodes:
  pause: {kind: wait, delay: 1h, next: [{to: work}]}
  work: {kind: tool, tool: slow, timeout: 5s, next: [{to: end}, {to: late, on: timeout}]}
  end: {kind: final}
  late: {kind: final}
",
    ))
    .tools(Arc::new(sleeper(&log, "slow", 60, Delivery::Pure)));
    let before = Instant::now();
    assert_eq!(finish(&driver).await.outcome, "late");
    assert_eq!(before.elapsed().as_secs(), 3605);
    assert_eq!(log.lines(), ["slow begins", "slow is gone"]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_tried_again_after_its_wait() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counter = tries.clone();
    let schema = Value::from_json(&serde_json::json!({"type": "object"}));
    let slow = ToolInfo::new("slow", schema).delivery(Delivery::AtLeastOnce);
    let tools = Tools::new().closure_with(slow, move |_| {
        let n = counter.fetch_add(1, Ordering::SeqCst);
        async move { if n < 2 { Err("not yet".to_owned()) } else { Ok(Value::Null) } }
    });
    let driver = rebuilt::driver(graph(
        r"
graph: retries
start: work
nodes:
  work:
    kind: tool
    tool: slow
    retry: {attempts: 3, on: [tool_failed], first: 10s, factor: 3, max: 1m, jitter: 0}
    next: [{to: end}]
  end: {kind: final}
",
    ))
    .tools(Arc::new(tools));
    let before = Instant::now();
    assert_eq!(finish(&driver).await.outcome, "end");
    assert_eq!((tries.load(Ordering::SeqCst), before.elapsed().as_secs()), (3, 40));
}

#[tokio::test(start_paused = true)]
async fn cancelling_drops_the_call() {
    let log = Log::default();
    let driver =
        rebuilt::driver(graph(ONE_CALL)).tools(Arc::new(sleeper(&log, "slow", 3600, Delivery::Pure)));
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    let handle = run.handle();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(10)).await;
        handle.cancel("enough");
    });
    let before = Instant::now();
    let end = done(&mut run).await;
    assert_eq!((end.outcome.as_str(), end.ok, before.elapsed().as_secs()), ("cancelled", false, 10));
    assert_eq!(log.lines(), ["slow begins", "slow is gone"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_has_its_own_limit_of_time() {
    let log = Log::default();
    let driver = rebuilt::driver(graph(ONE_CALL))
        .tools(Arc::new(sleeper(&log, "slow", 3600, Delivery::Pure)))
        .limits(RunLimits { timeout: Some(90_000_000_000), ..RunLimits::default() });
    let end = finish(&driver).await;
    assert_eq!(end.outcome, "cancelled");
    assert!(json::canonical(&end.error).contains("the run took longer than 1m30s"), "{:?}", end.error);
    assert!(log.has("slow is gone"));
}

#[tokio::test(start_paused = true)]
async fn stopping_leaves_the_run_as_it_is() {
    let log = Log::default();
    let store = Arc::new(Memory::new());
    let driver = rebuilt::driver(graph(ONE_CALL))
        .tools(Arc::new(sleeper(&log, "slow", 3600, Delivery::Pure)))
        .store(store.clone());
    let mut run = driver.start(start("stopped")).await.expect("the run begins");
    let handle = run.handle();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(10)).await;
        handle.stop();
    });
    assert_eq!(run.drive().await.expect("the run goes on"), Finished::Stopped);
    assert!(log.has("slow is gone"));
    let events = store.events("stopped").await.expect("the events");
    assert!(matches!(events.last().map(|event| &event.kind), Some(EventKind::Called(_))));
}

#[tokio::test]
async fn a_tool_that_panics_fails() {
    let tools = Tools::new().closure("slow", &serde_json::json!({"type": "object"}), |args| async move {
        assert!(args.contains_key("missing"), "this panic is part of the test");
        Ok(Value::Null)
    });
    let end = finish(&rebuilt::driver(graph(ONE_CALL)).tools(Arc::new(tools))).await;
    assert_eq!((end.outcome.as_str(), end.ok), ("failed", false));
}

#[tokio::test]
async fn a_missing_grant_is_said_before_anything_happens() {
    let commands = r#"
        tools.slow.command = ["true"]
        tools.other.command = ["true"]
    "#;
    let config =
        loopwright::config::Config::read(commands, loopwright::source::FileId(0)).expect("a good file");
    let tools = config.tools.into_iter().fold(Tools::new(), |tools, command| {
        tools.with(loopwright::tool::CommandTool::new(
            command,
            loopwright::tool::CommandContext::of_process("."),
        ))
    });
    let tools = Arc::new(tools);
    let missing = |result: Result<Run, DriveError>| match result {
        Err(DriveError::Grants(names)) => names,
        Err(other) => panic!("{other}"),
        Ok(_) => Vec::new(),
    };
    let named = rebuilt::driver(graph(ONE_CALL)).tools(tools.clone());
    assert_eq!(missing(named.start(Start::default()).await), ["slow"]);
    let any = rebuilt::driver(compiled(&[("lane.yaml", LANE)])).tools(tools.clone());
    assert_eq!(missing(any.start(Start::default()).await), ["slow", "other"]);
    let none = rebuilt::driver(graph(ASKS_AND_CALLS)).tools(tools);
    assert!(missing(none.start(Start::default()).await).is_empty());
}

const ASKS_A_PERSON: &str = r"
graph: asks_a_person
state: {answer: string?}
start: work
nodes:
  work: {kind: tool, tool: slow, next: [{to: ask}]}
  ask:
    kind: human
    ask: '''Which way?'''
    options: [left, right]
    into: answer
    next: [{to: end}]
  end: {kind: final}
output: {answer: answer}
";

#[tokio::test(start_paused = true)]
async fn a_run_waits_for_people_and_goes_on() {
    let log = Log::default();
    let tools = Arc::new(sleeper(&log, "slow", 1, Delivery::Pure));
    let driver = rebuilt::driver(graph(ASKS_A_PERSON)).tools(tools);
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    let asks = waiting(&mut run).await;
    assert_eq!(asks[0].text, "Which way?");
    run.handle().answer(asks[0].id.clone(), Value::from("up"));
    let again = waiting(&mut run).await;
    assert_eq!(again, asks, "an answer that does not fit is asked for again");
    run.handle().answer(asks[0].id.clone(), Value::from("left"));
    assert_eq!(json::canonical(&done(&mut run).await.output), r#"{"answer":"left"}"#);
}

/// Answers every question the same.
struct Answers(Value);

impl Human for Answers {
    fn ask(&self, _: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        ready(HumanReply::Answer(self.0.clone())).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_is_resumed_from_a_snapshot() {
    let log = Log::default();
    let tools = Arc::new(sleeper(&log, "slow", 1, Delivery::AtMostOnce));
    let program = graph(ASKS_A_PERSON);
    let driver = rebuilt::driver(program.clone()).tools(tools.clone());
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    waiting(&mut run).await;
    let text = serde_json::to_string(run.snapshot()).expect("a snapshot is JSON");
    drop(run);

    let snapshot: Snapshot = serde_json::from_str(&text).expect("and comes back");
    let driver = rebuilt::driver(program).tools(tools).human(Arc::new(Answers(Value::from("right"))));
    let mut run = driver.resume(snapshot.clone()).await.expect("the run is resumed");
    assert_eq!(json::canonical(&done(&mut run).await.output), r#"{"answer":"right"}"#);
    assert_eq!(log.lines(), ["slow begins", "slow ends"], "the tool is not called again");

    let other = rebuilt::driver(graph(ONE_CALL)).resume(snapshot).await;
    assert!(matches!(other, Err(DriveError::Program { .. })));
}

/// A run of [`ONE_CALL`] that was dropped while its call was under way, and how it ends when it is resumed.
async fn interrupted(delivery: Delivery) -> (Done, Vec<String>) {
    let log = Log::default();
    let driver = rebuilt::driver(graph(ONE_CALL)).tools(Arc::new(sleeper(&log, "slow", 10, delivery)));
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    assert!(tokio::time::timeout(Duration::from_secs(5), run.drive()).await.is_err());
    let snapshot = run.snapshot().clone();
    drop(run);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut run = driver.resume(snapshot).await.expect("the run is resumed");
    (done(&mut run).await, log.lines())
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_call_is_repeated_only_if_it_may_be() {
    let (end, log) = interrupted(Delivery::Idempotent).await;
    assert_eq!(end.outcome, "end");
    assert_eq!(log, ["slow begins", "slow is gone", "slow begins", "slow ends"]);

    let (end, log) = interrupted(Delivery::AtMostOnce).await;
    assert_eq!(end.outcome, "lost");
    assert_eq!(log, ["slow begins", "slow is gone"]);
}

/// Answers the questions of pauses in turn.
struct InTurn(Mutex<Vec<Value>>);

impl Human for InTurn {
    fn ask(&self, _: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        ready(next.map_or(HumanReply::Unattended, HumanReply::Answer)).boxed()
    }
}

#[tokio::test]
async fn a_person_sends_the_run_back() {
    let program = graph(
        r"
graph: goes_back
state: {seen: int = 0}
budgets: {rounds: 9}
pause: {when: visits(work) == 3, ask: '''On?'''}
start: work
nodes:
  work:
    kind: tool
    tool: count
    into: seen
    do: spend rounds
    next:
      - {to: end, when: visits(work) >= 4}
      - {to: work}
  end: {kind: final}
output: {rounds: used(rounds)}
",
    );
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = calls.clone();
    let tools = Tools::new().closure("count", &serde_json::json!({"type": "object"}), move |_| {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push(());
        let n = i64::try_from(seen.len()).unwrap_or_default();
        ready(Ok(Value::Int(n)))
    });
    let back = Value::Map([("rollback", Value::Int(1))].into_iter().collect());
    let answers = vec![Value::from("resume"), back];
    let store = Arc::new(Memory::new());
    let driver = rebuilt::driver(program)
        .tools(Arc::new(tools))
        .store(store.clone())
        .human(Arc::new(InTurn(Mutex::new(answers))));
    let mut run = driver.start(start("back")).await.expect("the run begins");
    let end = done(&mut run).await;
    assert_eq!(json::canonical(&end.output), r#"{"rounds":4}"#);
    let events = store.events("back").await.expect("the events");
    assert!((0..).zip(&events).all(|(seq, event)| event.seq == seq), "one journal without gaps");
    let ids: Vec<Str> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Resolved { call, .. } => Some(call.0.clone()),
            _ => None,
        })
        .collect();
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "every call has an id of its own: {ids:?}");
    assert_eq!(calls.lock().unwrap_or_else(PoisonError::into_inner).len(), 6);
}

/// Writes down the kinds of events it sees.
struct Watches(Log);

impl Observer for Watches {
    fn recorded(&self, event: &Event, graph: u32, view: RunView<'_>) {
        assert!(event.seq < view.snapshot.seq);
        if let EventKind::Entered { node, .. } = &event.kind {
            self.0.say(view.program.graphs[graph as usize].nodes[*node as usize].name.as_str());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn onlookers_see_every_event() {
    let log = Log::default();
    let tools =
        Tools::new().closure("slow", &serde_json::json!({"type": "object"}), |_: Map| ready(Ok(Value::Null)));
    let driver =
        rebuilt::driver(graph(ONE_CALL)).tools(Arc::new(tools)).observer(Arc::new(Watches(log.clone())));
    finish(&driver).await;
    assert_eq!(log.lines(), ["work", "end"]);
}

#[tokio::test]
async fn a_call_for_a_model_carries_what_was_asked() {
    struct Looks(Log);
    impl ModelClient for Looks {
        fn ask(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
            let Request::Model { role, prompt, .. } = &call.request else { panic!("a model call") };
            self.0.say(format!("{role}: {prompt} in {}", view.program.graphs[0].id));
            ready(Outcome::answer(r#"{"n": 1}"#)).boxed()
        }
    }
    let log = Log::default();
    let driver = rebuilt::driver(graph(ASKS_AND_CALLS))
        .model(Arc::new(Looks(log.clone())))
        .tools(Arc::new(doubling()));
    finish(&driver).await;
    assert_eq!(log.lines(), ["thinker: how much? in asks_and_calls"]);
}
