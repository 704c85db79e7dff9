//! A busy server is killed in the middle of everything: many runs, many questions, many streams.

use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use super::client::{Client, Message};
use super::world::{SLOW, Served, TALK, answer_path, events};
use crate::until::until;

const QUESTIONS: usize = 20;
const TICKING: usize = 25;
const SLEEPING: usize = 55;

/// Takes steps until a file lets it end, so that none of its runs is over before the server is killed. Its rounds last an hour.
const TICKS: &str = "
graph: ticks
state: {n: int = 0, gate: string?}
budgets: {rounds: 100000}
start: tick
nodes:
  tick: {kind: wait, delay: 40ms, do: [n += 1, spend rounds], next: [{to: look}, {to: failed, on: error}]}
  look:
    {kind: tool, tool: read_file, args: {path: \"'gate.txt'\"}, into: gate, next: [{to: end, when: gate == 'open'}, {to: tick}, {to: failed, on: error}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {n: n}
";

/// What a browser heard before its line was cut, and how it comes again.
struct Browser {
    run: String,
    heard: Vec<Message>,
    /// True if it says with a header where it was.
    by_header: bool,
}

impl Browser {
    /// Watches until the line is cut.
    fn watch(client: &Client, run: String, by_header: bool) -> JoinHandle<Self> {
        let client = client.clone();
        thread::spawn(move || {
            let mut stream = client.watch(&format!("/api/v1/runs/{run}/events"));
            let heard = std::iter::from_fn(|| stream.next()).collect();
            Self { run, heard, by_header }
        })
    }

    /// Comes again, and watches until the run ends.
    fn again(mut self, client: &Client) -> JoinHandle<Self> {
        let client = client.clone();
        thread::spawn(move || {
            let last = self.heard.last().and_then(|message| message.id.clone()).expect("it heard something");
            let path = format!("/api/v1/runs/{}/events", self.run);
            let mut stream = if self.by_header {
                client.with("last-event-id", &last).watch(&path)
            } else {
                client.watch(&format!("{path}?after={last}"))
            };
            self.heard.extend(stream.until(|message| message.data["type"] == "done"));
            self
        })
    }
}

#[test]
fn a_hundred_runs_and_fifty_streams_outlive_the_server() {
    let reads = ("loopwright.toml", "builtin.read_file = {root = \".\"}\n");
    let graphs = [("talk.yaml", TALK), ("slow.yaml", SLOW), ("ticks.yaml", TICKS)];
    let files = [&graphs[..], &[reads, ("gate.txt", "shut")]].concat();
    let mut served = Served::of(&files, "--at-once 100");
    let client = served.client();
    let begin = |graph: &str, run: &str| {
        client.post("/api/v1/runs", &json!({"graph": graph, "run": run})).is(202);
    };
    (0..SLEEPING).for_each(|number| begin("slow", &format!("slow-{number}")));
    (0..QUESTIONS).for_each(|number| begin("talk", &format!("talk-{number}")));
    (0..TICKING).for_each(|number| begin("ticks", &format!("ticks-{number}")));
    // Two watch each run that ticks: fifty in all.
    let watched =
        |number: usize| Browser::watch(&client, format!("ticks-{}", number / 2), number.is_multiple_of(2));
    let browsers: Vec<_> = (0..2 * TICKING).map(watched).collect();
    until("every stream is open, and the last run has made steps", || {
        let steps = client.get("/api/v1/runs/ticks-24").json()["step"].as_u64();
        let open = client.get("/metrics").body.contains("loopwright_event_streams 50\n");
        open && steps.is_some_and(|steps| steps > 5)
    });
    let questions = questions(&client);
    assert_eq!(questions.len(), QUESTIONS);
    served.kill();
    let browsers: Vec<Browser> = browsers.into_iter().map(|own| own.join().expect("no panic")).collect();
    // They were in the middle.
    let is_done = |own: &Browser| own.heard.iter().any(|message| message.data["type"] == "done");
    assert_eq!(browsers.iter().filter(|own| !is_done(own)).count(), 50);
    served.desk.write("web/gate.txt", "open");
    served.again("--resume");
    let client = served.client();
    let runs = client.get("/api/v1/runs?limit=200").json();
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(100));
    // The same questions are open, with the same tags.
    assert_eq!(self::questions(&client), questions);
    let back = browsers.into_iter().map(|own| own.again(&client));
    let back: Vec<Browser> =
        back.collect::<Vec<_>>().into_iter().map(|own| own.join().expect("no panic")).collect();
    for own in &back {
        let told = events(&client, &own.run);
        assert_eq!(own.heard, told, "{}", own.run);
        let log = served.desk.run(&format!("log {} --format jsonl", own.run));
        let lines = log.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let events = own.heard.iter().filter(|message| message.event == "event").map(|message| {
            let mut data = message.data.clone();
            data.as_object_mut().expect("an object").remove("step");
            data
        });
        assert_eq!(events.collect::<Vec<_>>(), lines.collect::<Vec<_>>(), "{}", own.run);
    }
    for number in 0..SLEEPING {
        served.having(&format!("slow-{number}"), |shown| shown["status"] == "running");
    }
    for question in &questions {
        let run = question["run"].as_str().expect("a run");
        let client = client.with("if-match", question["etag"].as_str().expect("a tag"));
        client.post(&answer_path(run, question), &json!({"answer": "stop"})).is(202);
    }
    for number in 0..QUESTIONS {
        served.having(&format!("talk-{number}"), |shown| shown["status"] == "ended");
    }
}

/// The inbox, page by page, in an order of its own.
fn questions(client: &Client) -> Vec<Value> {
    let mut all = Vec::new();
    let mut path = "/api/v1/questions".to_owned();
    loop {
        let page = client.get(&path).json();
        all.extend(page["questions"].as_array().expect("a list").iter().cloned());
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/v1/questions?after={next}");
    }
    all.sort_by_key(|question| question["run"].to_string());
    all
}
