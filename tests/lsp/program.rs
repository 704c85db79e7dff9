//! The built program over standard input and output.

use std::io::{BufReader, Write};
use std::process::{Command, Stdio};

use loopwright::lsp::Message;
use serde_json::{Value as Json, json};

use super::client::EditedFolder;

fn message(value: &Json) -> Message {
    serde_json::from_value(value.clone()).expect("it is a message")
}

#[test]
fn the_program_is_a_server() {
    let folder = EditedFolder::of(&["tests/loop/tour"]);
    let mut program = Command::new(env!("CARGO_BIN_EXE_loopwright"))
        .arg("lsp")
        .current_dir(folder.path(""))
        .env("XDG_STATE_HOME", folder.path(".state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = program.stdin.take().expect("it is piped");
    let mut output = BufReader::new(program.stdout.take().expect("it is piped"));
    let mut send = |value: Json| message(&value).write(&mut input).expect("the program reads");
    send(json!({"id": 1, "method": "initialize", "params": folder.initialize()}));
    send(json!({"method": "initialized", "params": {}}));
    let text = folder.text("01-first-loop.loop").replace("exhausted(rounds)", "exhausted(round)");
    let document =
        json!({"uri": folder.uri("01-first-loop.loop"), "languageId": "loop", "version": 1, "text": text});
    send(json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}));
    send(json!({"id": 2, "method": "workspace/symbol", "params": {"query": ""}}));
    let mut found = Vec::new();
    let mut read = || serde_json::to_value(Message::read(&mut output).expect("a message")).expect("JSON");
    loop {
        let message = read();
        if message["id"] == 2 {
            break;
        }
        let findings = message["params"]["diagnostics"].as_array().into_iter().flatten();
        found.extend(findings.map(|finding| finding["message"].as_str().unwrap_or_default().to_owned()));
    }
    assert!(found.contains(&"there is no budget `round`".to_owned()), "{found:?}");
    // What is no JSON is answered with a line in the log, and ends nothing.
    let noise = "{\"id\": 3, ";
    write!(input, "Content-Length: {}\r\n\r\n{noise}", noise.len()).expect("the program reads");
    assert_eq!(read()["method"], "window/logMessage");
    let mut send = |value: Json| message(&value).write(&mut input).expect("the program reads");
    send(json!({"id": 4, "method": "shutdown", "params": null}));
    assert_eq!(read()["id"], 4);
    send(json!({"method": "exit", "params": null}));
    assert_eq!(program.wait().expect("it ends").code(), Some(0));
}
