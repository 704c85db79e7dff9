//! A call that may reach its tool at most once is never repeated but where it surely never began.

use std::collections::BTreeSet;
use std::sync::Arc;

use loopwright::compile::compile_as;
use loopwright::drive::{Driver, Finished};
use loopwright::machine::{
    Call, CallProgress, EventKind, Input, InputKind, Outcome, Output, Snapshot, Start, step,
};
use loopwright::model::{Files, load};
use loopwright::port::{BoxFuture, RunView, ToolHost, ToolInfo};
use loopwright::program::{Program, Semantics};
use loopwright::source::Sources;
use loopwright::value::{List, Map, Value};

use crate::cli::{Desk, Ran};

const PAYS: &str = r"
graph: pays
state: {receipt: string?, kind: string?}
start: pay
nodes:
  pay:
    kind: tool
    tool: pay
    into: receipt
    retry: {attempts: 4, on: [transient, recoverable, fatal], first: 0s}
    next:
      - {to: end}
      - {to: unknown, on: unknown, do: kind = error.kind}
      - {to: failed, on: error, do: kind = error.kind}
  end: {kind: final}
  unknown: {kind: final, ok: 'false'}
  failed: {kind: final, ok: 'false'}
output: {kind: kind}
";

fn program(text: &str, semantics: Semantics) -> Program {
    let mut sources = Sources::new();
    let loaded = load(&mut sources, &mut Files::new().with("graph.yaml", text), "graph.yaml");
    assert!(!loaded.has_errors(), "{:?}", loaded.findings);
    compile_as(&loaded.model.expect("a graph without errors has a model"), semantics).expect("it compiles")
}

fn pays(semantics: Semantics) -> Program {
    program(PAYS, semantics)
}

/// How the run ends when a tool of that delivery always answers so: how many calls were made, the outcome, and the kind of
/// error.
fn told(program: &Program, delivery: &str, outcome: &Outcome) -> (usize, String, Value) {
    let tool = [("name", Value::from("pay")), ("delivery", Value::from(delivery))];
    let tools = List::from_iter([Value::Map(Map::from_iter(tool))]);
    let start = Start { run: "r".into(), tools, ..Start::default() };
    let (mut snapshot, mut calls) = (Snapshot::new(), 0);
    let mut next = Some(InputKind::Started(Box::new(start)));
    while let Some(kind) = next.take() {
        let mut out = Vec::new();
        step(program, &mut snapshot, Input { at: 0, kind }, &mut out);
        for output in out {
            if let Output::Call(call) = output {
                calls += 1;
                next = Some(InputKind::Resolved { call: call.id.clone(), outcome: outcome.clone() });
            }
        }
    }
    let done = snapshot.done.expect("the run ends");
    let kind = done.output.as_map().and_then(|output| output.get("kind")).cloned();
    (calls, done.outcome.to_string(), kind.unwrap_or_default())
}

#[test]
fn a_call_that_may_have_begun_is_not_repeated() {
    let program = pays(Semantics::NEWEST);
    for kind in ["tool_failed", "unavailable", "denied"] {
        let failed = Outcome::failed(kind, "as told");
        assert_eq!(told(&program, "at_most_once", &failed), (1, "unknown".to_owned(), kind.into()), "{kind}");
        // Nothing reached the tool: it is repeated, and has failed in the end.
        let never = Outcome::never_began(kind, "as told");
        assert_eq!(told(&program, "at_most_once", &never), (4, "failed".to_owned(), kind.into()), "{kind}");
        for twice in ["pure", "idempotent", "at_least_once"] {
            let expected = (4, "failed".to_owned(), kind.into());
            assert_eq!(told(&program, twice, &failed), expected, "{kind}, {twice}");
        }
    }
    // Nobody wanted this one repeated: it failed, and no more is to be known.
    let other = program_without_retry();
    let failed = Outcome::failed("tool_failed", "as told");
    assert_eq!(told(&other, "at_most_once", &failed), (1, "failed".to_owned(), "tool_failed".into()));
}

fn program_without_retry() -> Program {
    let text: Vec<&str> = PAYS.lines().filter(|line| !line.contains("retry:")).collect();
    program(&text.join("\n"), Semantics::NEWEST)
}

#[test]
fn a_node_may_be_stricter_than_its_tool() {
    let stricter =
        program(&PAYS.replace("tool: pay", "tool: pay\n    delivery: at_most_once"), Semantics::NEWEST);
    let failed = Outcome::failed("tool_failed", "as told");
    assert_eq!(told(&stricter, "pure", &failed).0, 1);
}

#[test]
fn runs_of_the_first_version_repeat_as_they_did() {
    let failed = Outcome::failed("tool_failed", "as told");
    let first = told(&pays(Semantics::FIRST), "at_most_once", &failed);
    assert_eq!(first, (4, "failed".to_owned(), "tool_failed".into()));
}

#[test]
fn a_version_has_its_own_digest_and_the_first_one_goes_without_saying() {
    let listing = |semantics| loopwright::program::listing(&pays(semantics));
    let (first, newest) = (listing(Semantics::FIRST), listing(Semantics::NEWEST));
    assert!(first.starts_with("program 1\ngraph 0 pays\n"), "{first}");
    assert_eq!(newest, first.replacen("program 1\n", "program 1\nsemantics 3\n", 1));
    let digests: BTreeSet<_> = Semantics::all().map(|one| pays(one).digest).collect();
    assert_eq!(digests.len(), Semantics::all().count());
}

