//! Runs against limits: who is refused and how, after a crash, after a way back, side by side, with lists.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use loopwright::config::{CallLimit, CallLimits};
use loopwright::drive::{Driver, Finished, LimitLedger, SystemClock};
use loopwright::llm::Paces;
use loopwright::machine::{Call, CallId, Done, Event, EventKind, Outcome, Start, Time};
use loopwright::port::{CallLedger, LimitRefusal, Store, ToolInfo};
use loopwright::program::graph::Delivery;
use loopwright::store::Memory;
use loopwright::tool::Tools;
use loopwright::value::{Str, Value};
use tokio::time::sleep;

use crate::fallback::world::Step::{Down, Says};
use crate::fallback::world::{Wire, attempts, entry, live};
use crate::played::compiled;

/// Calls a tool again and again, and counts what came of it.
const LOOP: &str = "
graph: loops
state: {made: int = 0, kinds: 'list<string> = []'}
budgets: {rounds: 6}
start: call
nodes:
  call:
    kind: tool
    tool: note
    args: {}
    do: spend rounds
    RETRY
    next:
      - {to: call, do: made += 1}
      - {to: call, on: error, do: 'kinds += error.kind'}
      - {to: end, on: exhausted(rounds)}
  end: {kind: final}
output: {made: made, kinds: kinds}
";

fn limits(tool: CallLimit) -> CallLimits {
    CallLimits { tools: vec![("note".into(), tool)], models: Vec::new() }
}

fn calls(calls: u64) -> CallLimit {
    CallLimit { calls: Some(calls), ..CallLimit::default() }
}

fn per_minute(count: usize) -> CallLimit {
    CallLimit { per_minute: Some(count), ..CallLimit::default() }
}

/// A driver with a tool that counts its calls.
fn driver(graph: &str, limits: CallLimits) -> (Driver, Arc<Memory>, Arc<AtomicUsize>) {
    let (store, count) = (Arc::new(Memory::new()), Arc::new(AtomicUsize::new(0)));
    let own = count.clone();
    let info = ToolInfo::new("note", Value::from_json(&serde_json::json!({"type": "object"})));
    let tools = Tools::new().closure_with(info.delivery(Delivery::Idempotent), move |_| {
        own.fetch_add(1, Ordering::SeqCst);
        async {
            sleep(Duration::from_secs(1)).await;
            Ok(Value::Null)
        }
    });
    let driver = Driver::new(compiled(&[("graph.yaml", graph)])).tools(Arc::new(tools)).store(store.clone());
    (driver.rebuilding(true).ledger(Arc::new(LimitLedger::new(limits))), store, count)
}

async fn ended(driver: &Driver, run: &str) -> Done {
    let mut run = driver.start(Start { run: run.into(), ..Start::default() }).await.expect("the run begins");
    match run.drive().await.expect("the run goes on") {
        Finished::Done(done) => done,
        other => panic!("{other:?}"),
    }
}

fn shown(done: &Done) -> String {
    done.output.to_json().to_string()
}

