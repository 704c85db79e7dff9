//! Tools that are called on behalf of others: probes, which tell whether a call took place, and tools that undo.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{pending, ready};
use loopwright::config::Config;
use loopwright::drive::{DriveError, Finished, Run, open};
use loopwright::machine::{Call, CallId, Event, EventKind, Outcome, Request, Start};
use loopwright::model::Files;
use loopwright::port::{BoxFuture, ProbeResult, Store, ToolHost, ToolInfo, undo_id};
use loopwright::program::Program;
use loopwright::program::graph::Delivery;
use loopwright::source::{FileId, Sources};
use loopwright::store::Memory;
use loopwright::tool::{CommandContext, CommandTool, Tool, Tools};
use loopwright::value::{Map, Value, json};

use crate::rebuilt;

const PAYS: &str = r"
graph: pays
state: {receipt: string?, why: string?}
start: pay
nodes:
  pay:
    kind: tool
    tool: pay
    args: {to: '''bob''', amount: '5'}
    into: receipt
    next:
      - {to: end}
      - {to: late, on: timeout, do: why = error.message}
      - {to: lost, on: unknown, do: why = error.message}
  end: {kind: final}
  late: {kind: final, ok: 'false'}
  lost: {kind: final, ok: 'false'}
output: {receipt: receipt, why: why}
";

fn graph(text: &str) -> Arc<Program> {
    let mut sources = Sources::new();
    let mut loader = Files::new().with("graph.yaml", text);
    open(&mut sources, &mut loader, "graph.yaml")
        .unwrap_or_else(|found| panic!("{}", loopwright::diag::text::render(&found, &sources, false)))
}

fn value(text: &str) -> Value {
    json::parse_strict(text, json::JsonLimits::default()).expect("JSON")
}

/// Every call that reached a tool: its name, its key, its arguments.
type Log = Arc<Mutex<Vec<String>>>;

fn lines(log: &Log) -> Vec<String> {
    log.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A tool that answers in turn what it is told; after the last answer never again.
struct InTurn {
    info: ToolInfo,
    log: Log,
    answers: Vec<Outcome>,
    next: AtomicUsize,
}

impl InTurn {
    fn new(info: ToolInfo, log: &Log, answers: impl IntoIterator<Item = Outcome>) -> Self {
        let answers = answers.into_iter().collect();
        Self { info, log: log.clone(), answers, next: AtomicUsize::new(0) }
    }
}

impl Tool for InTurn {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn call(&self, id: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
        let line = format!("{} {} {}", self.info.name, id.0, json::canonical(&Value::Map(args)));
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        match self.answers.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            Some(outcome) => ready(outcome.clone()).boxed(),
            None => pending().boxed(),
        }
    }
}

fn told(text: &str) -> Outcome {
    Outcome::answer(value(text))
}

fn gone() -> Outcome {
    Outcome::Unknown { message: "the line went dead".into() }
}

