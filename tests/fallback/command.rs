//! Lists and paces on the command line: what is printed, logged and stored.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::cli::Desk;
use crate::posted::Posted;

/// A server whose answers take a while.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(mut stream: TcpStream) -> Option<()> {
    Posted::read(&mut stream)?;
    std::thread::sleep(Duration::from_millis(200));
    let choice = json!({"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}});
    let reply = format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: {choice}\n\ndata: {usage}\n\ndata: [DONE]\n\n"
    );
    stream.write_all(reply.as_bytes()).ok()
}

const ONE: &str = "
graph: one
state: {word: string?}
start: ask
nodes:
  ask: {kind: model, role: decider, prompt: '''What now?''', output: string, into: word, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
output: {word: word}
";

const TWO: &str = "
graph: two
start: all
nodes:
  all:
    kind: parallel
    branches:
      one: {graph: one.yaml}
      two: {graph: one.yaml}
    next: [{to: end}, {to: end, on: error}]
  end: {kind: final}
";

fn desk(more: &str) -> (Desk, String) {
    let (desk, address) = (Desk::new(), server());
    desk.write("one.yaml", ONE);
    desk.write("two.yaml", TWO);
    let down = "[models.fast]\nprovider = \"ollama\"\nmodel = \"small\"\nbase_url = \"http://127.0.0.1:1\"\nattempts = 1\n";
    let strong = format!(
        "[models.strong]\nprovider = \"openai\"\nmodel = \"large\"\nbase_url = \"{address}\"\nprice = {{input = \"$1\", output = \"$2\"}}\n{more}\n"
    );
    desk.write("loopwright.toml", &format!("[models.decider]\nuse = [\"fast\", \"strong\"]\n{down}{strong}"));
    desk.trust(".");
    (desk, address)
}

/// The attempts of all calls that came back.
fn attempts(desk: &Desk, run: &str) -> Vec<Json> {
    let log = desk.run(&format!("log {run} --format jsonl")).stdout;
    let events = log.lines().map(|line| serde_json::from_str::<Json>(line).expect("events are JSON"));
    events.filter(|event| event["type"] == "resolved").map(|event| event["attempts"].clone()).collect()
}

#[test]
fn attempts_are_printed_and_stored() {
    let (desk, _) = desk("");
    let ran = desk.run("run one.yaml --run-id a --summary --log info");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "outcome: end\nword: yes\n"),
        "{}",
        ran.transcript()
    );
    let line = "models: fast answered 0, failed 1 (unavailable 1); strong answered 1, $0.0012\n";
    assert!(ran.stderr.contains(line), "{}", ran.transcript());
    assert!(
        ran.stderr.contains("asks the next entry") && ran.stderr.contains("next=\"strong\""),
        "{}",
        ran.transcript()
    );
    let log = desk.run("log a").stdout;
    assert!(log.contains("answer \"yes\" (fast: unavailable; strong)"), "{log}");
    let mut all = attempts(&desk, "a");
    for attempt in all[0].as_array_mut().expect("attempts") {
        assert!(attempt["at"].as_str().is_some_and(|at| at.ends_with('Z')), "{attempt}");
        attempt["at"] = "…".into();
    }
    let usage = json!({"input_tokens": 1000, "output_tokens": 100, "cost": "0.0012"});
    let down =
        "the provider cannot be reached: no connection to 127.0.0.1:1: Connection refused (os error 111)";
    let expected = json!([
        {"entry": "fast", "model": "small", "at": "…", "ok": false, "error": {"kind": "unavailable", "message": down}},
        {"entry": "strong", "model": "large", "at": "…", "ok": true, "usage": usage},
    ]);
    assert_eq!(all, [expected]);
    // The journal holds all of it: a replay asks nobody.
    desk.write("loopwright.toml", "");
    assert_eq!(desk.run("replay a").code, Some(0));
}

#[test]
fn a_wait_is_logged_when_it_begins_and_stored_when_it_is_over() {
    let (desk, _) = desk("at_once = 1");
    let ran = desk.run("run two.yaml --run-id a --log info --summary");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(ran.stderr.contains("waits for its turn: at_once"), "{}", ran.transcript());
    assert!(ran.stderr.contains("strong answered 2, waited "), "{}", ran.transcript());
    let all = attempts(&desk, "a");
    let waits = all.iter().flat_map(|attempts| attempts.as_array().into_iter().flatten());
    assert_eq!(waits.filter(|attempt| attempt["waited"].is_string()).count(), 1, "{all:?}");
}