/// A tool that is reached, and then somebody else's host says that it was cut off.
struct CutOff;

impl ToolHost for CutOff {
    fn catalogue(&self) -> Vec<ToolInfo> {
        vec![ToolInfo::new("pay", Value::Null)]
    }

    fn call(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let outcome = Outcome::failed("tool_failed", "gone").with_progress(CallProgress::CutOff);
        Box::pin(std::future::ready(outcome))
    }
}

#[tokio::test]
async fn no_host_can_say_that_a_call_failed_that_was_cut_off() {
    let program = Arc::new(pays(Semantics::NEWEST));
    let driver = Driver::new(program).tools(Arc::new(CutOff));
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    let Finished::Done(done) = run.drive().await.expect("the run goes on") else { panic!("it waits") };
    assert_eq!(done.output.to_json().to_string(), r#"{"kind":"unknown"}"#);
}

/// Runs the graph with a command; every call leaves a line in `ledger`.
fn command(delivery: &str, toml: &str) -> (Desk, Ran, usize) {
    let desk = Desk::new();
    desk.write("pays.yaml", PAYS);
    let toml = format!("[tools.pay]\ndescription = \"Pays.\"\ndelivery = \"{delivery}\"\n{toml}\n");
    desk.write("loopwright.toml", &toml);
    let ran = desk.run("run pays.yaml --grant pay --run-id r --db runs.db");
    let ledger = desk.text("ledger");
    (desk, ran, ledger.lines().count())
}

#[test]
fn a_command_of_which_nobody_knows_what_it_did_is_made_once() {
    let does = |then: &str| format!("command = [\"sh\", \"-c\", \"echo paid >> ledger; {then}\"]");
    for (how, toml, kind) in [
        ("it fails", does("exit 1"), "tool_failed"),
        ("it is killed", does("kill -9 $$"), "unknown"),
        ("it is ended", does("kill -15 $$"), "unknown"),
        ("it takes too long", does("sleep 60") + "\ntimeout = \"2s\"", "unknown"),
        ("it prints too much", does("yes") + "\noutput_bytes = 1000\noverflow = \"fail\"", "unknown"),
    ] {
        let (_, ran, calls) = command("at_most_once", &toml);
        assert_eq!(ran.stdout, format!("outcome: unknown (not ok)\nkind: {kind}\n"), "{how}: {}", ran.stderr);
        assert_eq!(calls, 1, "{how}");
    }
    let (_, ran, calls) = command("idempotent", &does("kill -9 $$"));
    assert_eq!(calls, 4, "{}", ran.transcript());
}

#[test]
fn a_command_that_cannot_be_started_is_tried_again() {
    let (desk, ran, _) = command("at_most_once", "command = [\"is-not-there\"]");
    assert_eq!(ran.stdout, "outcome: failed (not ok)\nkind: tool_failed\n", "{}", ran.stderr);
    let log = desk.run("log r --db runs.db --format jsonl").stdout;
    assert_eq!(log.matches("\"called\"").count(), 4, "{log}");
}

/// What [`EventKind::Resolved`] keeps of how far a call came is nothing where nothing is said.
#[test]
fn an_outcome_that_says_nothing_of_it_reads_as_ever() {
    let kept = r#"{"Failed":{"kind":"oops","message":"m","details":null}}"#;
    let outcome: Outcome = serde_json::from_str(kept).expect("it reads");
    assert_eq!(outcome, Outcome::failed("oops", "m"));
    assert_eq!(serde_json::to_string(&outcome).expect("it is JSON"), kept);
    let never = Outcome::never_began("oops", "m");
    let again: Outcome =
        serde_json::from_str(&serde_json::to_string(&never).expect("JSON")).expect("it reads");
    assert_eq!(again, never);
    let event =
        EventKind::Resolved { call: loopwright::machine::CallId("c".into()), outcome: Box::new(outcome) };
    assert!(!serde_json::to_string(&event).expect("JSON").contains("progress"));
}

/// The wait before the second attempt of a call, in nanoseconds.
fn wait(program: &Program, seed: u64) -> i64 {
    let start = Start { run: "r".into(), seed, ..Start::default() };
    let (mut snapshot, mut out) = (Snapshot::new(), Vec::new());
    step(program, &mut snapshot, Input { at: 0, kind: InputKind::Started(Box::new(start)) }, &mut out);
    let call = snapshot.calls().next().expect("the model is asked").id.clone();
    let kind = InputKind::Resolved { call, outcome: Outcome::failed("unavailable", "busy") };
    step(program, &mut snapshot, Input { at: 0, kind }, &mut out);
    snapshot.timer.expect("it waits")
}

#[test]
fn jitter_shortens_a_wait_and_never_lengthens_it() {
    let text = r#"
graph: asks
state: {said: string?}
start: ask
nodes:
  ask:
    kind: model
    role: m
    prompt: "'go'"
    output: string
    into: said
    retry: {attempts: 2, on: [transient], first: 10s, jitter: 0.5}
    next: [{to: end}, {to: end, on: error}]
  end: {kind: final}
"#;
    let program = program(text, Semantics::NEWEST);
    let waits: BTreeSet<i64> = (0..200).map(|seed| wait(&program, seed)).collect();
    let (first, last) = (waits.first().expect("a wait"), waits.last().expect("a wait"));
    assert!(*first >= 5_000_000_000, "{first}");
    assert!(*last <= 10_000_000_000, "{last}");
    // All of the share is used, or nearly.
    assert!(*first < 5_500_000_000 && *last > 9_500_000_000, "{first}..{last}");
}
