//! Readers that do not read: they cost little, are dropped, and may come back.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use loopwright::serve::confined::Confined;
use loopwright::serve::web::{
    Door, RunNotes, ServerBounds, Tokens, WebApi, WebListener, WebParts, WebServer,
};
use loopwright::store::Sqlite;
use serde_json::json;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use super::client::{Client, Connection, EventStream, Message};
use super::world::{Served, answer_path, events};
use crate::until::until;

/// Takes texts of any length.
const TAKES: &str = "
graph: takes
ignore: {unhandled: Nobody goes on for so long.}
state: {text: string?}
budgets: {rounds: 100}
start: ask
nodes:
  ask: {kind: human, ask: \"'More?'\", into: text, do: spend rounds, next: [{to: end, when: text == 'stop'}, {to: ask}]}
  end: {kind: final}
";

/// The texts of the run, and the length of each.
const TEXTS: usize = 24;
const BYTES: usize = 1 << 20;

const READERS: usize = 10;

/// The memory that a reader may take, in KiB. The events of a step are 2 MiB here, and are there several times while they are read; all are 50 MiB.
const MAX_READER_KIB: usize = 20 << 10;

/// A server with a run of many megabytes.
fn served() -> Served {
    let served = Served::of(&[("takes.yaml", TAKES)], "");
    let client = served.client().with("if-match", "*");
    served.asking("takes", "long");
    for number in 0..TEXTS {
        let question = served.waiting("long")["asks"][0].clone();
        let text = format!("{number} ") + &"x".repeat(BYTES);
        client.post(&answer_path("long", &question), &json!({"answer": text})).is(202);
        served.having("long", |shown| {
            !shown["asks"][0].is_null() && shown["asks"][0]["ask"] != question["ask"]
        });
    }
    served
}

/// A stream that nobody reads.
fn deaf(client: &Client) -> Connection {
    let mut connection = Connection::open(&client.address);
    connection.write(client.text("GET", "/api/v1/runs/long/events", None).as_bytes());
    connection
}

#[test]
fn readers_that_do_not_read_cost_little() {
    let served = served();
    let client = served.client();
    // One who reads it all.
    let whole = events(&client, "long");
    assert!(whole.len() > TEXTS * 5);
    let before = served.memory_kib();
    let readers: Vec<Connection> = (0..READERS).map(|_| deaf(&client)).collect();
    until("each has what it is given", || {
        client.get("/metrics").body.contains(&format!("streams {READERS}\n"))
    });
    // As long as the system takes something for them.
    thread::sleep(Duration::from_secs(2));
    let each = served.memory_kib().saturating_sub(before) / READERS;
    println!("{each} KiB for a reader that does not read, of a run of {TEXTS} MiB");
    assert!(each < MAX_READER_KIB, "{each} KiB");
    // Others are served meanwhile.
    assert_eq!(events(&client, "long"), whole);
    drop(readers);
}

struct Silent;

impl RunNotes for Silent {
    fn noted(&self, _: &str, _: &str) {}
}

#[test]
fn a_reader_that_does_not_read_is_dropped_and_may_come_back() {
    let mut served = served();
    let whole = events(&served.client(), "long");
    served.kill();
    // The same store, served with less patience.
    let store = Sqlite::open(served.desk.folder.path().join(".loopwright/runs.db")).expect("it opens");
    let token = "t".repeat(40);
    let (tell, hear) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let own = token.clone();
    let serving = thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let bound = WebServer::bind("127.0.0.1:0".parse().expect("an address"), None).await;
            let bound = bound.expect("a port");
            let address = bound.address();
            tell.send(address.to_string()).expect("it is waited for");
            let parts = WebParts {
                graphs: Vec::new(),
                store: Arc::new(store),
                at_once: 1,
                door: Door::new(
                    Tokens::one("ana", &own),
                    vec![format!("http://{address}")],
                    false,
                    address.port(),
                ),
                webhooks: Vec::new(),
                confined: Confined::of_process().expect("the system tells which program this is"),
                notes: Arc::new(Silent),
                bounds: ServerBounds { pause: Duration::from_secs(5), ..ServerBounds::default() },
                editor: None,
            };
            let api = WebApi::new(parts, &WebListener::default());
            bound.serve(api, async { stopped.await.unwrap_or_default() }).await;
        });
    });
    let address = hear.recv().expect("it has an address");
    let headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
    let client = Client { address, headers };
    let mut connection = deaf(&client);
    let mut looker = client.clone();
    looker.headers.push(("connection".to_owned(), "close".to_owned()));
    let streams = |many: usize| {
        let line = format!("loopwright_event_streams {many}\n");
        until(&line, || looker.get("/metrics").body.contains(&line));
    };
    streams(1);
    // Nothing of it is read.
    streams(0);
    // What the system has taken for it is read, and no more.
    let response = connection.head();
    assert_eq!(response.status, 200, "{response:?}");
    let mut heard: Vec<Message> = rest(EventStream::of(connection));
    let before = heard.len();
    assert!(before > 0 && before < whole.len(), "{before} of {}", whole.len());
    let last = heard.last().and_then(|message| message.id.clone()).expect("an id");
    let again = looker.watch(&format!("/api/v1/runs/long/events?follow=false&after={last}"));
    heard.extend(rest(again));
    assert!(heard == whole, "{before} and {} of {}", heard.len() - before, whole.len());
    stop.send(()).expect("it runs");
    serving.join().expect("no panic");
}

/// The messages of a stream to its end.
fn rest(mut stream: EventStream) -> Vec<Message> {
    std::iter::from_fn(|| stream.next()).collect()
}
