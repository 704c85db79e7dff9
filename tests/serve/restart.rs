//! The server is killed, or told to end, and started again.

use std::net::TcpStream;

use nix::sys::signal::Signal;
use serde_json::json;

use super::client::{Connection, Message};
use crate::until::until;

use super::world::{SLOW, Served, TALK, answer_path, events};

#[test]
fn a_server_that_is_killed_loses_nothing_and_streams_go_on() {
    let mut served = Served::of(&[("talk.yaml", TALK), ("slow.yaml", SLOW)], "");
    let client = served.client();
    for number in 0..6 {
        served.asking("talk", &format!("talk-{number}"));
        client.post("/api/v1/runs", &json!({"graph": "slow", "run": format!("slow-{number}")})).is(202);
    }
    served.having("slow-5", |shown| shown["lanes"][0]["node"] == "wait");
    let question = served.waiting("talk-0")["asks"][0].clone();
    let mut stream = client.watch("/api/v1/runs/talk-0/events");
    let mut heard: Vec<Message> = stream.until(|message| message.data["type"] == "asked");
    // A page that was open goes on with its cookie.
    let token = served.token();
    let session = served.stranger().post("/api/v1/session", &json!({"token": token})).is(200);
    let cookie = session
        .header("set-cookie")
        .and_then(|cookie| cookie.split(';').next())
        .expect("a cookie")
        .to_owned();
    served.kill();
    assert_eq!(stream.next(), None);
    served.again("--resume");
    let client = served.client();
    assert_eq!(served.token(), token);
    let page = served.stranger().with("cookie", &cookie);
    assert_eq!(page.get("/api/v1/session").is(200).json()["name"], "operator");
    let runs = client.get("/api/v1/runs?limit=200").json();
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(12));
    let inbox = client.get("/api/v1/questions").json();
    assert_eq!(inbox["questions"].as_array().map(Vec::len), Some(6));
    for number in 0..6 {
        served.having(&format!("slow-{number}"), |shown| shown["status"] == "running");
    }
    // The same question is open, with the same tag.
    let path = answer_path("talk-0", &question);
    let last = heard.last().and_then(|message| message.id.clone()).expect("an id");
    let mut stream = client.with("last-event-id", &last).watch("/api/v1/runs/talk-0/events");
    let answered = client.with("if-match", question["etag"].as_str().expect("a tag"));
    answered.post(&path, &json!({"answer": "stop"})).is(202);
    heard.extend(stream.until(|message| message.data["type"] == "done"));
    assert_eq!(heard, events(&client, "talk-0"));
    let check = served.desk.run("doctor");
    assert_eq!(check.code, Some(0), "{}", check.transcript());
}

#[test]
fn a_signal_ends_it_gracefully() {
    let mut served = Served::of(&[("talk.yaml", TALK), ("slow.yaml", SLOW)], "");
    let client = served.client();
    client.post("/api/v1/runs", &json!({"graph": "slow", "run": "slow"})).is(202);
    served.having("slow", |shown| shown["lanes"][0]["node"] == "wait");
    let mut stream = client.watch("/api/v1/runs/slow/events");
    stream.until(|message| message.data["type"] == "waiting");
    served.signal(Signal::SIGTERM);
    // Whatever is stored last is still told, and then the stream ends.
    let rest: Vec<_> = std::iter::from_fn(|| stream.next()).collect();
    assert!(rest.len() <= 1, "{rest:?}");
    assert_eq!(served.code(), Some(0));
    let log = served.desk.run("log slow");
    assert!(log.stdout.contains("the run was interrupted by SIGTERM"), "{}", log.transcript());
    served.again("--resume");
    served.having("slow", |shown| shown["status"] == "running");
    // The lease is there a moment before the entry that says so.
    let client = served.client();
    until("both acts are stored", || {
        let told = events(&client, "slow").into_iter().filter(|told| told.event == "act");
        told.map(|told| told.data["type"].clone()).eq(["interrupted", "resumed"])
    });
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let mut served = Served::of(&[("talk.yaml", TALK), ("slow.yaml", SLOW)], "");
    served.client().post("/api/v1/runs", &json!({"graph": "slow", "run": "slow"})).is(202);
    served.having("slow", |shown| shown["lanes"][0]["node"] == "wait");
    // A request that does not end: the server would wait for it for a while.
    let mut half = Connection::open(&served.address);
    let head = format!(
        "POST /api/v1/runs HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{",
        served.address,
        served.token()
    );
    half.write(head.as_bytes());
    let client = served.client();
    until("the server has heard of it", || {
        client.get("/metrics").body.contains("loopwright_connections{of=\"people\"} 2\n")
    });
    served.signal(Signal::SIGTERM);
    until("it takes nobody in any more", || TcpStream::connect(&served.address).is_err());
    served.signal(Signal::SIGTERM);
    // One that waits until the request is cut off ends with 0.
    assert_eq!(served.code(), Some(130));
    // What was interrupted is stored, and goes on.
    served.again("--resume");
    served.having("slow", |shown| shown["status"] == "running");
}
