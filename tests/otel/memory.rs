//! Spans as the SDK's exporter in memory gets them.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{pending, ready};
use loopwright::compile::compile;
use loopwright::config::Config;
use loopwright::drive::{Driver, Finished, SystemClock, Unattended};
use loopwright::llm::{
    ConnectionError, HttpReply, HttpRequest, Live, ReplyBody, Scripted, Secret, Transport, read_script,
};
use loopwright::machine::{Call, Outcome, Start, Usage};
use loopwright::port::{BoxFuture, ModelClient, RunView};
use loopwright::source::Sources;
use loopwright::store::Memory;
use loopwright::telemetry::Telemetry;
use loopwright::tool::{CommandContext, Tools};
use loopwright::value::Value;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SpanData};
use tracing_subscriber::layer::SubscriberExt;

use super::tree::drawn;
use crate::played::{compiled, model};
use crate::rebuilt;

/// A key that the texts of these tests hold.
const KEY: &str = "sk-key-of-a-test";

fn hide(text: &str) -> Cow<'_, str> {
    if text.contains(KEY) { text.replace(KEY, "***").into() } else { text.into() }
}

/// What is exported of some work.
fn spans(work: impl Future<Output = ()>) -> Vec<SpanData> {
    let exporter = InMemorySpanExporter::default();
    let telemetry = Telemetry::through(exporter.clone(), hide);
    let subscriber = tracing_subscriber::registry().with(telemetry.layer());
    tracing::subscriber::with_default(subscriber, || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(work);
    });
    telemetry.flush();
    let spans = exporter.get_finished_spans().expect("spans are kept");
    telemetry.end(Duration::from_mins(1)).expect("every span arrives");
    spans
}

async fn done(driver: &Driver, run: &str) {
    let mut run = driver.start(Start { run: run.into(), ..Start::default() }).await.expect("the run begins");
    let finished = run.drive().await;
    assert!(matches!(finished, Ok(Finished::Done(_))), "{finished:?}");
}

fn read(path: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(path).expect("a file of the repository can be read")
}

/// The loop of the README with its script and its real tools.
fn larger() -> Driver {
    let graph = model("graphs/react/v2.yaml");
    let mut sources = Sources::new();
    let script = sources.add("v2.script.yaml", read("graphs/react/v2.script.yaml"));
    let script = read_script(&sources, script, &graph).expect("the script can be read");
    let text = read("graphs/react/loopwright.toml");
    let config = sources.add("loopwright.toml", text.clone());
    let config = Config::read(&text, config).expect("the configuration can be read");
    let clock = Arc::new(SystemClock::new());
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs/react");
    let tools = Tools::of_config(&config, &CommandContext::of_process(folder), clock.clone());
    let tools = tools.grant("write_file");
    let world = Arc::new(Scripted::new(script, clock.clone(), Arc::new(tools), Arc::new(Unattended)));
    rebuilt::driver(Arc::new(compile(&graph).expect("the graph compiles")))
        .clock(clock)
        .model(world.clone())
        .tools(world.clone())
        .human(world.clone())
        .observer(world)
}

#[test]
fn a_run_of_the_larger_loop_is_one_tree() {
    insta::assert_snapshot!(drawn(&spans(async { done(&larger(), "one").await })));
}

const LANES: &str = "
graph: lanes
start: all
nodes:
  all:
    kind: parallel
    branches:
      left: {graph: side.yaml}
      right: {graph: side.yaml}
    next: [{to: end}]
  end: {kind: final}
";

const SIDE: &str = "
graph: side
state: {word: string?}
start: say
nodes:
  say: {kind: model, role: speaker, prompt: '''Speak.''', output: string, into: word, next: [{to: said}]}
  said: {kind: final}
";

/// Says something, at once.
struct Says;

impl ModelClient for Says {
    fn ask(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let usage = Usage { input_tokens: 4, output_tokens: 2, ..Usage::default() };
        ready(Outcome::Answer { value: Value::from("\"yes\""), usage, attempts: Vec::new() }).boxed()
    }
}

#[test]
fn lanes_are_below_the_node_that_opens_them() {
    let driver =
        rebuilt::driver(compiled(&[("lanes.yaml", LANES), ("side.yaml", SIDE)])).model(Arc::new(Says));
    insta::assert_snapshot!(drawn(&spans(async { done(&driver, "one").await })));
}

/// Never answers, and notes when it is asked.
struct Silent(Arc<tokio::sync::Notify>);

impl ModelClient for Silent {
    fn ask(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        self.0.notify_one();
        pending().boxed()
    }
}

