//! Servers, and the graphs that they run.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::client::{Client, EventStream, Message};
use crate::cli::Desk;
use crate::driver::{kill, signal};
use crate::until::until;

/// Asks, takes steps, asks again; stops when it is told so.
pub(super) const TALK: &str = "
graph: talk
title: Talk
ignore: {unhandled: Nobody goes on for so long.}
input: {topic: string = 'bees'}
state:
  said: list<string> = []
  word: string?
budgets: {rounds: 2000}
views:
  short: {flat: true}
start: ask
nodes:
  ask:
    kind: human
    ask: \"'Round ' + string(size(said)) + ' about ' + topic + ': more or stop?'\"
    options: [more, stop]
    into: word
    then: said += word ?? ''
    do: spend rounds
    next: [{to: end, when: word == 'stop'}, {to: ask}, {to: given_up, on: error(cancelled)}]
  end: {kind: final}
  given_up: {kind: final, ok: false}
output: {rounds: size(said)}
";

/// Two people are asked at once.
pub(super) const PAIR: &str = "
graph: pair
state: {left: outputs('talk.yaml')?, right: outputs('talk.yaml')?}
start: both
nodes:
  both:
    kind: parallel
    branches:
      left: {graph: talk.yaml, with: {topic: \"'left'\"}, into: left}
      right: {graph: talk.yaml, with: {topic: \"'right'\"}, into: right}
    next: [{to: end}, {to: failed, on: error}]
  end: {kind: final}
  failed: {kind: final, ok: false}
";

/// Waits for long, and then for a person.
pub(super) const SLOW: &str = "
graph: slow
start: wait
nodes:
  wait: {kind: wait, delay: 1h, next: [{to: end}, {to: failed, on: error(cancelled)}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
";

/// Takes so many steps, one after each delay.
pub(super) fn ticks(delay: &str, steps: u32) -> String {
    format!(
        "graph: ticks\nstate: {{n: int = 0}}\nbudgets: {{rounds: 10000}}\nstart: tick\nnodes:\n  tick: {{kind: wait, delay: {delay}, do: [n += 1, spend rounds], \
         next: [{{to: end, when: n >= {steps}}}, {{to: tick}}, {{to: failed, on: error}}]}}\n  end: {{kind: final}}\n  failed: {{kind: final, ok: false}}\noutput: {{n: n}}\n"
    )
}

/// A call that a person approves, and may change.
pub(super) const PAYS: &str = "
graph: pays
state: {receipt: string?}
start: pay
nodes:
  pay: {kind: tool, tool: pay, args: {to: \"'bob'\", amount: 5}, into: receipt, next: [{to: end}, {to: failed, on: error}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {receipt: receipt}
";

pub(super) const PAYS_TOML: &str = r#"
[tools.pay]
description = "Pays."
command = ["echo", "{to} {amount}"]
args = {to = "string", amount = "int"}
parse = "text"
approval = true
"#;

/// A server on a desk of its own.
pub(super) struct Served {
    pub(super) desk: Desk,
    child: Child,
    pub(super) address: String,
    /// What it said before its address.
    pub(super) said: String,
    words: Vec<String>,
    env: Vec<(String, String)>,
    /// Limits of the operating system, in words of the shell.
    limits: Option<String>,
}

impl Served {
    /// A server of these graphs, and other files beside them.
    pub(super) fn of(files: &[(&str, &str)], words: &str) -> Self {
        let desk = Desk::new();
        fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
        for (name, text) in files {
            desk.write(&format!("web/{name}"), text);
        }
        Self::on(desk, words, &[])
    }

    pub(super) fn on(desk: Desk, words: &str, env: &[(&str, &str)]) -> Self {
        Self::start_on(desk, words, env, None)
    }

    /// A server under limits of the operating system, such as `ulimit -n 256`.
    pub(super) fn under(limits: &str, desk: Desk, words: &str) -> Self {
        Self::start_on(desk, words, &[], Some(limits.to_owned()))
    }

    fn start_on(desk: Desk, words: &str, env: &[(&str, &str)], limits: Option<String>) -> Self {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let env: Vec<_> = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let (child, address, said) = start(&desk, &words, &env, limits.as_deref(), "127.0.0.1:0");
        Self { desk, child, address, said, words, env, limits }
    }

    /// The number of the process.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The memory of the process, in KiB.
    pub(super) fn memory_kib(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).expect("the system tells it")
    }

    /// The number of files that the process has open.
    pub(super) fn files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).expect("the system tells it").count()
    }

    /// The token that was made.
    pub(super) fn token(&self) -> String {
        self.desk.text(".loopwright/runs.db-token").trim().to_owned()
    }

    /// Somebody without a token.
    pub(super) fn stranger(&self) -> Client {
        Client { address: self.address.clone(), headers: vec![("connection".to_owned(), "close".to_owned())] }
    }

    /// Somebody with a token.
    pub(super) fn with_token(&self, token: &str) -> Client {
        self.stranger().with("authorization", &format!("Bearer {token}"))
    }

    /// A client that may do everything.
    pub(super) fn client(&self) -> Client {
        self.with_token(&self.token())
    }

    pub(super) fn signal(&self, wanted: Signal) {
        signal(&self.child, wanted);
    }

    /// Waits for the end of the process, and gives its exit code.
    pub(super) fn code(&mut self) -> Option<i32> {
        self.child.wait().expect("it was started here").code()
    }

    /// Kills it at once.
    pub(super) fn kill(&mut self) {
        kill(&mut self.child);
    }

    /// Starts it again at the same address.
    pub(super) fn again(&mut self, more: &str) {
        let mut words = self.words.clone();
        words.extend(more.split_whitespace().map(str::to_owned));
        (self.child, self.address, self.said) =
            start(&self.desk, &words, &self.env, self.limits.as_deref(), &self.address);
    }

    /// Begins a run, and waits until it waits.
    pub(super) fn asking(&self, graph: &str, run: &str) -> Value {
        let client = self.client();
        client.post("/api/v1/runs", &json!({"graph": graph, "run": run})).is(202);
        self.waiting(run)
    }

    /// Waits until a run waits for a person.
    pub(super) fn waiting(&self, run: &str) -> Value {
        self.having(run, |shown| shown["status"] == "waiting")
    }

    /// Waits until a run is as it is wanted.
    pub(super) fn having(&self, run: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let client = self.client();
        let mut last = Value::Null;
        until(&format!("the run {run} is as it is wanted"), || {
            last = client.get(&format!("/api/v1/runs/{run}")).json();
            wanted(&last)
        });
        last
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn start(
    desk: &Desk,
    words: &[String],
    env: &[(String, String)],
    limits: Option<&str>,
    listen: &str,
) -> (Child, String, String) {
    let mut program = limits.map_or_else(|| desk.program(), |limits| desk.program_under(limits));
    program.args(["serve", "web"]).args(words);
    if !words.iter().any(|word| word == "--listen") {
        program.args(["--listen", listen]);
    }
    program.envs(env.iter().map(|(name, value)| (name, value)));
    let mut child = program
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut said = BufReader::new(child.stderr.take().expect("it has a standard error"));
    let mut all = String::new();
    let address = loop {
        let mut line = String::new();
        let read = said.read_line(&mut line).expect("it says where it is");
        assert!(read > 0, "it ended: {all}");
        all += &line;
        let place = line.split("://").nth(1).filter(|_| line.starts_with("serving "));
        if let Some(place) = place {
            break place.trim().trim_end_matches('/').to_owned();
        }
    };
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    (child, address, all)
}

/// The path of a question.
pub(super) fn answer_path(run: &str, question: &Value) -> String {
    let ask = question["ask"].as_str().expect("it has an id");
    let encoded: String =
        ask.bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            })
            .collect();
    format!("/api/v1/runs/{run}/answers/{encoded}")
}

/// Everything that a run has stored so far.
pub(super) fn events(client: &Client, run: &str) -> Vec<Message> {
    let mut stream: EventStream = client.watch(&format!("/api/v1/runs/{run}/events?follow=false"));
    std::iter::from_fn(|| stream.next()).collect()
}
