//! Pauses: a person is asked before a node is left, and says to go on, to end, or to go back.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::ready;
use loopwright::drive::{Finished, rebuild};
use loopwright::machine::{
    Call, EventKind, Input, InputKind, Outcome, Output, Question, QuestionReason, Snapshot, Start, Usage,
    roll_back, step, step_to,
};
use loopwright::model::Files;
use loopwright::port::{BoxFuture, Human, HumanReply, ModelClient, RunView, Store};
use loopwright::scenario::Suite;
use loopwright::source::Sources;
use loopwright::store::Memory;
use loopwright::value::{Map, Value, json};

use crate::played::compiled;
use crate::rebuilt;

/// Counts and asks in a ring; a person is asked in each round, and it is written down if the run was sent back.
const RING: &str = "
graph: ring
state: {said: 'list<string> = []', back: 'map<int>?'}
budgets:
  rounds: 6
  tokens: {limit: 1, gate: advisory, charge: model.tokens}
pause: {when: in_state(think), ask: \"'go on?'\"}
start: think
nodes:
  think:
    kind: model
    role: thinker
    prompt: \"'what now?'\"
    do: spend rounds
    then: said += result
    next:
      - {to: aborted, on: error(cancelled)}
      - {to: end, when: size(said) >= 3}
      - {to: note}
  note:
    do: back = rolled_back()
    next: [{to: think}]
  aborted: {kind: final, ok: 'false'}
  end: {kind: final}
output: {said: said, back: back, rounds: used(rounds), tokens: used(tokens)}
";

/// Says `a`, `b`, `c` and so on, for ten tokens each.
#[derive(Default)]
struct Alphabet(Mutex<u8>);

impl ModelClient for Alphabet {
    fn ask(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *said += 1;
        let letter = char::from(b'a' + *said - 1).to_string();
        let usage = Usage { input_tokens: 10, ..Usage::default() };
        ready(Outcome::Answer { value: letter.into(), usage, attempts: Vec::new() }).boxed()
    }
}

/// Answers in turn, then is gone.
struct InTurn(Mutex<VecDeque<Value>>);

impl Human for InTurn {
    fn ask(&self, ask: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        assert_eq!(ask.reason, QuestionReason::Pause);
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        ready(next.map_or(HumanReply::Unattended, HumanReply::Answer)).boxed()
    }
}

fn back_to(step: i64) -> Value {
    Value::Map(Map::from_iter([("rollback", Value::Int(step))]))
}

/// What a run of the ring comes to with these answers: its end, or the node it waits at; and the number of questions.
async fn ring(answers: impl IntoIterator<Item = Value>) -> (String, usize) {
    let store = Arc::new(Memory::new());
    let driver = rebuilt::driver(compiled(&[("ring.yaml", RING)]))
        .model(Arc::new(Alphabet::default()))
        .human(Arc::new(InTurn(Mutex::new(answers.into_iter().collect()))))
        .store(store.clone());
    let mut run = driver.start(Start { run: "ring".into(), ..Start::default() }).await.expect("it begins");
    let end = match run.drive().await.expect("the run goes on") {
        Finished::Done(done) => format!("{} {}", done.outcome, json::canonical(&done.output)),
        Finished::Waiting { asks, .. } => {
            let state = &run.snapshot().root().expect("the root is there").frame.slots;
            format!("waits at {} {}", asks[0].node, json::canonical(&state.iter().cloned().collect()))
        }
        other => panic!("nobody stops it: {other:?}"),
    };
    let events = store.events("ring").await.expect("the events");
    let asked = events.iter().filter(|event| matches!(event.kind, EventKind::Asked(_))).count();
    (end, asked)
}

#[tokio::test]
async fn a_person_says_to_go_on() {
    let (end, asked) = ring(["resume", "resume", "resume"].map(Value::from)).await;
    assert_eq!(end, r#"end {"back":null,"rounds":3,"said":["a","b","c"],"tokens":30}"#);
    assert_eq!(asked, 3, "one question for each step at which the condition holds");
}

#[tokio::test]
async fn a_person_ends_the_run() {
    let (end, _) = ring(["resume", "abort"].map(Value::from)).await;
    assert_eq!(end, r#"aborted {"back":null,"rounds":2,"said":["a","b"],"tokens":20}"#);
}

/// Rounds are given back, tokens are not; the graph sees from where to where it went.
#[tokio::test]
async fn a_person_sends_the_run_back() {
    let answers = ["resume".into(), "resume".into(), back_to(2), "resume".into(), "resume".into()];
    let (end, asked) = ring(answers).await;
    // Back before the second letter: the model is asked again.
    assert_eq!(end, r#"end {"back":{"from":4,"to":2},"rounds":3,"said":["a","d","e"],"tokens":50}"#);
    assert_eq!(asked, 5);
}

#[tokio::test]
async fn an_answer_that_leads_nowhere_leaves_the_run_as_it_is() {
    for answer in [back_to(3), back_to(-1), "perhaps".into(), Value::Int(2), back_to(i64::MAX)] {
        let (end, _) = ring(["resume".into(), answer]).await;
        assert_eq!(end, r#"waits at think [["a","b"],null]"#);
    }
    let (end, _) = ring(["resume".into(), back_to(-1), "abort".into()]).await;
    assert!(end.starts_with("aborted"), "{end}");
}

#[tokio::test]
async fn a_run_sent_back_goes_on_from_what_was_kept() {
    let store = Arc::new(Memory::new());
    let driver = rebuilt::driver(compiled(&[("ring.yaml", RING)]))
        .model(Arc::new(Alphabet::default()))
        .human(Arc::new(InTurn(Mutex::new(["resume".into(), back_to(0), "resume".into()].into()))))
        .store(store.clone());
    let mut run = driver.start(Start { run: "ring".into(), ..Start::default() }).await.expect("it begins");
    assert!(matches!(run.drive().await, Ok(Finished::Waiting { .. })));
    let kept = store.load("ring", None).await.expect("it was kept");
    let kept = rebuild(driver.program(), &kept).expect("it goes the same way");
    assert_eq!(kept, *run.snapshot());
    let text = serde_json::to_string(&kept).expect("a snapshot is JSON");
    let read = serde_json::from_str(&text).expect("and comes back");
    let rest = Arc::new(InTurn(Mutex::new(["resume".into(), "resume".into()].into())));
    let driver = rebuilt::driver(compiled(&[("ring.yaml", RING)]))
        .model(Arc::new(Alphabet::default()))
        .human(rest)
        .store(store);
    let mut run = driver.resume(read).await.expect("it is resumed");
    let Ok(Finished::Done(done)) = run.drive().await else { panic!("the run did not end") };
    assert_eq!(
        json::canonical(&done.output),
        r#"{"back":{"from":2,"to":0},"rounds":3,"said":["c","d","a"],"tokens":50}"#
    );
}

/// A scenario goes back to where the driver goes back.
#[test]
fn scenarios_go_back_as_runs_do() {
    let scenario = "
graph: ring.yaml
scenarios:
  - name: back before the second letter
    model: [a, b, c, d, e]
    human: [resume, resume, {rollback: 2}, resume, resume]
    expect:
      # Back before the second `think`, which is entered again.
      path: [think, note, think, note, think, think, note, think, end]
      output: {said: [a, d, e], back: {from: 4, to: 2}, rounds: 3}
  - name: nobody goes back to what has not happened
    model: [a]
    human: [{rollback: 1}]
    expect: {waiting: think, state: {said: [a]}}
";
    let mut files = Files::new().with("ring.yaml", RING).with("ring.scenarios.yaml", scenario);
    let mut sources = Sources::new();
    let loaded = Suite::load(&mut sources, &mut files, "ring.scenarios.yaml");
    let findings = loopwright::diag::text::render(&loaded.findings, &sources, false);
    let suite = loaded.suite.unwrap_or_else(|| panic!("{findings}"));
    for report in rebuilt::play_all(&suite) {
        assert!(report.passed(), "{}", loopwright::scenario::print::text(&report, &sources));
    }
}

const CALLER: &str = "
graph: caller
state: {answer: any = null}
start: ask
nodes:
  ask:
    kind: call
    graph: child.yaml
    into: answer
    next: [{to: end}, {to: given_up, on: error(cancelled)}]
  given_up: {kind: final, ok: 'false'}
  end: {kind: final}
output: {answer: answer}
";

/// The pause of a composite in a called graph.
const CHILD: &str = "
graph: child
state: {said: string = \"''\"}
start: work
nodes:
  work:
    start: think
    pause: {when: \"said == 'b'\", ask: \"'is ' + said + ' right?'\"}
    nodes:
      think:
        kind: model
        role: thinker
        prompt: \"'what?'\"
        into: said
        next: [{to: again}]
      again: {kind: model, role: thinker, prompt: \"'and?'\", into: said, next: [{to: out}]}
      out: {kind: final}
    next: [{to: end}]
  end: {kind: final}
output: {said: said}
";

/// How a run ends whose called graph pauses once.
async fn called(answer: Value) -> String {
    let driver = rebuilt::driver(compiled(&[("caller.yaml", CALLER), ("child.yaml", CHILD)]))
        .model(Arc::new(Alphabet::default()))
        .human(Arc::new(InTurn(Mutex::new([answer, "resume".into(), "resume".into()].into()))))
        .store(Arc::new(Memory::new()));
    let mut run = driver.start(Start::default()).await.expect("it begins");
    let Ok(Finished::Done(done)) = run.drive().await else { panic!("the run did not end") };
    format!("{} {}", done.outcome, json::canonical(&done.output))
}

#[tokio::test]
async fn a_called_graph_pauses_too() {
    assert_eq!(called("resume".into()).await, r#"end {"answer":{"outcome":"end","said":"b"}}"#);
    // Nobody in the child handles it: it is the caller's.
    assert_eq!(called("abort".into()).await, r#"given_up {"answer":null}"#);
    // The whole run goes back: the child begins anew, says `c` and `d`, and nobody is asked.
    assert_eq!(called(back_to(0)).await, r#"end {"answer":{"outcome":"end","said":"d"}}"#);
}

const BESIDE: &str = "
graph: beside
budgets:
  tokens: {limit: 1, gate: advisory, charge: model.tokens}
start: both
nodes:
  both:
    kind: parallel
    branches:
      asks: {graph: asks.yaml}
      slow: {graph: slow.yaml}
    next: [{to: end}]
  end: {kind: final}
";

const ASKS: &str = "
graph: asks
pause: {when: in_state(begin), ask: \"'on?'\"}
start: begin
nodes:
  begin: {next: [{to: end}]}
  end: {kind: final}
";

const SLOW: &str = "
graph: slow
start: think
nodes:
  think: {kind: model, role: thinker, prompt: \"'what?'\", next: [{to: end}]}
  end: {kind: final}
";

/// A call of the way that was left comes back: it is told as late and billed, and changes nothing else.
#[test]
fn what_comes_back_from_a_way_that_was_left_is_late() {
    let program = compiled(&[("beside.yaml", BESIDE), ("asks.yaml", ASKS), ("slow.yaml", SLOW)]);
    let mut now = Snapshot::new();
    let feed = |snapshot: &mut Snapshot, kind| {
        let mut out = Vec::new();
        step(&program, snapshot, Input { at: 0, kind }, &mut out);
        out
    };
    feed(&mut now, InputKind::Started(Box::new(Start { run: "r".into(), ..Start::default() })));
    let call = now.calls().next().expect("the slow lane waits").id.clone();
    let ask = now.asks().next().expect("the other one asks").id.clone();
    let out = feed(&mut now, InputKind::Answered { ask, answer: back_to(0) });
    assert!(matches!(out.last(), Some(Output::Rollback { step: 0 })), "{out:?}");

    let mut then = Snapshot::new();
    let start = InputKind::Started(Box::new(Start { run: "r".into(), ..Start::default() }));
    assert!(step_to(&program, &mut then, Input { at: 0, kind: start }, &mut Vec::new(), None, 0));
    let mut back = roll_back(&program, then, &now, 0);
    feed(&mut back, InputKind::Time);
    let again = back.calls().next().expect("the call is made again").id.clone();
    assert_ne!(again, call);
    let outcome = |value: &str| Outcome::Answer {
        value: value.into(),
        usage: Usage { input_tokens: 10, ..Usage::default() },
        attempts: Vec::new(),
    };
    let lanes = back.lanes.clone();
    let out = feed(&mut back, InputKind::Resolved { call: call.clone(), outcome: outcome("late") });
    let late = |output: &Output| match output {
        Output::Record(event) => matches!(&event.kind, EventKind::Late { call: id, .. } if *id == call),
        _ => false,
    };
    assert_eq!(out.iter().filter(|output| late(output)).count(), 1, "{out:?}");
    assert_eq!(back.root().expect("the root is there").frame.counters[0].used, 10);
    assert_eq!(back.lanes[1..], lanes[1..]);
    // Once more, nobody knows it.
    assert!(feed(&mut back, InputKind::Resolved { call, outcome: outcome("later") }).is_empty());
    feed(&mut back, InputKind::Resolved { call: again, outcome: outcome("in time") });
    assert_eq!(back.calls().count(), 0);
}
