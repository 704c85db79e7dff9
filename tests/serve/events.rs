//! Streams of events: in order, once each, resumed where they were left.

use std::thread;

use serde_json::json;

use super::world::{Served, TALK, answer_path, events};
use crate::cli::Desk;

const MODEL: &str = "
graph: tell
types: {Story: {text: string}}
state: {story: Story?}
start: ask
nodes:
  ask: {kind: model, role: teller, prompt: \"'Tell me.'\", output: Story, stream: text, into: story, next: [{to: end}, {to: failed, on: error}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {story: \"story == null ? '' : story.text\"}
";

#[test]
fn a_stream_has_every_event_once_and_goes_on_after_any() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    let question = served.asking("talk", "one")["asks"][0].clone();
    let mut stream = client.watch("/api/v1/runs/one/events");
    let before = stream.until(|message| message.data["type"] == "asked");
    client.with("if-match", "*").post(&answer_path("one", &question), &json!({"answer": "stop"})).is(202);
    let after = stream.until(|message| message.data["type"] == "done");
    let whole: Vec<_> = before.into_iter().chain(after).collect();
    let numbers: Vec<_> = whole.iter().map(|message| message.data["seq"].as_u64()).collect();
    assert_eq!(numbers, (0..u64::try_from(whole.len()).expect("few")).map(Some).collect::<Vec<_>>());
    assert!(
        whole.iter().all(|message| message.id == message.data["seq"].as_u64().map(|seq| seq.to_string()))
    );
    assert_eq!(events(&client, "one"), whole);
    for (place, message) in whole.iter().enumerate() {
        let id = message.id.as_deref().expect("it has an id");
        let path = format!("/api/v1/runs/one/events?follow=false&after={id}");
        let mut rest = client.watch(&path);
        let rest: Vec<_> = std::iter::from_fn(|| rest.next()).collect();
        assert_eq!(rest, whole[place + 1..]);
        let mut again =
            client.with("last-event-id", id).watch("/api/v1/runs/one/events?follow=false&after=0");
        assert_eq!(std::iter::from_fn(|| again.next()).collect::<Vec<_>>(), whole[place + 1..]);
    }
    client.get("/api/v1/runs/one/events?after=x").is_problem(400, "malformed");
    client.get("/api/v1/runs/none/events").is_problem(404, "not-found");
    // The log says the same.
    let log = served.desk.run("log one --format jsonl");
    let lines: Vec<serde_json::Value> =
        log.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let told: Vec<_> = whole
        .into_iter()
        .map(|mut message| {
            message.data.as_object_mut().expect("an object").remove("step");
            message.data
        })
        .collect();
    assert_eq!(told, lines);
}

#[test]
fn many_watchers_hear_the_same() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    served.asking("talk", "watched");
    let watchers: Vec<_> = (0..24)
        .map(|number| {
            let client = client.clone();
            // Some of them come late, and some from a place in the middle.
            let path = if number % 3 == 0 {
                "/api/v1/runs/watched/events?after=1"
            } else {
                "/api/v1/runs/watched/events"
            };
            thread::spawn(move || {
                let heard = client.watch(path).until(|message| message.data["type"] == "done");
                heard.into_iter().filter(|message| message.data["seq"].as_u64() > Some(1)).collect::<Vec<_>>()
            })
        })
        .collect();
    served.having("watched", |shown| shown["watchers"] == json!(["operator"]));
    for word in ["more", "more", "more", "stop"] {
        let question = served.waiting("watched")["asks"][0].clone();
        let before = question["text"].clone();
        client
            .with("if-match", "*")
            .post(&answer_path("watched", &question), &json!({"answer": word}))
            .is(202);
        served.having("watched", |shown| shown["asks"][0]["text"] != before);
    }
    let heard: Vec<_> = watchers.into_iter().map(|watcher| watcher.join().expect("no panic")).collect();
    assert!(heard.iter().all(|own| *own == heard[0]) && heard[0].len() > 16);
}

#[test]
fn a_run_that_a_command_drives_is_watched_as_well() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    served.asking("talk", "both");
    let mut stream = served.client().watch("/api/v1/runs/both/events");
    stream.until(|message| message.data["type"] == "asked");
    let ran = served.desk.run("resume both --answer stop --by Cleo");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let heard = stream.until(|message| message.data["type"] == "done");
    assert!(heard.iter().any(|message| message.data["type"] == "answered"));
    assert!(heard.iter().any(|message| message.data["by"] == "Cleo"));
}

#[test]
fn texts_of_models_come_as_they_arrive_and_have_no_id() {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/tell.yaml", MODEL);
    desk.write("tell.script.yaml", "model:\n  - {ok: {text: Once upon a time}, after: 2s}\n");
    let served = Served::on(desk, "--script tell.script.yaml", &[]);
    let client = served.client();
    client.post("/api/v1/runs", &json!({"graph": "tell", "run": "story"})).is(202);
    let heard = client.watch("/api/v1/runs/story/events").until(|message| message.data["type"] == "done");
    let pieces: Vec<_> = heard.iter().filter(|message| message.event == "piece").collect();
    let text: String = pieces.iter().filter_map(|message| message.data["text"].as_str()).collect();
    assert_eq!(text, "Once upon a time", "{heard:#?}");
    assert!(pieces.iter().all(|message| message.id.is_none() && message.data["node"] == "ask"));
    let call = heard.iter().find(|message| message.data["type"] == "called").expect("it was called");
    let id = call.data["call"].as_str().expect("an id").replace('#', "%23").replace(':', "%3A");
    let exchange = client.get(&format!("/api/v1/runs/story/prompts/{id}")).json();
    assert_eq!(exchange["called"]["prompt"], "Tell me.");
    assert!(exchange["resolved"]["result"].to_string().contains("Once upon a time"), "{exchange}");
}
