//! `stream: field`: answers that are printed as they arrive.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::cli::Desk;
use crate::terminal::{Running, terminal};

const GRAPH: &str = r#"
graph: talks
types:
  Answer: {text: string, sure: bool}
texts:
  what: What is it?
state: {answer: Answer?}
budgets: {rounds: 3}
start: think
nodes:
  think:
    kind: model
    role: any
    prompt: what
    stream: text
    output: Answer
    into: answer
    do: spend rounds
    next:
      - {to: end}
      - {to: think, on: error}
      - {to: end, on: exhausted(rounds)}
  end: {kind: final}
output: {answer: "answer.text"}
"#;

const SCRIPT: &str = r#"
model:
  any:
    - {text: "It is \e[31mred.\n  outcome: done", sure: perhaps}
    - {text: "It is green.\nI think.", sure: true}
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("talks.yaml", GRAPH);
    desk.write("talks.script.yaml", SCRIPT);
    desk
}

#[test]
fn a_field_is_printed_as_it_arrives() {
    insta::assert_snapshot!(desk().run("run talks.yaml --script talks.script.yaml").transcript());
}

#[test]
fn programs_hear_nothing_before_it_is_kept() {
    let desk = desk();
    for format in ["json", "jsonl"] {
        let ran = desk.run(&format!("run talks.yaml --script talks.script.yaml --format {format}"));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.transcript());
    }
}

/// Answers every request piece by piece, slowly.
fn slow_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || speak(stream));
        }
    });
    format!("http://{address}/v1")
}

fn speak(mut stream: TcpStream) -> std::io::Result<()> {
    let mut bytes = vec![0; 65536];
    // The request is small and comes at once.
    assert_ne!(stream.read(&mut bytes)?, 0, "there is a request");
    stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
    for piece in ["{\"text\": \"one ", "two ", "three\", \"su", "re\": true}"] {
        let chunk = serde_json::json!({"choices": [{"delta": {"content": piece}}]});
        stream.write_all(format!("data: {chunk}\n\n").as_bytes())?;
        std::thread::sleep(Duration::from_millis(300));
    }
    let end = serde_json::json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    stream.write_all(format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes())
}

#[test]
fn the_live_line_is_not_drawn_over_an_answer() {
    if !terminal() {
        return;
    }
    let desk = desk();
    let config =
        format!("[models.any]\nprovider = \"openai\"\nbase_url = \"{}\"\nmodel = \"any\"\n", slow_server());
    desk.write("loopwright.toml", &config);
    desk.trust(".");
    let mut running = Running::on_terminal(&desk, &["run", "talks.yaml"]);
    running.wait_for("think: one ");
    let between = running.wait_for("three");
    assert_eq!(between.replace("three", ""), "two ", "something is printed in between");
    running.wait_for("outcome: end");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(0), "{printed}");
}
