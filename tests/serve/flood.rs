//! Floods of connections and of streams.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::json;

use super::client::{Client, Connection};
use super::world::{Served, TALK, answer_path};
use crate::cli::Desk;

/// The connections of a flood.
const FLOOD: usize = 10_000;

/// The memory that a connection may take, in KiB.
const MAX_CONNECTION_KIB: usize = 64;

/// Files that a server has open beside connections that hold their places.
const OTHER_FILES: usize = 400;

/// The time in which a person gets in, whatever strangers do.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Lets this process open as many files as the system allows, and gives the size of a flood that fits.
fn flood() -> usize {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).expect("it can be read");
    setrlimit(Resource::RLIMIT_NOFILE, most, most).expect("it can be raised");
    FLOOD.min(usize::try_from(most).unwrap_or(usize::MAX) / 2)
}

fn desk() -> Desk {
    let desk = Desk::new();
    fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", TALK);
    desk
}

/// A connection over which half a request comes.
fn half_a_request(served: &Served) -> TcpStream {
    let mut stream = TcpStream::connect(&served.address).expect("it listens");
    // It may have been closed for another one.
    let _closed = stream.write_all(format!("GET / HTTP/1.1\r\nhost: {}\r\nx-", served.address).as_bytes());
    stream
}

/// A request that is answered in time.
fn in_time(client: &Client) {
    let begun = Instant::now();
    client.get("/api/v1/runs").is(200);
    assert!(begun.elapsed() < MAX_WAIT, "{:?}", begun.elapsed());
}

fn gauge(client: &Client, name: &str) -> usize {
    let figures = client.get("/metrics").is(200).body;
    let line = figures.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} is not in {figures}"))
}

#[test]
fn strangers_with_ten_thousand_connections_keep_nobody_out() {
    let flood = flood();
    let served = Served::on(desk(), "", &[]);
    let client = served.client();
    let question = served.asking("talk", "one")["asks"][0].clone();
    let mut stream = client.watch("/api/v1/runs/one/events");
    stream.until(|message| message.data["type"] == "asked");
    let before = served.memory_kib();
    let mut strangers = Vec::with_capacity(flood);
    for number in 0..flood {
        strangers.push(match number % 2 {
            0 => TcpStream::connect(&served.address).expect("it listens"),
            _ => half_a_request(&served),
        });
        if number % 1_000 == 0 {
            in_time(&client);
        }
    }
    in_time(&client);
    let open = gauge(&client, "loopwright_connections{of=\"strangers\"}");
    assert!((900..=1_000).contains(&open), "{open}");
    let (memory, files) = (served.memory_kib(), served.files());
    println!(
        "{flood} connections: {open} open, {files} files, {} KiB each",
        memory.saturating_sub(before) / open
    );
    assert!(memory < before + open * MAX_CONNECTION_KIB, "{before} KiB before, {memory} KiB after");
    assert!(files < 1_000 + OTHER_FILES, "{files} files");
    // Whoever watches goes on watching, and people act.
    client.with("if-match", "*").post(&answer_path("one", &question), &json!({"answer": "stop"})).is(202);
    stream.until(|message| message.data["type"] == "done");
    drop(strangers);
    in_time(&client);
}

#[test]
fn bodies_of_strangers_are_bounded() {
    let served = Served::on(desk(), "", &[]);
    let client = served.client();
    let before = served.memory_kib();
    // Each sends a megabyte of a delivery that it does not end.
    let head =
        format!("POST /hooks/none HTTP/1.1\r\nhost: {}\r\ncontent-length: 8000000\r\n\r\n", served.address);
    let bodies: Vec<Connection> = (0..200)
        .map(|_| {
            let mut connection = Connection::open(&served.address);
            connection.write(head.as_bytes());
            connection.write(&vec![b' '; 1 << 20]);
            connection
        })
        .collect();
    in_time(&client);
    let memory = served.memory_kib();
    println!("200 bodies of a megabyte: {} KiB", memory.saturating_sub(before));
    assert!(memory < before + (100 << 10), "{before} KiB before, {memory} KiB after");
    drop(bodies);
    // A token is short.
    let long = json!({"token": "x".repeat(5_000)});
    served.stranger().post("/api/v1/session", &long).is_problem(413, "too-large");
}

