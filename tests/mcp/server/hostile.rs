//! Messages of strangers. Each gets one clear error, and the server goes on.

use std::fmt::Write as _;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use loopwright::serve::commands::TextCommand;
use loopwright::serve::confined::Confined;
use nix::sys::signal::Signal;
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};
use serde_json::{Value, json};

use super::client::{Client, text};
use crate::cli::Desk;
use crate::driver::signal;
use crate::until::until;

/// The server still answers.
fn lives(client: &mut Client) {
    assert_eq!(client.ask("ping", &json!({})), json!({}));
}

#[test]
fn arguments_that_do_not_fit_get_one_error_each() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let graph = "graph: a\nstart: b\nnodes: {b: {kind: final}}\n";
    let many: serde_json::Map<String, Value> =
        (0..101).map(|at| (format!("{at}.yaml"), json!(graph))).collect();
    let calls: &[(&str, Value)] = &[
        ("check", json!({})),
        ("check", json!({"files": {}})),
        ("check", json!({"files": "a.yaml"})),
        ("check", json!({"files": {"a.yaml": 7}})),
        ("check", json!({"files": {"a.yaml": graph}, "root": "/"})),
        ("check", json!({"files": {"../a.yaml": graph}})),
        ("check", json!({"files": {"/etc/passwd": graph}})),
        ("check", json!({"files": {"a/../../b.yaml": graph}})),
        ("check", json!({"files": {"./a.yaml": graph}})),
        ("check", json!({"files": {"a\\b.yaml": graph}})),
        ("check", json!({"files": {"a\u{1b}[2J.yaml": graph}})),
        ("check", json!({"files": {"": graph}})),
        ("check", json!({"files": {"x".repeat(201): graph}})),
        ("check", json!({"files": many})),
        ("check", json!({"files": {"a.yaml": "x".repeat((4 << 20) + 1)}})),
        ("check", json!({"files": {"a.txt": "nothing"}})),
        ("check", json!({"files": {"a.yaml": graph}, "graphs": ["b.yaml"]})),
        ("render", json!({"files": {"a.yaml": graph, "b.yaml": graph}})),
        ("render", json!({"files": {"a.yaml": graph}, "as": "png"})),
        ("render", json!({"files": {"a.yaml": graph}, "depth": 0})),
        ("render", json!({"files": {"a.yaml": graph}, "depth": -1})),
        ("diff", json!({"files": {"a.yaml": graph}, "before": "a.yaml", "after": "/etc/passwd"})),
        ("test", json!({"files": {"a.yaml": graph}})),
        ("explain", json!({"name": "\u{1b}[2J\n"})),
        ("explain", json!({"name": ["a"]})),
    ];
    let mut page = String::new();
    for (tool, arguments) in calls {
        let result = client.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let said = text(&result);
        assert_eq!(said.lines().count(), 1, "{tool}: {said}");
        let _ = write!(page, "{tool}: {said}");
    }
    insta::assert_snapshot!("refused", page);
    lives(&mut client);
}

#[test]
fn files_that_are_not_in_the_map_are_not_there() {
    let desk = Desk::new();
    // It is on the disk, in the folder of the server.
    desk.write("secret.yaml", "# MARK\ngraph: secret\nstart: b\nnodes: {b: {kind: final}}\n");
    let secret = desk.folder.path().join("secret.yaml");
    let mut client = Client::new(&desk, &[]);
    for path in
        ["secret.yaml", "../secret.yaml", &secret.to_string_lossy(), "/etc/hostname", "/dev/stdin", "-"]
    {
        let calls = [
            format!("graph: a\nextends: {path}\n"),
            format!("graph: a\nuse: [{path}]\nstart: b\nnodes: {{b: {{kind: final}}}}\n"),
            format!("graph: a\ntexts: {{t: {{file: {path}}}}}\nstart: b\nnodes: {{b: {{kind: final}}}}\n"),
            format!(
                "graph: a\nstart: b\nnodes:\n  b: {{kind: call, graph: {path}, next: [{{to: c}}]}}\n  c: {{kind: final}}\n"
            ),
        ];
        for graph in calls {
            let result = client.call("check", &json!({"files": {"a.yaml": graph}}));
            let said = result.to_string();
            assert_eq!(result["structuredContent"]["ok"], false, "{graph}: {said}");
            assert!(!said.contains("MARK"), "{graph}: {said}");
        }
        let scenarios = format!("graph: {path}\nscenarios: [{{name: one, expect: {{outcome: b}}}}]\n");
        let result = client.call("test", &json!({"files": {"a.scenarios.yaml": scenarios}}));
        assert_eq!(result["structuredContent"]["ok"], false, "{path}: {result}");
        assert_eq!(result["structuredContent"]["passed"], 0, "{path}: {result}");
    }
    lives(&mut client);
}

