//! Traces of commands, over a socket.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::collector::{Collector, Takes, attribute};
use crate::cli::{Desk, Ran};

const RUN: &str = "run graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml";

fn run(desk: &Desk, words: &str, url: &str, env: &[(&str, &str)]) -> Ran {
    let mut all = vec![("OTEL_EXPORTER_OTLP_ENDPOINT", url), ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")];
    all.extend(env);
    desk.run_with(words, &all)
}

/// Nothing is said but what the grants of a run are for.
fn is_quiet(ran: &Ran) -> bool {
    ran.stderr.lines().all(|line| line.contains(" runs `"))
}

#[test]
fn every_span_of_a_command_arrives() {
    let (desk, collector) = (Desk::new(), Collector::start(Takes::All));
    let env = [("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20key-of-a-collector,x-of=notebook")];
    let ran = run(&desk, &format!("{RUN} --run-id one"), &collector.url, &env);
    assert!(ran.code == Some(0) && is_quiet(&ran), "{}", ran.transcript());
    for posted in collector.got() {
        assert_eq!(posted.path(), "/v1/traces");
        assert_eq!(posted.header("content-type"), Some("application/json"));
        assert_eq!(posted.header("authorization"), Some("Bearer key-of-a-collector"));
        assert_eq!(posted.header("x-of"), Some("notebook"));
    }
    let spans = collector.spans();
    let told: Vec<&str> = spans.iter().filter_map(|span| span["name"].as_str()).collect();
    insta::assert_snapshot!(told.join("\n"));
    let roots: Vec<_> =
        spans.iter().filter(|span| span["parentSpanId"].as_str().is_none_or(str::is_empty)).collect();
    assert_eq!(roots.len(), 1, "{roots:?}");
    assert_eq!(attribute(&roots[0]["attributes"], "gen_ai.conversation.id"), Some("one"));
    for (resource, _) in collector.resources() {
        assert_eq!(attribute(&resource, "service.name"), Some("loopwright"));
        assert_eq!(attribute(&resource, "service.version"), Some(env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn the_environment_names_the_service_and_the_path() {
    let (desk, collector) = (Desk::new(), Collector::start(Takes::All));
    let own = format!("{}/in", collector.url);
    let env = [("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", own.as_str()), ("OTEL_SERVICE_NAME", "agent")];
    let ran = run(&desk, RUN, "http://127.0.0.1:9", &env);
    assert!(ran.code == Some(0) && is_quiet(&ran), "{}", ran.transcript());
    assert!(collector.got().iter().all(|posted| posted.path() == "/in"));
    let resources = collector.resources();
    assert!(!resources.is_empty());
    assert!(resources.iter().all(|(resource, _)| attribute(resource, "service.name") == Some("agent")));
}

#[test]
fn protocol_buffers_are_the_usual_way() {
    let (desk, collector) = (Desk::new(), Collector::start(Takes::All));
    let ran = desk.run_with(RUN, &[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]);
    assert!(ran.code == Some(0) && is_quiet(&ran), "{}", ran.transcript());
    let got = collector.got();
    assert!(got.iter().all(|posted| posted.header("content-type") == Some("application/x-protobuf")));
    let holds = |text: &str| {
        got.iter().any(|posted| posted.body.windows(text.len()).any(|piece| piece == text.as_bytes()))
    };
    assert!(holds("invoke_agent ") && holds("gen_ai.request.model") && holds("loopwright"));
}

#[test]
fn the_traces_of_a_run_that_waits_and_is_resumed_are_of_one_conversation() {
    let (desk, collector) = (Desk::new(), Collector::start(Takes::All));
    desk.write("asks.yaml", "graph: asks\nstate: {said: string?}\nstart: ask\nnodes:\n  ask: {kind: human, ask: \"'Well?'\", into: said, next: [{to: end}]}\n  end: {kind: final}\n");
    let waits = run(&desk, "run asks.yaml --run-id one", &collector.url, &[]);
    assert_eq!(waits.code, Some(3), "{}", waits.transcript());
    let ends = run(&desk, "resume one --answer yes", &collector.url, &[]);
    assert!(ends.code == Some(0) && is_quiet(&ends), "{}", ends.transcript());
    let roots: Vec<_> =
        collector.spans().into_iter().filter(|span| span["name"] == "invoke_agent asks").collect();
    assert_eq!(roots.len(), 2, "{roots:?}");
    assert_ne!(roots[0]["traceId"], roots[1]["traceId"]);
    assert!(roots.iter().all(|root| attribute(&root["attributes"], "gen_ai.conversation.id") == Some("one")));
}

#[test]
fn a_run_that_fails_is_sent_whole() {
    let (desk, collector) = (Desk::new(), Collector::start(Takes::All));
    desk.write("fails.yaml", "graph: fails\nstart: look\nnodes:\n  look: {kind: tool, tool: calculator, args: {expression: \"'1/0'\"}, next: [{to: end}]}\n  end: {kind: final}\n");
    let ran = run(&desk, "run fails.yaml", &collector.url, &[]);
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
    let spans = collector.spans();
    let failed: Vec<&str> = spans
        .iter()
        .filter(|span| span["status"]["code"].as_i64() == Some(2))
        .filter_map(|span| span["name"].as_str())
        .collect();
    assert_eq!(failed, ["invoke_agent fails", "look", "execute_tool calculator"]);
}

/// What is said where traces do not arrive; the run is what it is in any case.
#[test]
fn a_collector_that_fails_is_told_in_a_line_and_the_run_goes_on() {
    let desk = Desk::new();
    let elsewhere = Collector::start(Takes::All);
    let head: &'static str = format!("307 Elsewhere\r\nlocation: {}/v1/traces", elsewhere.url).leak();
    let mut said = String::new();
    for (name, takes) in [
        ("it is not there", None),
        ("it does not know the path", Some(Takes::Not("404 Not Found"))),
        ("it wants a key", Some(Takes::Not("401 Unauthorized"))),
        ("it sends the traces elsewhere", Some(Takes::Not(head))),
        ("it never answers", Some(Takes::Silently)),
    ] {
        let url = takes.map_or("http://127.0.0.1:1".to_owned(), |takes| Collector::start(takes).url);
        let before = Instant::now();
        let ran = run(&desk, RUN, &url, &[("OTEL_EXPORTER_OTLP_TIMEOUT", "300")]);
        // Five seconds are what the end of a command may take.
        assert!(before.elapsed() < Duration::from_secs(50), "{name}");
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.transcript());
        assert!(ran.stdout.starts_with("outcome: "), "{}", ran.transcript());
        let collector = url.trim_start_matches("http://");
        let _ = write!(said, "# {name}\n{}", ran.stderr.replace(collector, "COLLECTOR"));
    }
    assert!(elsewhere.got().is_empty(), "what is sent is sent to the collector alone");
    insta::assert_snapshot!(said);
}
