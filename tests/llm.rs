//! Scripted models in real runs, and the cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use futures::future::ready;
use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::diag::text;
use loopwright::drive::{Driver, Finished, SystemClock, Unattended};
use loopwright::llm::{Cached, Scripted, read_script};
use loopwright::machine::{Call, Done, Outcome, Start, Usage};
use loopwright::model::Files;
use loopwright::port::{BoxFuture, ModelClient, RunView, ToolHost};
use loopwright::source::Sources;
use loopwright::tool::{Calculator, Tools};
use loopwright::value::{Value, json};
use tokio::time::Instant;

use crate::rebuilt;

const GRAPH: &str = r"
graph: adds
types:
  Step: {tool: string?, args: map<any>, answer: string?}
state:
  step: Step?
  found: any
budgets: {rounds: 5}
start: think
nodes:
  think:
    kind: model
    role: thinker
    prompt: '''What now?'''
    output: Step
    into: step
    do: spend rounds
    next:
      - {to: act, when: step.tool != null}
      - {to: end}
  act:
    kind: tool
    tool_of: step.tool
    args: step.args
    into: found
    next: [{to: think}, {to: think, on: error}]
  end: {kind: final}
output: {answer: step.answer}
";

/// A driver for a graph with a script in front of real tools.
fn scripted(graph: &str, script: &str, real: Tools) -> Result<Driver, String> {
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut Files::new().with("graph.yaml", graph), "graph.yaml");
    assert!(checked.is_sound(), "{}", text::render(&checked.findings, &sources, false));
    let model = checked.model.expect("a sound graph has a model");
    let file = sources.add("script.yaml", script);
    let script =
        read_script(&sources, file, &model).map_err(|found| text::render(&found, &sources, false))?;
    let clock = Arc::new(SystemClock::new());
    let world = Arc::new(Scripted::new(script, clock.clone(), Arc::new(real), Arc::new(Unattended)));
    let program = Arc::new(compile(&model).expect("the graph compiles"));
    let driver = rebuilt::driver(program).clock(clock).model(Arc::new(Cached::new(world.clone())));
    Ok(driver.tools(world.clone()).human(world.clone()).observer(world))
}

async fn run(graph: &str, script: &str, real: Tools) -> Done {
    let driver = scripted(graph, script, real).unwrap_or_else(|said| panic!("{said}"));
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    match run.drive().await.expect("the run goes on") {
        Finished::Done(done) => done,
        other => panic!("the run did not end: {other:?}"),
    }
}

