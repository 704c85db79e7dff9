//! A client of few lines: it writes messages to `loopwright mcp serve`, and reads what comes back.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::Desk;

/// The longest that an answer is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server with one client.
pub(crate) struct Client {
    child: Child,
    to: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// The notifications and requests of the server, in order.
    pub(crate) heard: Vec<Value>,
    /// The answers to questions of the server, in order.
    pub(crate) answers: Vec<Value>,
}

impl Client {
    /// Starts a server in the folder of a desk, without a word to it.
    pub(crate) fn silent(desk: &Desk, words: &[&str]) -> Self {
        let mut program = desk.program();
        program.args(["mcp", "serve"]).args(words);
        Self::of(program)
    }

    pub(crate) fn of(mut program: Command) -> Self {
        let mut child = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("it has an output"));
        let (say, lines) = channel();
        std::thread::spawn(move || {
            for line in from.lines().map_while(Result::ok) {
                if say.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, to, lines, next: 0, heard: Vec::new(), answers: Vec::new() }
    }

    /// Starts a server, and shakes hands as a client with these capabilities.
    pub(crate) fn with(desk: &Desk, words: &[&str], capabilities: &Value) -> Self {
        let mut client = Self::silent(desk, words);
        client.greet(capabilities);
        client
    }

    /// Starts a server for a client that can do nothing in particular.
    pub(crate) fn new(desk: &Desk, words: &[&str]) -> Self {
        Self::with(desk, words, &json!({}))
    }

    pub(crate) fn greet(&mut self, capabilities: &Value) -> Value {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.ask("initialize", &hello);
        self.notify("notifications/initialized", &json!({}));
        answer
    }

    /// Writes a line as it is.
    pub(crate) fn write(&mut self, line: &[u8]) {
        let to = self.to.as_mut().expect("the input is open");
        to.write_all(line).and_then(|()| to.flush()).expect("the server reads");
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        let line = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string() + "\n";
        self.write(line.as_bytes());
    }

    /// Begins a request, and gives its id.
    pub(crate) fn begin(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}).to_string();
        self.write((line + "\n").as_bytes());
        self.next
    }

    /// The next message of the server.
    pub(crate) fn hear(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server says something");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: not a message: {line}"))
    }

    /// The answer to a request, with what the server asks on the way answered.
    pub(crate) fn end(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear();
            if message["id"] == json!(id) && message.get("method").is_none() {
                return message;
            }
            if message.get("method").is_some()
                && let Some(asked) = message.get("id")
            {
                assert!(!self.answers.is_empty(), "nobody answers {message}");
                let answer = self.answers.remove(0);
                let line = json!({"jsonrpc": "2.0", "id": asked, "result": answer}).to_string() + "\n";
                self.write(line.as_bytes());
            }
            self.heard.push(message);
        }
    }

    /// The answer to a request, whole.
    pub(crate) fn answer(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.end(id)
    }

    /// The result of a request.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.answer(method, params);
        answer.get("result").cloned().unwrap_or_else(|| panic!("{method} failed: {answer}"))
    }

    /// The result of a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes the conversation, and gives the exit code of the server.
    pub(crate) fn close(mut self) -> Option<i32> {
        drop(self.to.take());
        self.child.wait().expect("it is our child").code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}
