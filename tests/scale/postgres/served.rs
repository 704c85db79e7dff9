//! `loopwright serve` on a database: two servers side by side, one of them killed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::thread;

use serde_json::{Value, json};

use super::commands::TALK;
use super::server::shared;
use crate::client::{Client, Message};
use crate::desk::Desk;
use crate::until::until;

/// Takes a step now and then.
const TICKS: &str = "
graph: ticks
state: {n: int = 0}
budgets: {rounds: 1000}
start: tick
nodes:
  tick: {kind: wait, delay: 100ms, do: [n += 1, spend rounds], next: [{to: end, when: n >= 60}, {to: tick}, {to: failed, on: error}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {n: n}
";

/// A server of the graphs of a desk.
struct Served {
    process: Child,
    client: Client,
}

impl Served {
    fn start(desk: &Desk, database: &str, token: &str) -> Self {
        let mut program = desk.program();
        program.args(["serve", "web", "--listen", "127.0.0.1:0", "--token-file", "tokens", "--db", database]);
        let mut process = program.stderr(Stdio::piped()).spawn().expect("the server starts");
        let mut said = BufReader::new(process.stderr.take().expect("it has a standard error"));
        let mut all = String::new();
        let address = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).expect("it says where it is") > 0, "it ended: {all}");
            all += &line;
            if let Some(place) = line.split("://").nth(1).filter(|_| line.starts_with("serving ")) {
                break place.trim().trim_end_matches('/').to_owned();
            }
        };
        thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let headers = vec![
            ("connection".to_owned(), "close".to_owned()),
            ("authorization".to_owned(), format!("Bearer {token}")),
        ];
        Self { process, client: Client { address, headers } }
    }

    /// Waits until a run is as it is wanted.
    fn having(&self, run: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        until(&format!("{run} is as it is wanted"), || {
            last = self.client.get(&format!("/api/v1/runs/{run}")).json();
            wanted(&last)
        });
        last
    }

    /// Waits until a run asks, and nobody drives it.
    fn asking(&self, run: &str) -> Value {
        self.having(run, |shown| shown["status"] == "waiting" && shown["driver"].is_null())["asks"][0].clone()
    }

    fn answer(&self, run: &str, question: &Value, word: &str) -> crate::client::Response {
        let ask = question["ask"].as_str().expect("an id").replace('#', "%23").replace(':', "%3A");
        let client = self.client.with("if-match", question["etag"].as_str().expect("a tag"));
        client.post(&format!("/api/v1/runs/{run}/answers/{ask}"), &json!({"answer": word}))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}

fn is_done(message: &Message) -> bool {
    message.data["type"] == "done"
}

#[test]
fn two_servers_share_a_database_and_one_goes_on_with_what_the_other_left() {
    let Some(server) = shared() else { return };
    let database = server.database();
    let token = "t".repeat(40);
    let desk = Desk::new(&[("tokens", &format!("ana run {token}\n"))]);
    fs::create_dir(desk.path().join("web")).expect("a folder");
    fs::write(desk.path().join("web/talk.yaml"), TALK).expect("a file");
    fs::write(desk.path().join("web/ticks.yaml"), TICKS).expect("a file");
    fs::set_permissions(desk.path().join("tokens"), fs::Permissions::from_mode(0o600)).expect("it is set");
    let first = Served::start(&desk, &database, &token);
    let second = Served::start(&desk, &database, &token);
    // Begun at one, watched and answered at the other.
    first.client.post("/api/v1/runs", &json!({"graph": "talk", "run": "one"})).is(202);
    let question = second.asking("one");
    let mut streams = [&first, &second].map(|own| own.client.watch("/api/v1/runs/one/events"));
    second.answer("one", &question, "more").is(202);
    first.answer("one", &question, "stop").is_problem(409, "answered");
    // Of two who answer at once, each at a server of their own, one is told that the other did.
    for _ in 0..5 {
        let question = first.asking("one");
        let answers: Vec<_> = thread::scope(|scope| {
            let racers = [&first, &second].map(|own| scope.spawn(|| own.answer("one", &question, "more")));
            racers.into_iter().map(|own| own.join().expect("no panic")).collect()
        });
        let won = answers.iter().filter(|answer| answer.status == 202).count();
        assert!(won >= 1, "{answers:?}");
        second.having("one", |shown| !shown["asks"].is_null() && shown["asks"][0]["ask"] != question["ask"]);
    }
    let last = second.asking("one");
    second.answer("one", &last, "stop").is(202);
    let told = streams.each_mut().map(|stream| stream.until(is_done));
    assert_eq!(told[0], told[1]);
    let answered = told[0].iter().filter(|message| message.data["type"] == "answered").count();
    assert_eq!(answered, 7, "each question was answered once");
    // A server is killed while it drives.
    first.client.post("/api/v1/runs", &json!({"graph": "ticks", "run": "two"})).is(202);
    let mut watched = second.client.watch("/api/v1/runs/two/events");
    let mut heard = watched.until(|message| message.data["step"].as_u64() > Some(5));
    drop(first);
    // Its lease runs out, and the other takes the run up: it was asked to once.
    second.client.post("/api/v1/runs/two/resume", &json!({})).is(202);
    heard.extend(watched.until(is_done));
    let ended = second.having("two", |shown| shown["status"] == "ended");
    assert_eq!(ended["output"]["n"], 60);
    let mut again = second.client.watch("/api/v1/runs/two/events?follow=false");
    let whole: Vec<Message> = std::iter::from_fn(|| again.next()).collect();
    assert_eq!(heard, whole);
}