#[tokio::test]
async fn answers_pass_on_what_real_tools_returned() {
    let script = r#"
model:
  thinker:
    - {tool: calculator, args: {expression: 40 + 2}}
    - {tool: calculator, args: {expression: "{{ found }} * 10"}}
    - {answer: "It is {{ result }} after {{ used(rounds) }} rounds.", args: {}}
"#;
    let done = run(GRAPH, script, Tools::new().with(Calculator::new())).await;
    assert_eq!(json::canonical(&done.output), r#"{"answer":"It is 420 after 3 rounds."}"#);
}

#[tokio::test(start_paused = true)]
async fn a_script_with_tools_stands_in_for_the_real_ones() {
    let script = r#"
model:
  - {tool: calculator, args: {expression: whatever}}
  - {answer: "{{ found.sum }}", args: {}}
tools:
  - {tool: calculator, ok: {sum: seven}, after: 10s}
"#;
    let before = Instant::now();
    let done = run(GRAPH, script, Tools::new()).await;
    assert_eq!(json::canonical(&done.output), r#"{"answer":"seven"}"#);
    assert_eq!(before.elapsed().as_secs(), 10);
}

#[tokio::test]
async fn a_script_that_runs_dry_says_so() {
    let done = run(
        GRAPH,
        "model: [{tool: calculator, args: {expression: '1'}}]",
        Tools::new().with(Calculator::new()),
    )
    .await;
    assert_eq!((done.outcome.as_str(), done.ok), ("denied", false));
    let error = json::canonical(&done.error);
    assert!(error.contains("the script has no answer left"), "{error}");
}

#[test]
fn faults_of_a_script_have_places() {
    let said = scripted(GRAPH, "modle: []", Tools::new()).expect_err("a fault");
    assert!(said.contains("script.yaml:1:1") && said.contains("model"), "{said}");
    let said =
        scripted(GRAPH, "model: [{answer: '{{ fuond }}', args: {}}]", Tools::new()).expect_err("a fault");
    assert!(said.contains("script.yaml:1") && said.contains("found"), "{said}");
}

#[test]
fn a_script_fails_only_with_kinds_there_are() {
    let declared = GRAPH.replacen("start:", "errors: {lost: recoverable}\nstart:", 1);
    let script = |kind: &str| format!("model: [{{error: {{kind: {kind}}}}}]");
    for kind in ["unavailable", "unknown", "lost"] {
        assert!(scripted(&declared, &script(kind), Tools::new()).is_ok(), "{kind}");
    }
    let said = ["unavilable", "5", "lots"].map(|kind| scripted(&declared, &script(kind), Tools::new()).err());
    insta::assert_snapshot!(said.map(|said| said.expect("a fault")).join("\n"));
}

#[tokio::test]
async fn a_script_answers_for_people() {
    let graph = r"
graph: asks
state: {answer: string?}
start: ask
nodes:
  ask: {kind: human, ask: '''Which way?''', options: [left, right], into: answer, next: [{to: end}]}
  end: {kind: final}
output: {answer: answer}
";
    let done = run(graph, "human: [up, left]", Tools::new()).await;
    assert_eq!(json::canonical(&done.output), r#"{"answer":"left"}"#);
    let driver = scripted(graph, "human: [up]", Tools::new()).expect("a good script");
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    assert!(matches!(run.drive().await, Ok(Finished::Waiting { .. })), "a script without answers is nobody");
}

const TWICE: &str = r"
graph: twice
state: {first: int?, second: int?}
budgets: {tokens: {limit: 1000, charge: model.tokens}}
start: one
nodes:
  one: {kind: model, role: any, prompt: '''A number!''', output: int, into: first, cache: CACHE, next: [{to: two}]}
  two:
    kind: model
    role: any
    prompt: '''A number!'''
    output: int
    into: second
    cache: CACHE
    next: [{to: end}, {to: end, on: error}]
  end: {kind: final}
output: {first: first, second: second, tokens: used(tokens)}
";

/// Gives its answers in turn and counts.
struct InTurn(Vec<&'static str>, AtomicUsize);

impl ModelClient for InTurn {
    fn ask(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let n = self.1.fetch_add(1, Ordering::SeqCst);
        let usage = Usage { input_tokens: 10, output_tokens: 1, ..Usage::default() };
        ready(Outcome::Answer { value: Value::from(self.0[n]), usage, attempts: Vec::new() }).boxed()
    }
}

async fn twice(cache: bool, answers: &[&'static str]) -> (String, usize) {
    let graph = TWICE.replace("CACHE", &cache.to_string());
    let mut sources = Sources::new();
    let mut files = Files::new().with("graph.yaml", graph);
    let program = loopwright::drive::open(&mut sources, &mut files, "graph.yaml")
        .unwrap_or_else(|found| panic!("{}", text::render(&found, &sources, false)));
    let model = Arc::new(InTurn(answers.to_vec(), AtomicUsize::new(0)));
    let driver = rebuilt::driver(program).model(Arc::new(Cached::new(model.clone())));
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    let Finished::Done(done) = run.drive().await.expect("the run goes on") else {
        panic!("the run did not end")
    };
    (json::canonical(&done.output), model.1.load(Ordering::SeqCst))
}

#[tokio::test]
async fn the_cache_answers_equal_requests_where_it_may() {
    assert_eq!(twice(true, &["1", "2"]).await, (r#"{"first":1,"second":1,"tokens":11}"#.to_owned(), 1));
    assert_eq!(twice(false, &["1", "2"]).await, (r#"{"first":1,"second":2,"tokens":22}"#.to_owned(), 2));
}

#[tokio::test]
async fn a_script_behind_the_cache_keeps_the_answers_it_was_not_asked_for() {
    let graph = TWICE.replace("CACHE", "true");
    let driver = scripted(&graph, "model: [1]", Tools::new()).expect("a good script");
    assert!(driver.program().graphs[0].nodes.len() >= 3);
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    let Finished::Done(done) = run.drive().await.expect("the run goes on") else {
        panic!("the run did not end")
    };
    assert_eq!(json::canonical(&done.output), r#"{"first":1,"second":1,"tokens":0}"#);
}

#[test]
fn the_tools_of_a_configuration_are_on_offer() {
    let text = r#"
        builtin.read_file = {root = "."}
        tools.hello = {command = ["echo", "hello"], tags = ["greets"]}
    "#;
    let config = loopwright::config::Config::read(text, loopwright::source::FileId(0)).expect("a good file");
    let surroundings = loopwright::tool::CommandContext::of_process(".");
    let tools = Tools::of_config(&config, &surroundings, Arc::new(SystemClock::new()));
    assert_eq!(tools.ungranted(), ["hello"]);
    let tools = tools.grant("hello");
    let names: Vec<_> = tools.catalogue().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["calculator", "clock", "read_file", "hello"]);
    assert!(json::canonical(&tools.catalogue()[3].to_value()).contains(r#""tags":["greets"]"#));
}