#[tokio::test(start_paused = true)]
async fn a_tool_past_its_calls_is_denied() {
    let (driver, store, count) = driver(&LOOP.replace("RETRY", ""), limits(calls(2)));
    let done = ended(&driver, "a").await;
    assert_eq!(shown(&done), r#"{"made":2,"kinds":["denied","denied","denied","denied"]}"#);
    assert_eq!(count.load(Ordering::SeqCst), 2);
    // Another run has its own.
    assert_eq!(shown(&ended(&driver, "b").await), shown(&done));
    let events = store.events("a").await.expect("the journal can be read");
    let refused = events.iter().find_map(|event| match &event.kind {
        EventKind::Resolved { outcome, .. } => match &**outcome {
            Outcome::Failed { message, .. } => Some(message.to_string()),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(
        refused.as_deref(),
        Some("the tool `note` is past its limit: calls = 2 in a run (see [limits])")
    );
}

#[tokio::test(start_paused = true)]
async fn a_tool_past_its_pace_is_rate_limited_and_a_retry_waits_for_it() {
    let (driver, _, _) = self::driver(&LOOP.replace("RETRY", ""), limits(per_minute(2)));
    let kinds = r#"["rate_limited","rate_limited","rate_limited","rate_limited"]"#;
    assert_eq!(shown(&ended(&driver, "a").await), format!(r#"{{"made":2,"kinds":{kinds}}}"#));
    // A refused call does not count, so the wait that the refusal asks for is enough.
    let retry = "retry: {attempts: 2, on: [rate_limited]}";
    let (driver, store, count) = self::driver(&LOOP.replace("RETRY", retry), limits(per_minute(2)));
    assert_eq!(shown(&ended(&driver, "b").await), r#"{"made":6,"kinds":[]}"#);
    assert_eq!(count.load(Ordering::SeqCst), 6);
    let events = store.events("b").await.expect("the journal can be read");
    let took = events.last().expect("an end").at - events[0].at;
    assert_eq!(took / 60_000_000_000, 2, "two minutes were waited for");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_taken_up_again_is_held_against_what_it_made_before() {
    let (driver, _, count) = self::driver(&LOOP.replace("RETRY", ""), limits(calls(3)));
    let mut run = driver.start(Start { run: "a".into(), ..Start::default() }).await.expect("the run begins");
    tokio::select! {
        finished = run.drive() => panic!("{finished:?}"),
        () = sleep(Duration::from_millis(1500)) => {}
    }
    drop(run);
    assert_eq!(count.load(Ordering::SeqCst), 2, "one was made, one is under way");
    // As another process has it: nothing is known but the journal.
    let driver = driver.ledger(Arc::new(LimitLedger::new(limits(calls(3)))));
    let mut run = driver.reopen("a").await.expect("the run is taken up");
    let finished = run.drive().await.expect("the run goes on");
    let Finished::Done(done) = finished else { panic!("{finished:?}") };
    // The call that was under way is made again, and is still one call.
    assert_eq!(shown(&done), r#"{"made":3,"kinds":["denied","denied","denied"]}"#);
    assert_eq!(count.load(Ordering::SeqCst), 4);
}

#[tokio::test(start_paused = true)]
async fn branches_side_by_side_are_counted_one_by_one() {
    let graph = "
graph: beside
state: {a: string = '', b: string = '', c: string = ''}
start: all
nodes:
  all:
    kind: parallel
    branches:
      one: {graph: one.yaml}
      two: {graph: one.yaml}
      three: {graph: one.yaml}
    next: [{to: end}, {to: end, on: error}]
  end: {kind: final}
";
    let one = "
graph: one
state: {kind: string = 'made'}
start: call
nodes:
  call: {kind: tool, tool: note, args: {}, next: [{to: end}, {to: end, on: error, do: kind = error.kind}]}
  end: {kind: final}
output: {kind: kind}
";
    let (_, store, count) = self::driver(&LOOP.replace("RETRY", ""), CallLimits::default());
    let own = count.clone();
    let tools = Tools::new().closure("note", &serde_json::json!({"type": "object"}), move |_| {
        own.fetch_add(1, Ordering::SeqCst);
        async { Ok(Value::Null) }
    });
    let program = compiled(&[("graph.yaml", graph), ("one.yaml", one)]);
    let driver = Driver::new(program).tools(Arc::new(tools)).store(store.clone());
    let driver = driver.ledger(Arc::new(LimitLedger::new(limits(calls(2)))));
    ended(&driver, "a").await;
    assert_eq!(count.load(Ordering::SeqCst), 2, "two of three");
}

/// Asks a role three times.
const ASKS: &str = "
graph: asks
state: {words: 'list<string> = []', word: string?}
budgets: {rounds: 3}
start: ask
nodes:
  ask:
    kind: model
    role: decider
    prompt: '''What now?'''
    output: string
    into: word
    do: spend rounds
    next:
      - {to: ask, do: 'words += word ?? \"\"'}
      - {to: ask, on: error, do: 'words += error.kind'}
      - {to: end, on: exhausted(rounds)}
  end: {kind: final}
output: {words: words}
";

async fn asked(limit: CallLimit, config: &str, wire: &Arc<Wire>) -> (String, String) {
    let limits = CallLimits { tools: Vec::new(), models: vec![("fast".into(), limit)] };
    let ledger = Arc::new(LimitLedger::new(limits));
    let live = live(config, wire, &Arc::default(), &Paces::default()).ledger(ledger.clone());
    let store = Arc::new(Memory::new());
    let driver = Driver::new(compiled(&[("graph.yaml", ASKS)])).model(Arc::new(live)).ledger(ledger);
    let driver = driver.store(store.clone()).rebuilding(true).clock(Arc::new(SystemClock::new()));
    let done = ended(&driver, "a").await;
    (shown(&done), attempts(&store, "a").await)
}

#[tokio::test(start_paused = true)]
async fn a_model_past_its_limit_is_refused_and_a_list_goes_on() {
    let list = "[models.decider]\nuse = [\"fast\", \"strong\"]\n";
    let config = format!("{list}{}{}", entry("fast", 1, "attempts = 2"), entry("strong", 10, ""));
    let alone = format!("[models.decider]\nuse = [\"fast\"]\n{}", entry("fast", 1, ""));
    let says = |word: &'static str| [Says(word)];
    let plans = [("fast", &says("a")[..]), ("strong", &says("b")[..])];
    let (words, made) = asked(calls(2), &config, &Wire::new(&plans)).await;
    assert_eq!(
        (words.as_str(), made.as_str()),
        (r#"{"words":["a","a","b"]}"#, "fast | fast | fast:denied strong")
    );
    let (words, made) = asked(calls(2), &alone, &Wire::new(&plans)).await;
    assert_eq!(
        (words.as_str(), made.as_str()),
        (r#"{"words":["a","a","denied"]}"#, "fast | fast | fast:denied")
    );
    let (words, _) = asked(per_minute(1), &alone, &Wire::new(&plans)).await;
    assert_eq!(words, r#"{"words":["a","rate_limited","rate_limited"]}"#);
    // An answer costs $0.0012: two may be begun before $0.002 are spent.
    let cost = CallLimit { cost: Some(2_000_000), ..CallLimit::default() };
    let (words, _) = asked(cost, &config, &Wire::new(&plans)).await;
    assert_eq!(words, r#"{"words":["a","a","b"]}"#);
    // Each attempt counts, whatever comes of it: the second of the second call is refused.
    let plans = [("fast", &[Down][..]), ("strong", &says("b")[..])];
    let (words, made) = asked(calls(3), &config, &Wire::new(&plans)).await;
    let down = "fast:unavailable";
    let expected = format!("{down} {down} strong | {down} fast:denied strong | fast:denied strong");
    assert_eq!((words.as_str(), made), (r#"{"words":["b","b","b"]}"#, expected));
}

#[test]
fn the_command_line_holds_limits_without_any_consent() {
    let desk = crate::cli::Desk::new();
    desk.write("loopwright.toml", "[limits.tools.calculator]\ncalls = 1\n");
    desk.write(
        "twice.yaml",
        "graph: twice\nstate: {a: any, b: any}\nstart: one\nnodes:\n  one: {kind: tool, tool: calculator, args: {expression: \"'1 + 1'\"}, into: a, next: [{to: two}]}\n  \
         two: {kind: tool, tool: calculator, args: {expression: \"'2 + 2'\"}, into: b, next: [{to: end}]}\n  end: {kind: final}\noutput: {a: a, b: b}\n",
    );
    insta::assert_snapshot!(desk.run("run twice.yaml").transcript());
}

/// A ledger that notes how often it began anew.
struct Noted {
    ledger: LimitLedger,
    loaded: AtomicUsize,
}

impl Noted {
    fn new(limits: CallLimits) -> Arc<Self> {
        Arc::new(Self { ledger: LimitLedger::new(limits), loaded: AtomicUsize::new(0) })
    }
}

impl CallLedger for Noted {
    fn load(&self, run: &Str, events: &[Event]) {
        self.loaded.fetch_add(1, Ordering::SeqCst);
        self.ledger.load(run, events);
    }

    fn next_event(&self, run: &Str) -> u64 {
        self.ledger.next_event(run)
    }

    fn catch_up(&self, run: &Str, events: &[Event]) {
        self.ledger.catch_up(run, events);
    }

    fn leave(&self, run: &Str) {
        self.ledger.leave(run);
    }

    fn observe(&self, run: &Str, event: &Event) {
        self.ledger.observe(run, event);
    }

    fn refuse_tool(&self, run: &Str, call: &Call, now: Time) -> Option<Outcome> {
        self.ledger.refuse_tool(run, call, now)
    }

    fn admit_model(&self, run: &Str, call: &CallId, entry: &Str, now: Time) -> Result<(), LimitRefusal> {
        self.ledger.admit_model(run, call, entry, now)
    }

    fn settle_model(&self, run: &Str, call: &CallId, cost: u64) {
        self.ledger.settle_model(run, call, cost);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_counted_is_not_counted_anew_whoever_drove_the_run_meanwhile() {
    let graph = LOOP
        .replace("RETRY", "")
        .replace("{to: call, do: made", "{to: ask, do: made")
        .replace("{to: call, on: error", "{to: ask, on: error")
        .replace("  end:", "  ask: {kind: human, ask: '''On?''', options: [on], next: call}\n  end:");
    let (driver, _, count) = self::driver(&graph, CallLimits::default());
    let ledgers = [Noted::new(limits(calls(4))), Noted::new(limits(calls(4)))];
    let drivers = ledgers.clone().map(|ledger| driver.clone().ledger(ledger));
    let mut run =
        drivers[0].start(Start { run: "a".into(), ..Start::default() }).await.expect("the run begins");
    let mut finished = run.drive().await.expect("the run goes on");
    // Two workers have it in turn.
    let mut turns = (0..2).cycle();
    while let Finished::Waiting { asks, .. } = &finished {
        let place = turns.next().expect("it never ends");
        run = drivers[place].reopen("a").await.expect("the run is taken up");
        run.answer(&asks[0].id, Value::from("on")).expect("the answer fits");
        finished = run.drive().await.expect("the run goes on");
    }
    let Finished::Done(done) = finished else { panic!("{finished:?}") };
    assert_eq!(shown(&done), r#"{"made":4,"kinds":["denied","denied"]}"#);
    assert_eq!(count.load(Ordering::SeqCst), 4);
    let loaded = ledgers.map(|ledger| ledger.loaded.load(Ordering::SeqCst));
    assert_eq!(loaded, [1, 1]);
}