#[test]
fn a_run_that_is_resumed_has_a_trace_of_its_own_and_the_same_conversation() {
    let program = compiled(&[("side.yaml", SIDE)]);
    let spans = spans(async {
        let store = Arc::new(Memory::new());
        let asked = Arc::new(tokio::sync::Notify::new());
        let driver = Driver::new(program.clone()).store(store.clone());
        let silent = driver.clone().model(Arc::new(Silent(asked.clone())));
        let start = Start { run: "one".into(), ..Start::default() };
        let mut run = silent.start(start).await.expect("the run begins");
        tokio::select! {
            finished = run.drive() => panic!("nobody answered: {finished:?}"),
            () = asked.notified() => {}
        }
        drop(run);
        let mut run = driver.model(Arc::new(Says)).reopen("one").await.expect("the run is kept");
        assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
    });
    let roots: Vec<&SpanData> = spans.iter().filter(|span| span.name.starts_with("invoke_agent")).collect();
    assert_eq!(roots.len(), 2);
    assert_ne!(roots[0].span_context.trace_id(), roots[1].span_context.trace_id());
    for root in roots {
        let named = root.attributes.iter().find(|pair| pair.key.as_str() == "gen_ai.conversation.id");
        assert_eq!(named.map(|pair| pair.value.to_string()).as_deref(), Some("one"));
    }
    insta::assert_snapshot!(drawn(&spans));
}

/// A provider that says what it is told, one reply a request.
struct Provider(Mutex<Vec<(u16, &'static str)>>);

impl Transport for Provider {
    fn post(&self, _: HttpRequest) -> BoxFuture<'static, Result<HttpReply, ConnectionError>> {
        let (status, body) = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(0);
        ready(Ok(HttpReply { status, headers: Vec::new(), body: Box::new(Once(Some(body))) })).boxed()
    }
}

struct Once(Option<&'static str>);

impl ReplyBody for Once {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ConnectionError>> {
        ready(Ok(self.0.take().map(|text| text.as_bytes().to_vec()))).boxed()
    }
}

const TWICE: &str = "
graph: twice
types: {Word: {word: string}}
state: {word: Word?}
start: first
nodes:
  first: {kind: model, role: any, prompt: '''Speak.''', output: Word, into: word, next: [{to: second}, {to: second, on: error}]}
  second: {kind: model, role: any, prompt: '''Speak.''', output: string, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
";

const CONFIG: &str = "
[models.\"*\"]
provider = \"openai\"
base_url = \"http://127.0.0.1:8080/v1\"
model = \"small\"
temperature = 0.5
seed = 7
max_tokens = 200
attempts = 2
";

const REPLY: &str = r#"data: {"model": "small-2", "choices": [{"delta": {"content": "{\"word\": \"yes\"}"}, "finish_reason": "stop"}]}

data: {"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 9}}

data: [DONE]

"#;

/// The beginning of a reply that is tried again.
const CUT: &str = "data: {\"model\": \"small-1\", \"choices\": []}\n\n";

const REFUSAL: &str =
    r#"{"error": {"message": "the key sk-key-of-a-test is wrong", "type": "invalid_request_error"}}"#;

#[test]
fn calls_of_models_tell_what_was_asked_of_whom_and_how_it_ended() {
    let mut sources = Sources::new();
    let file = sources.add("loopwright.toml", CONFIG);
    let config = Config::read(CONFIG, file).expect("the configuration can be read");
    let provider = Provider(Mutex::new(vec![(200, CUT), (200, REPLY), (401, REFUSAL)]));
    let live = Live::new(Arc::new(provider), Arc::new(SystemClock::new()))
        .bind(config.models[0].clone(), Some(Secret::new(KEY)));
    let driver = rebuilt::driver(compiled(&[("twice.yaml", TWICE)])).model(Arc::new(live));
    let drawn = drawn(&spans(async { done(&driver, KEY).await }));
    assert!(!drawn.contains(KEY), "{drawn}");
    insta::assert_snapshot!(drawn);
}

/// Two entries for one role.
const LIST: &str = "
[models.any]
use = [\"small\", \"large\"]
[models.small]
provider = \"openai\"
base_url = \"http://127.0.0.1:8080/v1\"
model = \"small\"
[models.large]
provider = \"anthropic\"
base_url = \"http://127.0.0.1:8081/v1\"
model = \"large\"
";

#[test]
fn a_list_tells_which_entry_answered() {
    let mut sources = Sources::new();
    let file = sources.add("loopwright.toml", LIST);
    let config = Config::read(LIST, file).expect("the configuration can be read");
    let (cut, denied) = ((200, CUT), (401, REFUSAL));
    let provider = Provider(Mutex::new(vec![cut, denied, denied, (200, REPLY), denied]));
    let live = Live::new(Arc::new(provider), Arc::new(SystemClock::new()));
    let live =
        config.models.iter().fold(live, |live, model| live.bind(model.clone(), Some(Secret::new(KEY))));
    let live = live.fallback(config.fallbacks[0].clone());
    let driver = rebuilt::driver(compiled(&[("twice.yaml", TWICE)])).model(Arc::new(live));
    let drawn = drawn(&spans(async { done(&driver, KEY).await }));
    assert!(!drawn.contains(KEY), "{drawn}");
    insta::assert_snapshot!(drawn);
}