#[test]
fn a_watcher_with_ten_thousand_streams_is_told_and_others_watch() {
    let flood = flood();
    let desk = desk();
    let tokens = ["w", "o"].map(|letter| letter.repeat(40));
    desk.write("tokens", &format!("wim watch {}\nola run {}\n", tokens[0], tokens[1]));
    let path = desk.folder.path().join("tokens");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("it can be set");
    let served = Served::on(desk, "--token-file tokens", &[]);
    let [wim, ola] = tokens.map(|token| served.with_token(&token));
    ola.post("/api/v1/runs", &json!({"graph": "talk", "run": "one"})).is(202);
    let before = served.memory_kib();
    let path = "/api/v1/runs/one/events";
    let mut streams: Vec<_> = (0..1_000).map(|_| wim.watch(path)).collect();
    let per_stream = served.memory_kib().saturating_sub(before) / streams.len();
    println!("{per_stream} KiB for a stream");
    assert!(per_stream < MAX_CONNECTION_KIB);
    for _ in 1_000..flood {
        let refused = wim.get(path);
        let problem = refused.is_problem(503, "busy");
        assert!(problem["detail"].as_str().is_some_and(|why| why.contains("1000 streams")), "{problem}");
        assert_eq!((refused.header("retry-after"), refused.header("connection")), (Some("1"), Some("close")));
    }
    in_time(&ola);
    // Somebody else gets in, and the oldest stream of whoever has the most ends with the word when to come again.
    let mut stream = ola.watch(path);
    stream.until(|message| message.data["type"] == "asked");
    let first = &mut streams[0];
    while first.next().is_some() {}
    assert_eq!(gauge(&ola, "loopwright_event_streams"), 1_000);
    let question = ola.get("/api/v1/runs/one").json()["asks"][0].clone();
    ola.with("if-match", "*").post(&answer_path("one", &question), &json!({"answer": "stop"})).is(202);
    stream.until(|message| message.data["type"] == "done");
    // The same for connections over which nothing is asked.
    drop(streams);
    let idle = wim.without("connection");
    let connections: Vec<Connection> = (0..1_300)
        .map(|_| {
            let mut connection = Connection::open(&served.address);
            connection.write(idle.text("GET", "/api/v1/session", None).as_bytes());
            connection.response();
            connection
        })
        .collect();
    in_time(&ola);
    drop(connections);
}

#[test]
fn a_server_with_few_files_bounds_its_connections() {
    flood();
    let served = Served::under("ulimit -n 256", desk(), "");
    let client = served.client();
    let question = served.asking("talk", "one")["asks"][0].clone();
    let strangers: Vec<TcpStream> = (0..600).map(|_| half_a_request(&served)).collect();
    let streams: Vec<_> = (0..100)
        .map(|_| {
            let mut connection = Connection::open(&served.address);
            connection.write(client.text("GET", "/api/v1/runs/one/events", None).as_bytes());
            (connection.head().status, connection)
        })
        .collect();
    // Whoever has the most connections loses the oldest, or is told that there are too many.
    assert!(streams.iter().all(|(status, _)| matches!(status, 200 | 503)));
    assert!(streams.iter().any(|(status, _)| *status == 503) && streams[0].0 == 200);
    assert!(served.files() < 256, "{} files", served.files());
    in_time(&client);
    client.with("if-match", "*").post(&answer_path("one", &question), &json!({"answer": "stop"})).is(202);
    served.having("one", |shown| shown["status"] == "ended");
    drop((strangers, streams));
}
