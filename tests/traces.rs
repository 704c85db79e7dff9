//! Spans and their fields, as a subscriber sees them.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::ready;
use loopwright::drive::Finished;
use loopwright::machine::{Call, Outcome, Start, Usage};
use loopwright::port::{BoxFuture, ModelClient, RunView};
use loopwright::tool::{Calculator, Tools};
use loopwright::value::{Str, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use crate::played::compiled;
use crate::rebuilt;

/// Writes down spans with their parents and fields, and events.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn say(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
    }
}

#[derive(Default)]
struct Fields(Vec<String>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push(format!("{field}={value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push(format!("{field}={value:?}"));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Notes {
    fn on_new_span(&self, attrs: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attrs.record(&mut fields);
        let span = context.span(id).expect("a new span");
        let parent = span.parent().map_or("-", |parent| parent.name());
        // Time and digest differ from run to run.
        fields.0.retain(|field| !field.starts_with("loopwright.program"));
        self.say(format!("{parent} > {}: {}", span.name(), fields.0.join(" ")));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        let name = context.span(id).map_or("", |span| span.name());
        self.say(format!("{name}: {}", fields.0.join(" ")));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let span = context.event_span(event).map_or("-", |span| span.name());
        self.say(format!("{span} {}: {}", event.metadata().level(), fields.0.join(" ")));
    }
}

struct Says;

impl ModelClient for Says {
    fn ask(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let usage = Usage {
            input_tokens: 12,
            cached_tokens: 8,
            cache_write_tokens: 2,
            output_tokens: 3,
            reasoning_tokens: 1,
            cost: 0,
        };
        ready(Outcome::Answer { value: Value::from("\"6 * 7\""), usage, attempts: Vec::new() }).boxed()
    }

    fn model(&self, _: &str) -> Str {
        "small".into()
    }
}

const GRAPH: &str = r"
graph: traced
state: {sum: string?, number: any}
start: think
nodes:
  think:
    {kind: model, role: thinker, prompt: '''a secret prompt''', output: string(80), into: sum, next: [{to: work}]}
  work: {kind: tool, tool: calculator, args: {expression: sum}, into: number, next: [{to: divide}]}
  divide: {kind: tool, tool: calculator, args: {expression: '''1/0'''}, next: [{to: end}]}
  end: {kind: final}
";

/// Calls one graph that asks for nothing, and then another, both in what one input leads to.
const CALLS: &str = r"
graph: calls
start: adds
nodes:
  adds: {kind: call, graph: adds.yaml, next: [{to: looks}]}
  looks: {kind: call, graph: looks.yaml, next: [{to: end}]}
  end: {kind: final}
";

const ADDS: &str = r"
graph: adds
state: {number: int = 1}
start: twice
nodes:
  twice: {do: number = number * 2, next: [{to: thrice}]}
  thrice: {do: number = number * 3, next: [{to: added}]}
  added: {kind: final}
output: {number: number}
";

const LOOKS: &str = r"
graph: looks
start: look
nodes:
  look: {kind: tool, tool: calculator, args: {expression: '''1 + 1'''}, next: [{to: seen}]}
  seen: {kind: final}
";

fn traced(level: Level) -> String {
    traced_run(level, &[("graph.yaml", GRAPH)])
}

fn traced_run(level: Level, files: &[(&str, &str)]) -> String {
    let program = compiled(files);
    let notes = Notes::default();
    let filter = tracing_subscriber::filter::Targets::new().with_target("loopwright", level);
    let subscriber = tracing_subscriber::registry().with(notes.clone().with_filter(filter));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    tracing::subscriber::with_default(subscriber, || {
        runtime.block_on(async {
            let driver = rebuilt::driver(program)
                .model(Arc::new(Says))
                .tools(Arc::new(Tools::new().with(Calculator::new())));
            let mut run =
                driver.start(Start { run: "one".into(), ..Start::default() }).await.expect("the run begins");
            assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
        });
    });
    notes.text()
}

#[test]
fn spans_carry_the_names_of_open_telemetry() {
    insta::assert_snapshot!(traced(Level::INFO));
}

#[test]
fn nodes_of_graphs_that_closed_in_between_have_their_names() {
    let told = traced_run(Level::INFO, &[("calls.yaml", CALLS), ("adds.yaml", ADDS), ("looks.yaml", LOOKS)]);
    let nodes = told.lines().filter_map(|line| line.split_once(" > node: "));
    let nodes: Vec<_> = nodes
        .filter_map(|(parent, node)| Some(format!("{parent} > {}", node.split_once("loopwright.node=")?.1)))
        .collect();
    insta::assert_snapshot!(nodes.join("\n"), @r"
    run > adds loopwright.visit=1 loopwright.lane=0
    node > twice loopwright.visit=1 loopwright.lane=1
    node > thrice loopwright.visit=1 loopwright.lane=1
    node > added loopwright.visit=1 loopwright.lane=1
    run > looks loopwright.visit=1 loopwright.lane=0
    node > look loopwright.visit=1 loopwright.lane=1
    node > seen loopwright.visit=1 loopwright.lane=1
    run > end loopwright.visit=1 loopwright.lane=0
    ");
}

#[test]
fn contents_are_told_only_at_the_lowest_level() {
    for level in [Level::INFO, Level::DEBUG] {
        let told = traced(level);
        assert!(!told.contains("secret") && !told.contains("6 * 7"), "{told}");
    }
    let told = traced(Level::TRACE);
    assert!(told.contains("secret") && told.contains("6 * 7"), "{told}");
}