/// `pay`, which answers what is given in turn, and its probe `paid`, which does too.
fn tools(
    log: &Log,
    pays: impl IntoIterator<Item = Outcome>,
    probes: impl IntoIterator<Item = Outcome>,
) -> Tools {
    let pay = value(r#"{"type": "object", "properties": {"to": {}, "amount": {}}, "required": ["to"]}"#);
    let paid =
        value(r#"{"type": "object", "properties": {"to": {}, "key": {}}, "additionalProperties": false}"#);
    Tools::new().with(InTurn::new(ToolInfo::new("pay", pay).probe("paid"), log, pays)).with(InTurn::new(
        ToolInfo::new("paid", paid).delivery(Delivery::Pure),
        log,
        probes,
    ))
}

async fn end(run: &mut Run) -> String {
    match run.drive().await.expect("the run goes on") {
        Finished::Done(done) => format!("{} {}", done.outcome, json::canonical(&done.output)),
        other => panic!("the run did not end: {other:?}"),
    }
}

const PAY: &str = r#"pay run:pay#1.1 {"amount":5,"to":"bob"}"#;
const PAID: &str = r#"paid run:pay#1.1 {"key":"run:pay#1.1","to":"bob"}"#;

/// How a run ends that was dropped while its call was under way and then goes on, and which calls reached their tools.
async fn interrupted(graph_text: &str, tools: Tools, log: &Log) -> (String, Vec<String>, Vec<Event>) {
    let store = Arc::new(Memory::new());
    let driver = rebuilt::driver(graph(graph_text)).tools(Arc::new(tools)).store(store.clone());
    let mut run =
        driver.start(Start { run: "run".into(), ..Start::default() }).await.expect("the run begins");
    assert!(tokio::time::timeout(Duration::from_secs(5), run.drive()).await.is_err(), "the call hangs");
    drop(run);
    let mut run = driver.reopen("run").await.expect("the run is taken up");
    let end = end(&mut run).await;
    (end, lines(log), store.events("run").await.expect("the events"))
}

/// A tool that never answers the first time.
fn hangs_once(log: &Log, then: Outcome, probes: impl IntoIterator<Item = Outcome>) -> Tools {
    struct HangsOnce(InTurn);
    impl Tool for HangsOnce {
        fn info(&self) -> &ToolInfo {
            &self.0.info
        }
        fn call(&self, id: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
            let answer = self.0.call(id, args);
            if self.0.next.load(Ordering::Relaxed) == 1 { pending().boxed() } else { answer }
        }
    }
    let pay = value(r#"{"type": "object"}"#);
    let pay = InTurn::new(ToolInfo::new("pay", pay).probe("paid"), log, [then.clone(), then]);
    tools(log, [], probes).with(HangsOnce(pay))
}

#[tokio::test(start_paused = true)]
async fn a_probe_knows_the_result_of_an_interrupted_call() {
    let log = Log::default();
    let yes = told(r#"{"happened": true, "result": "no. 7"}"#);
    let (end, log, events) = interrupted(PAYS, tools(&log, [], [yes]), &log).await;
    assert_eq!(end, r#"end {"receipt":"no. 7","why":null}"#);
    assert_eq!(log, [PAY, PAID]);
    // Of the asking nothing is kept but what came of it.
    let called = events.iter().filter(|event| matches!(event.kind, EventKind::Called(_))).count();
    let resolved = events.iter().filter(|event| matches!(event.kind, EventKind::Resolved { .. })).count();
    assert_eq!((called, resolved), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn what_did_not_happen_is_made_with_the_same_key() {
    let log = Log::default();
    let tools = hangs_once(&log, told(r#""no. 8""#), [told(r#"{"happened": false}"#)]);
    let (end, log, _) = interrupted(PAYS, tools, &log).await;
    assert_eq!(end, r#"end {"receipt":"no. 8","why":null}"#);
    assert_eq!(log, [PAY, PAID, PAY]);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_cannot_tell_leaves_the_call_unknown() {
    let strict = "the probe did not answer with {happened: true, result: …} or {happened: false}";
    for (answer, why) in [
        (told("true"), strict),
        (told(r#"{"happened": "yes"}"#), strict),
        (told(r#"{"happened": true, "reslt": 1}"#), strict),
        (told(r#"{"happened": false, "result": 1}"#), strict),
        (told("{}"), strict),
        (Outcome::failed("unavailable", "closed"), "the probe failed (unavailable): closed"),
        (gone(), "the probe did not come back: the line went dead"),
    ] {
        let log = Log::default();
        let (end, log, _) = interrupted(PAYS, tools(&log, [], [answer]), &log).await;
        let message = format!("the run was interrupted while this call was under way; {why}");
        assert_eq!(end, format!(r#"lost {{"receipt":null,"why":{}}}"#, Value::from(message).to_json()));
        assert_eq!(log, [PAY, PAID]);
    }
}

/// A probe that never answers is given up.
#[tokio::test(start_paused = true)]
async fn a_probe_has_its_time() {
    let log = Log::default();
    let (end, log, _) = interrupted(PAYS, tools(&log, [], []), &log).await;
    assert!(end.starts_with("lost ") && end.contains("longer than 10m"), "{end}");
    assert_eq!(log, [PAY, PAID]);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_panics_cannot_tell() {
    let log = Log::default();
    let schema = value(r#"{"type": "object"}"#);
    let info = ToolInfo::new("paid", schema).delivery(Delivery::Pure);
    let tools = tools(&log, [], []).closure_with(info, |_| async { panic!("for the test") });
    let (end, _, _) = interrupted(PAYS, tools, &log).await;
    assert!(end.starts_with("lost ") && end.contains("the probe panicked"), "{end}");
}

/// What is called at most once, or only with an approval, is never a probe.
#[tokio::test(start_paused = true)]
async fn not_every_tool_is_a_probe() {
    let info = || ToolInfo::new("paid", value(r#"{"type": "object"}"#));
    for (info, why) in [
        (info(), "the probe `paid` may be called at most once"),
        (info().delivery(Delivery::Pure).approval(), "the probe `paid` wants an approval for each call"),
    ] {
        let log = Log::default();
        let tools = tools(&log, [], []).with(InTurn::new(info, &log, []));
        let (end, log, _) = interrupted(PAYS, tools, &log).await;
        assert!(end.starts_with("lost ") && end.contains(why), "{end}");
        assert_eq!(log, [PAY]);
    }
}

/// Whose time ran out while nobody was there may have taken place all the same.
#[tokio::test(start_paused = true)]
async fn a_probe_speaks_before_the_time_is_over() {
    let timed = PAYS.replace("    into: receipt", "    into: receipt\n    timeout: 3s");
    for (probe, wanted) in [
        (r#"{"happened": true, "result": "no. 7"}"#, r#"end {"receipt":"no. 7","why":null}"#),
        (
            r#"{"happened": false}"#,
            r#"late {"receipt":null,"why":"the call did not take place, and its time is over"}"#,
        ),
    ] {
        let log = Log::default();
        let store = Arc::new(Memory::new());
        let driver =
            rebuilt::driver(graph(&timed)).tools(Arc::new(tools(&log, [], [told(probe)]))).store(store);
        let start = Start { run: "run".into(), ..Start::default() };
        let mut run = driver.start(start).await.expect("the run begins");
        assert!(tokio::time::timeout(Duration::from_secs(1), run.drive()).await.is_err(), "the call hangs");
        drop(run);
        tokio::time::sleep(Duration::from_mins(1)).await;
        let mut run = driver.reopen("run").await.expect("the run is taken up");
        assert_eq!(end(&mut run).await, wanted);
        assert_eq!(lines(&log), [PAY, PAID]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_comes_back_unknown_is_asked_after() {
    let yes = || told(r#"{"happened": true, "result": "no. 7"}"#);
    let no = || told(r#"{"happened": false}"#);
    let lost = |why: &str| format!(r#"lost {{"receipt":null,"why":"the line went dead; {why}"}}"#);
    let twice = lost("it was made again, and its probe says that it did not take place");
    for (pays, probes, wanted, calls) in [
        (vec![gone()], vec![yes()], r#"end {"receipt":"no. 7","why":null}"#.to_owned(), 2),
        (vec![gone(), told(r#""no. 8""#)], vec![no()], r#"end {"receipt":"no. 8","why":null}"#.to_owned(), 3),
        (vec![gone(), gone()], vec![no(), yes()], r#"end {"receipt":"no. 7","why":null}"#.to_owned(), 4),
        // It is not made over and over.
        (vec![gone(), gone(), gone()], vec![no(), no(), no()], twice, 4),
    ] {
        let log = Log::default();
        let driver = rebuilt::driver(graph(PAYS)).tools(Arc::new(tools(&log, pays, probes)));
        let start = Start { run: "run".into(), ..Start::default() };
        let mut run = driver.start(start).await.expect("the run begins");
        assert_eq!(end(&mut run).await, wanted);
        assert_eq!(lines(&log).len(), calls, "{:?}", lines(&log));
    }
}

/// Only a call that may not be repeated is asked after.
#[tokio::test(start_paused = true)]
async fn what_may_be_repeated_is_repeated() {
    let log = Log::default();
    let pay = value(r#"{"type": "object"}"#);
    let info = ToolInfo::new("pay", pay).probe("paid").delivery(Delivery::Idempotent);
    let tools = tools(&log, [], []).with(InTurn::new(info, &log, []));
    let driver = rebuilt::driver(graph(PAYS)).tools(Arc::new(tools)).store(Arc::new(Memory::new()));
    let start = Start { run: "run".into(), ..Start::default() };
    let mut run = driver.start(start).await.expect("the run begins");
    for _ in 0..2 {
        assert!(tokio::time::timeout(Duration::from_secs(5), run.drive()).await.is_err(), "the call hangs");
        drop(run);
        run = driver.reopen("run").await.expect("the run is taken up");
    }
    assert_eq!(lines(&log), [PAY, PAY]);
}

/// Commands, all granted, in a folder of their own.
fn commands(config: &str) -> (tempfile::TempDir, Tools) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::read(config, FileId(0)).unwrap_or_else(|faults| panic!("{faults:#?}"));
    let surroundings = CommandContext::of_process(folder.path());
    let add = |tools: Tools, command| tools.with(CommandTool::new(command, surroundings.clone()));
    let tools = config.tools.into_iter().fold(Tools::new(), add);
    (folder, tools)
}

const BOOKING: &str = r#"
[tools.book]
command = ["true"]
args = {room = "string", nights = "int?"}
probe = "booked"
compensate = "cancel"

[tools.booked]
command = ["sh", "-c", "printf '{{\"happened\": true, \"result\": \"%s\"}}' \"$IDEMPOTENCY_KEY $1 $2\"", "x", "{room}", "{key}"]
parse = "json"
delivery = "pure"

[tools.cancel]
command = ["sh", "-c", "echo \"$IDEMPOTENCY_KEY\"; cat"]
args = {room = "string", key = "string?", result = {type = "object"}}
stdin = "args"
parse = "text"
"#;

fn call(tool: &str, args: &str) -> Call {
    let Value::Map(args) = value(args) else { panic!("a map") };
    Call {
        id: CallId("run:node#1.1".into()),
        node: "node".into(),
        lane: "".into(),
        attempt: 1,
        timeout: None,
        deadline: None,
        request: Request::Tool { tool: tool.into(), args, delivery: Delivery::AtMostOnce },
    }
}

fn with_view<T>(work: impl FnOnce(loopwright::port::RunView<'_>) -> T) -> T {
    let program = graph(PAYS);
    let snapshot = loopwright::machine::Snapshot::new();
    let claim =
        loopwright::port::Claim::endless(std::sync::Arc::new(loopwright::drive::SystemClock::default()));
    work(loopwright::port::RunView { program: &program, snapshot: &snapshot, claim: &claim })
}

#[tokio::test]
async fn commands_can_be_probes() {
    let (_folder, tools) = commands(BOOKING);
    let booking = call("book", r#"{"room": "blue", "nights": 2}"#);
    let ungranted = with_view(|view| tools.probe(&booking, view)).expect("it has a probe").await;
    assert_eq!(
        ungranted,
        ProbeResult::Unknown("the probe failed (denied): the tool `booked` was not granted".into())
    );
    let tools = tools.grant_all();
    let probed = with_view(|view| tools.probe(&booking, view)).expect("it has a probe").await;
    assert_eq!(probed, ProbeResult::Happened("run:node#1.1 blue run:node#1.1".into()));
    assert!(with_view(|view| tools.probe(&call("booked", "{}"), view)).is_none());
    assert_eq!(tools.companions("book"), ["booked", "cancel"]);
    assert!(tools.companions("cancel").is_empty() && tools.companions("nothing").is_empty());
}

#[tokio::test]
async fn commands_can_undo() {
    let (_folder, tools) = commands(BOOKING);
    let tools = tools.grant_all();
    let booking = call("book", r#"{"room": "blue", "nights": 2}"#);
    assert_eq!(tools.compensation("book").map(|info| info.name), Some("cancel".into()));
    assert!(tools.compensation("cancel").is_none());
    assert_eq!(undo_id(&booking.id).0, "run:node#1.1~undo");
    let undone = tools.compensate(&booking, &value(r#"{"no": 7}"#)).expect("somebody undoes it").await;
    let said = "run:node#1.1~undo\n{\"room\":\"blue\",\"key\":\"run:node#1.1\",\"result\":{\"no\":7}}";
    assert_eq!(undone, Outcome::answer(said));
    assert!(tools.compensate(&call("cancel", "{}"), &Value::Null).is_none());
    // Where it does not fit, it says so.
    let wrong = tools.compensate(&booking, &Value::from("7")).expect("somebody undoes it").await;
    assert!(matches!(wrong, Outcome::Failed { ref kind, .. } if kind == "invalid_args"), "{wrong:?}");
}

/// Whoever may call a tool needs the grants of those that are called on its behalf.
#[tokio::test]
async fn companions_need_grants() {
    let (_folder, tools) = commands(
        "tools.pay = {command = [\"true\"], args = {to = \"string\", amount = \"int\"}, probe = \"paid\", compensate = \"refund\"}\n\
         tools.paid = {command = [\"true\"], parse = \"json\", delivery = \"pure\"}\n\
         tools.refund.command = [\"true\"]\n\
         tools.other.command = [\"true\"]\n",
    );
    let driver = rebuilt::driver(graph(PAYS)).tools(Arc::new(tools.grant("pay")));
    match driver.start(Start::default()).await {
        Err(DriveError::Grants(missing)) => assert_eq!(missing, ["paid", "refund"]),
        other => panic!("it begins: {:?}", other.err()),
    }
}