/// Scenarios that play for long, one after the other: each round of the graph does `work`.
fn long_scenarios(rounds: u32, work: &str) -> Value {
    let graph = format!(
        "graph: long\nstate: {{n: int = 0}}\nbudgets: {{rounds: {rounds}}}\nstart: again\nnodes:\n  again:\n    do: |\n      spend rounds\n      n = {work}\n    next: [{{to: again}}, {{to: done, on: exhausted(rounds)}}]\n  done: {{kind: final}}\n"
    );
    let mut scenarios = "graph: long.yaml\nscenarios:\n".to_owned();
    for at in 0..2_000 {
        let _ = writeln!(scenarios, "  - {{name: s{at}, expect: {{outcome: done}}}}");
    }
    json!({"long.yaml": graph, "long.scenarios.yaml": scenarios})
}

/// Takes time and no memory.
fn slow_scenarios() -> Value {
    long_scenarios(200, "size(lists.range(20000).filter(x, x % 7 == n % 5))")
}

#[test]
fn a_call_that_takes_too_long_is_ended_with_its_process() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let began = Instant::now();
    let result = client.call("test", &json!({"files": slow_scenarios()}));
    assert_eq!(text(&result), "error: it took longer than 5 s, which is all that a call has\n");
    assert!(began.elapsed() < Duration::from_secs(20), "it took {:?}", began.elapsed());
    assert_eq!(children(client.id()), Vec::<u32>::new(), "processes are left");
    lives(&mut client);
}

#[tokio::test]
async fn a_call_that_takes_too_much_memory_is_ended() {
    // A tenth of the usual bound, so that it is met in time on a slow machine.
    let confined = Confined::new(env!("CARGO_BIN_EXE_loopwright")).limits(Duration::from_secs(5), 24 << 20);
    // The events of every run are stored until all are over.
    let Value::Object(arguments) = json!({"files": long_scenarios(90_000, "n + 1")}) else { unreachable!() };
    let reply = confined.run(TextCommand::Test, arguments).await;
    assert_eq!(reply.text, "error: it needs more than 24 MiB of memory, which is all that a call has\n");
    // Within its bound it is carried out.
    let Value::Object(arguments) = json!({"name": "no-otherwise"}) else { unreachable!() };
    assert!(!confined.run(TextCommand::Explain, arguments).await.failed);
}

#[test]
fn a_call_that_is_given_up_is_ended_with_its_process() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let files = slow_scenarios();
    let id = client.begin("tools/call", &json!({"name": "test", "arguments": {"files": files}}));
    until("the command is at work", || !children(client.id()).is_empty());
    client.notify("notifications/cancelled", &json!({"requestId": id, "reason": "enough"}));
    lives(&mut client);
    // By itself it would be ended only when its 5 s are over.
    let begun = Instant::now();
    until("its process is gone", || children(client.id()).is_empty());
    assert!(begun.elapsed() < Duration::from_secs(4), "it was not ended by that: {:?}", begun.elapsed());
}

