//! One event of every kind as it is reported, as JSON and as a line of text. The fields are a promise to programs that read
//! `--format jsonl`: a change here is a change of the form's version.

use std::fmt::Write as _;

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::machine::{
    Call, CallId, Change, Changes, Done, Emit, Event, EventKind, MidwayStart, Outcome, Question, QuestionId,
    QuestionReason, Request, Spend, Start, Usage, Write, event_json, event_text,
};
use loopwright::model::Files;
use loopwright::program::Program;
use loopwright::program::change::ChangePath;
use loopwright::program::graph::Delivery;
use loopwright::source::Sources;
use loopwright::value::{List, Map, PathSeg, Value};

const GRAPH: &str = "
graph: small
types: {Plan: {steps: list<map<int>>}}
input: {topic: string}
state: {plan: 'Plan = Plan{steps: []}', notes: 'list<string> = []'}
budgets:
  rounds: 3
  stage: {each: \"['a', 'b']\", as: key, meters: {explore: {limit: 2}}}
start: work
nodes:
  work:
    nodes:
      think: {do: spend rounds, next: [{to: done, label: at once}]}
    start: think
  done: {kind: final}
output: {topic: topic}
";

fn program() -> Program {
    let mut files = Files::new().with("small.yaml", GRAPH);
    let checked = check_file(&mut Sources::new(), &mut files, "small.yaml");
    assert!(checked.is_sound(), "{:?}", checked.findings);
    compile(checked.model.as_ref().expect("a sound graph has a model")).expect("it compiles")
}

fn map(entries: &[(&str, Value)]) -> Map {
    entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

fn changes(program: &Program) -> Changes {
    let slot = |name: &str| {
        let slot = program.graphs[0].slots.iter().position(|slot| slot.name == name);
        u32::try_from(slot.expect("the graph has the field")).expect("few")
    };
    let path: Box<[PathSeg]> =
        [PathSeg::Key("steps".into()), PathSeg::Index(0), PathSeg::Key("two words".into())].into();
    let inside = Write { slot: slot("plan"), path: path.into(), append: false, value: 7.into() };
    let appended =
        Write { slot: slot("notes"), path: ChangePath::default(), append: true, value: "a \"note\"".into() };
    let emit = Emit { name: "progress".into(), payload: Value::Map(map(&[("share", 0.5.into())])) };
    Changes::from_iter([
        Change::Write(inside),
        Change::Write(appended),
        Change::Spend(Spend { budget: 0, key: None, amount: 1 }),
        Change::Spend(Spend { budget: 1, key: Some(Box::new("a".into())), amount: 2 }),
        Change::Emit(Box::new(emit)),
        Change::Branch(3),
    ])
}

fn call(request: Request) -> EventKind {
    EventKind::Called(Box::new(Call {
        id: CallId("r/think/1/1".into()),
        node: "think".into(),
        lane: "".into(),
        attempt: 2,
        timeout: Some(1_000_000_000),
        deadline: Some(61_000_000_000),
        request,
    }))
}

fn exchanges() -> Vec<EventKind> {
    let id = || CallId("r/think/1/1".into());
    let usage =
        Usage { input_tokens: 10, cached_tokens: 7, output_tokens: 2, cost: 1_500_000, ..Usage::default() };
    let answer =
        Outcome::Answer { value: Value::Map(map(&[("hits", 3.into())])), usage, attempts: Vec::new() };
    let unknown = Outcome::Unknown { message: "the connection broke".into() };
    let ask = Question {
        id: QuestionId("r/think/1/ask".into()),
        node: "think".into(),
        lane: "work/1".into(),
        reason: QuestionReason::Pause,
        text: "go on?".into(),
        schema: Value::Map(map(&[("type", "boolean".into())])),
        misfit: "".into(),
        deadline: None,
    };
    vec![
        call(Request::Model {
            role: "decider".into(),
            system: Some("be brief".into()),
            prompt: "what next?".into(),
            messages: None,
            offer: None,
            limits: None,
            schema: Value::Null,
            stream: None,
            cache: false,
        }),
        call(Request::Tool {
            tool: "search".into(),
            args: map(&[("q", "x".into())]),
            delivery: Delivery::AtMostOnce,
        }),
        EventKind::Resolved { call: id(), outcome: Box::new(answer) },
        EventKind::Resolved {
            call: id(),
            outcome: Box::new(Outcome::failed("tool_failed", "no such\npage")),
        },
        EventKind::Late { call: id(), outcome: Box::new(unknown) },
        EventKind::Abandoned { call: id() },
        EventKind::Asked(Box::new(ask)),
        EventKind::Answered { ask: QuestionId("r/think/1/ask".into()), answer: Box::new(true.into()) },
    ]
}

fn events(program: &Program) -> Vec<EventKind> {
    let changes = || changes(program);
    let node = |name: &str| {
        let node = program.graphs[0].nodes.iter().position(|node| node.name == name);
        u32::try_from(node.expect("the graph has the node")).expect("few")
    };
    let (work, think) = (node("work"), node("think"));
    let input = map(&[("topic", "tea".into())]);
    let given =
        MidwayStart { at: Some("think".into()), state: Map::new(), budgets: map(&[("rounds", 1.into())]) };
    let start = Start {
        run: "r".into(),
        input: input.clone(),
        seed: 7,
        tools: List::new(),
        given: Some(given),
        ..Start::default()
    };
    let error = Value::Map(map(&[("kind", "tool_failed".into()), ("message", "no such page".into())]));
    let output = Value::Map(input.clone());
    let failed = Done { outcome: "tool_failed".into(), ok: false, output: Value::Null, error: error.clone() };
    let ended = Done { outcome: "done".into(), ok: true, output: output.clone(), error: Value::Null };
    let mut events = vec![
        EventKind::Started { start: Box::new(start), program: "0123".into() },
        EventKind::Opened { parent: 0, graph: 0, lane: 2, input: Box::new(Value::Map(input)) },
        EventKind::Crossed { node: work, changes: Changes::default() },
        EventKind::Entered { node: think, visit: 2, changes: changes() },
    ];
    events.extend(exchanges());
    events.extend([
        EventKind::Retrying { node: think, attempt: 2, until: 90_250_000_000 },
        EventKind::Waiting { node: think, until: 3_600_000_000_000 },
        EventKind::Completed { node: think, changes: changes() },
        EventKind::Failed { node: think, error: Box::new(error), changes: Changes::default() },
        EventKind::Took { edge: 0, changes: changes() },
        EventKind::Charged(Spend { budget: 1, key: Some(Box::new("b".into())), amount: 3 }),
        EventKind::Closed { outcome: "done".into(), ok: true, output: Box::new(output) },
        EventKind::Done(Box::new(failed)),
        EventKind::Done(Box::new(ended)),
        // A journal of another program: nothing has a name.
        EventKind::Took { edge: 99, changes: Changes::default() },
    ]);
    events
}

#[test]
fn every_kind_of_event() {
    let program = program();
    let mut report = String::new();
    for (seq, kind) in (0..).zip(events(&program)) {
        let frame = u32::from(matches!(kind, EventKind::Opened { .. } | EventKind::Closed { .. }));
        let event = Event { seq, at: 60_000_000_000, frame, kind };
        writeln!(report, "{}", event_text(&program, |_| 0, &event)).expect("a String takes all");
        writeln!(report, "{}\n", event_json(&program, |_| 0, &event)).expect("a String takes all");
    }
    insta::assert_snapshot!(report);
}
