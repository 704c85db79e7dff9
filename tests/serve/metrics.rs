//! The figures of a server as a collector gets them.

use serde_json::{Value, json};

use super::world::{Served, TALK, answer_path};
use crate::cli::Desk;
use crate::otel::collector::{Collector, Takes};
use crate::until::until;

/// A graph whose one call waits for a moment.
const CALLS: &str = "
graph: calls
state: {said: string?}
start: say
nodes:
  say: {kind: tool, tool: say, into: said, next: [{to: end}, {to: failed, on: error}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
";

const CALLS_TOML: &str = "
[tools.say]
description = \"Says something.\"
command = [\"echo\", \"yes\"]
parse = \"text\"
";

fn served(url: &str, more: &[(&str, &str)]) -> Served {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", TALK);
    desk.write("web/calls.yaml", CALLS);
    desk.write("web/loopwright.toml", CALLS_TOML);
    desk.trust("web");
    let mut env = vec![
        ("OTEL_EXPORTER_OTLP_ENDPOINT", url),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_TRACES_EXPORTER", "none"),
    ];
    env.extend(more);
    Served::on(desk, "--grant say", &env)
}

/// The last values of a metric that a collector got: for each set of labels the point.
fn points(collector: &Collector, name: &str) -> Vec<Value> {
    let exports = collector.got();
    let bodies = exports.iter().filter(|posted| posted.path() == "/v1/metrics");
    let metrics = bodies.rev().filter_map(|posted| serde_json::from_slice::<Value>(&posted.body).ok());
    let found = metrics.flat_map(|body| {
        let scopes = body["resourceMetrics"][0]["scopeMetrics"].as_array().cloned().unwrap_or_default();
        scopes.into_iter().flat_map(|scope| scope["metrics"].as_array().cloned().unwrap_or_default())
    });
    let own = found.into_iter().find(|metric| metric["name"] == name).unwrap_or_default();
    let kinds = ["gauge", "sum", "histogram"].into_iter();
    kinds.filter_map(|kind| own[kind]["dataPoints"].as_array().cloned()).flatten().collect()
}

/// The number of the point with this label.
fn number(points: &[Value], label: &str) -> Option<u64> {
    let has = |point: &&Value| {
        let labels = point["attributes"].as_array().cloned().unwrap_or_default();
        label.is_empty() || labels.iter().any(|own| own["value"]["stringValue"] == label)
    };
    let point = points.iter().find(has)?;
    let number = if point["count"].is_null() { &point["asInt"] } else { &point["count"] };
    number.as_u64().or_else(|| number.as_str()?.parse().ok())
}

#[test]
fn figures_go_to_a_collector_as_the_server_shows_them() {
    let collector = Collector::start(Takes::All);
    let served = served(&collector.url, &[("OTEL_METRIC_EXPORT_INTERVAL", "200")]);
    let client = served.client();
    let question = served.asking("talk", "one")["asks"][0].clone();
    served.asking("talk", "two");
    client.post("/api/v1/runs", &json!({"graph": "calls", "run": "called"})).is(202);
    served.having("called", |shown| shown["status"] == "ended");
    client.with("if-match", "*").post(&answer_path("one", &question), &json!({"answer": "stop"})).is(202);
    served.having("one", |shown| shown["status"] == "ended");
    let shown = client.get("/metrics").body;
    let line = |name: &str| {
        let line = shown.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.rsplit(' ').next().and_then(|number| number.parse::<u64>().ok())
    };
    assert_eq!(line("loopwright_runs{status=\"ended\"}"), Some(2), "{shown}");
    assert_eq!(line("loopwright_effect_duration_seconds_count{kind=\"tool\"}"), Some(1), "{shown}");
    for (metric, label, text) in [
        ("loopwright.runs", "ended", "loopwright_runs{status=\"ended\"}"),
        ("loopwright.runs", "waiting", "loopwright_runs{status=\"waiting\"}"),
        ("loopwright.runs.waiting_for_people", "", "loopwright_runs_waiting_for_people"),
        ("loopwright.steps", "", "loopwright_steps_total"),
        ("loopwright.effects", "tool", "loopwright_effects_total{kind=\"tool\""),
        ("loopwright.effect.duration", "tool", "loopwright_effect_duration_seconds_count{kind=\"tool\"}"),
    ] {
        assert!(line(text).is_some_and(|value| value > 0), "{text}: {shown}");
        until(&format!("the collector has {metric} as {text} is"), || {
            number(&points(&collector, metric), label) == line(text)
        });
    }
}

#[test]
fn the_last_figures_are_sent_at_the_end_and_whoever_wants_none_sends_none() {
    let collector = Collector::start(Takes::All);
    let mut last = served(&collector.url, &[]);
    last.asking("talk", "one");
    last.signal(nix::sys::signal::Signal::SIGTERM);
    assert_eq!(last.code(), Some(0));
    assert_eq!(number(&points(&collector, "loopwright.runs"), "waiting"), Some(1));
    let silent = Collector::start(Takes::All);
    let mut none = served(&silent.url, &[("OTEL_METRICS_EXPORTER", "none")]);
    none.signal(nix::sys::signal::Signal::SIGTERM);
    assert_eq!(none.code(), Some(0));
    assert_eq!(silent.got().len(), 0);
}

/// A collector that is not there keeps nobody waiting.
#[test]
fn a_server_runs_without_its_collector() {
    let mut served = served("http://127.0.0.1:9", &[("OTEL_METRIC_EXPORT_INTERVAL", "50")]);
    served.asking("talk", "one");
    served.signal(nix::sys::signal::Signal::SIGTERM);
    assert_eq!(served.code(), Some(0));
}