#[test]
fn processes_of_a_server_that_is_killed_end_too() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let files = slow_scenarios();
    client.begin("tools/call", &json!({"name": "test", "arguments": {"files": files}}));
    until("the command is at work", || !children(client.id()).is_empty());
    let left = children(client.id());
    assert!(!left.is_empty(), "no process was started");
    drop(client);
    let alive = |id: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    until("its processes are gone", || !left.iter().any(alive));
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<u32> {
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = all.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let of = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse::<u32>().ok());
        of == Some(parent)
    })
    .collect()
}

#[test]
fn lines_that_are_no_messages_are_answered() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let mut random = [0; 300];
    StdRng::seed_from_u64(7).fill_bytes(&mut random);
    random.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = 0);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let call = |id: &str, method: &str, params: &str| {
        format!("{{\"jsonrpc\": \"2.0\", \"id\": {id}, \"method\": \"{method}\", \"params\": {params}}}")
    };
    let lines: Vec<(Vec<u8>, i64)> = vec![
        (random.to_vec(), -32700),
        (b"{".to_vec(), -32700),
        (deep.clone().into_bytes(), -32700),
        (b"[]".to_vec(), -32600),
        (b"7".to_vec(), -32600),
        (b"{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}".to_vec(), -32600),
        (
            call("5", "tools/call", &format!("{{\"name\": \"check\", \"arguments\": {deep}}}")).into_bytes(),
            -32700,
        ),
        (call("5", "no/such", "{}").into_bytes(), -32601),
        (call("5", "tools/call", "{\"name\": \"rm\"}").into_bytes(), -32602),
        (call("5", "tools/list", "{\"cursor\": \"../..\"}").into_bytes(), -32602),
        (call("5", "prompts/get", "{\"name\": \"\\u001b[2J\"}").into_bytes(), -32602),
        (call("5", "resources/read", "{\"uri\": \"file:///etc/passwd\"}").into_bytes(), -32002),
    ];
    for (line, code) in lines {
        client.write(&line);
        client.write(b"\n");
        let answer = client.hear();
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        lives(&mut client);
    }
}

#[test]
fn a_message_of_100_megabytes_is_refused_and_not_kept() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let piece = vec![b'a'; 1 << 20];
    client.write(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"");
    for _ in 0..100 {
        client.write(&piece);
    }
    client.write(b"\"}\n");
    let answer = client.hear();
    assert_eq!(answer["error"]["message"], "the message is longer than 16777216 bytes", "{answer}");
    lives(&mut client);
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    if let Some(peak) = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok()) {
        assert!(peak < 150_000, "the server took {peak} kB");
    }
}

#[test]
fn a_client_that_never_shakes_hands_gets_an_answer() {
    let desk = Desk::new();
    let mut client = Client::silent(&desk, &[]);
    let answer = client.answer("tools/list", &json!({}));
    assert!(answer["error"]["message"].is_string(), "{answer}");
    // One that says nothing at all is no fault.
    assert_eq!(Client::silent(&desk, &[]).close(), Some(0));
}

#[test]
fn a_flood_of_calls_is_bounded() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let call = json!({"name": "test", "arguments": {"files": slow_scenarios()}});
    for _ in 0..100 {
        client.begin("tools/call", &call);
    }
    // Those for which there is no place are told so at once.
    let said = client.hear();
    assert_eq!(text(&said["result"]), "error: 64 calls wait already; try later\n", "{said}");
    lives(&mut client);
}

/// The end does not wait for a client that reads nothing.
#[test]
fn a_client_that_does_not_read_keeps_no_server() {
    let desk = Desk::new();
    let mut program = desk.program();
    program.args(["mcp", "serve"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = program.spawn().expect("it starts");
    let mut to = server.stdin.take().expect("it is piped");
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "deaf", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let mut lines = format!("{hello}\n{ready}\n");
    for id in 1..200 {
        let _ = writeln!(lines, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}));
    }
    // The server may stop reading when nobody reads it.
    let writing = std::thread::spawn(move || {
        let _full = to.write_all(lines.as_bytes());
    });
    std::thread::sleep(Duration::from_secs(1));
    signal(&server, Signal::SIGTERM);
    until("the server has ended", || server.try_wait().expect("it can be asked").is_some());
    writing.join().expect("it ends with the server");
}
