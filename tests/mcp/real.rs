//! Real servers, as `.ci/mcp` installs them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::part::Part;
use crate::cli::Desk;
use crate::driver::kill;
use crate::until::until;

/// A graph that makes calls, one after the other, and tells what came of each.
const CALLS: &str = "
graph: all
input: {calls: 'list<map<any>>'}
state: {said: 'list<any> = []'}
start: work
nodes:
  work:
    kind: each
    over: calls
    as: one
    at_once: 1
    limit: 40
    graph:
      graph: one_call
      input: {one: map<any>}
      state: {said: any?, failed: string?}
      start: make
      nodes:
        make:
          kind: tool
          tool_of: string(one['tool'] ?? '')
          args: one['args'] ?? {}
          into: said
          next:
            - {to: done}
            - {to: done, on: error, do: \"failed = error.kind + ': ' + error.message\"}
            - {to: done, on: unknown, do: \"failed = 'unknown: ' + error.message\"}
        done: {kind: final}
      output: {told: \"{'tool': one['tool'] ?? '', 'said': said, 'failed': failed}\"}
    with: {one: one}
    then: 'for lane in result { said += lane.told }'
    next: [{to: done}, {to: failed, on: error}]
  done: {kind: final}
  failed: {kind: final, ok: false}
output: {said: said}
";

/// The calls of all tools of the server that has everything.
fn everything() -> Vec<(&'static str, Json)> {
    vec![
        ("echo", json!({"message": "hé"})),
        ("get-annotated-message", json!({"messageType": "success", "includeImage": true})),
        ("get-env", json!({})),
        ("get-resource-links", json!({"count": 2})),
        ("get-resource-reference", json!({"resourceType": "Text", "resourceId": 1})),
        ("get-structured-content", json!({"location": "Chicago"})),
        ("get-sum", json!({"a": 2, "b": 40})),
        ("get-tiny-image", json!({})),
        (
            "gzip-file-as-resource",
            json!({"name": "a.gz", "data": "data:text/plain,hello", "outputType": "resource"}),
        ),
        // It wants a form of call that the protocol calls experimental.
        ("simulate-research-query", json!({"topic": "apples"})),
        ("toggle-simulated-logging", json!({})),
        ("toggle-subscriber-updates", json!({})),
        ("trigger-elicitation-request", json!({})),
        ("trigger-long-running-operation", json!({"duration": 1, "steps": 2})),
    ]
}

/// The outcome of each call.
fn call_all(desk: &Desk) -> BTreeMap<String, Json> {
    let calls =
        everything().into_iter().map(|(tool, args)| json!({"tool": format!("ev.{tool}"), "args": args}));
    desk.write("calls.json", &json!({"calls": calls.collect::<Vec<_>>()}).to_string());
    desk.write("all.yaml", CALLS);
    let ran = desk.run("run all.yaml --input @calls.json --grant ev.* --format json");
    let document: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.transcript()));
    let said =
        document["output"]["said"].as_array().unwrap_or_else(|| panic!("{}", ran.transcript())).clone();
    said.into_iter()
        .map(|one| {
            let tool = one["tool"].as_str().expect("a tool").to_owned();
            (
                tool,
                if one["failed"].is_null() { one["said"].clone() } else { json!({"failed": one["failed"]}) },
            )
        })
        .collect()
}

/// A server over HTTP, which ends with this.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn all_tools_of_a_server_answer_over_both_transports() {
    let Some(part) = Part::get() else { return };
    let script = part.script("server-everything", "dist/index.js");
    let desk = Desk::new();
    desk.write("loopwright.toml", &format!("[mcp.ev]\ncommand = [\"node\", \"{}\"]\n", script.display()));
    desk.trust(".");
    let listed = desk.run("tools --grant ev.*");
    let tools = listed.stdout.lines().filter(|line| line.starts_with("ev.")).count();
    assert_eq!(tools, everything().len(), "a tool is not called: {}", listed.transcript());
    let local = call_all(&desk);

    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let number = free.expect("a port").port();
    let mut server = Command::new("node");
    server.arg(&script).arg("streamableHttp").env("PORT", number.to_string());
    let _served = Served(
        server
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("node is here"),
    );
    until("the server listens", || TcpStream::connect(("127.0.0.1", number)).is_ok());
    desk.write("loopwright.toml", &format!("[mcp.ev]\nurl = \"http://127.0.0.1:{number}/mcp\"\n"));
    desk.trust(".");
    let remote = call_all(&desk);
    let mut said = String::new();
    for (tool, local) in &local {
        let remote = &remote[tool];
        // These tell of the process, the time and the session.
        let own = [
            "ev.get-env",
            "ev.get-resource-reference",
            "ev.toggle-simulated-logging",
            "ev.toggle-subscriber-updates",
        ];
        if own.contains(&tool.as_str()) {
            assert_eq!(local.is_string(), remote.is_string(), "{tool}: {local} {remote}");
            assert!(local["failed"].is_null() && remote["failed"].is_null(), "{tool}: {local} {remote}");
        } else {
            assert_eq!(local, remote, "{tool}");
            writeln!(said, "{tool}: {local}").expect("a text takes all");
        }
    }
    assert!(
        local["ev.get-env"].as_str().is_some_and(|env| !env.contains("\"HOME\"")),
        "{}",
        local["ev.get-env"]
    );
    insta::assert_snapshot!(said);
}

/// Three servers in one graph, written in two languages.
const THREE: &str = "
graph: three
state: {text: any?, noon: any?, log: any?, slow: any?}
start: write
nodes:
  write:
    kind: tool
    tool: fs.write_file
    args: {path: \"'note.txt'\", content: \"'Noon in Tokyo?'\"}
    next: [{to: convert}, {to: failed, on: error}]
  convert:
    kind: tool
    tool: time.convert_time
    args: {source_timezone: \"'Europe/Berlin'\", time: \"'12:00'\", target_timezone: \"'Asia/Tokyo'\"}
    into: noon
    next: [{to: wait_long}, {to: failed, on: error}]
  wait_long:
    kind: tool
    tool: ev.trigger-long-running-operation
    args: {duration: '4', steps: '4'}
    into: slow
    next: [{to: read}, {to: failed, on: error}]
  read:
    kind: tool
    tool: fs.read_text_file
    args: {path: \"'note.txt'\"}
    into: text
    next: [{to: history}, {to: failed, on: error}]
  history:
    kind: tool
    tool: git.git_log
    args: {repo_path: \"'.'\", max_count: '1'}
    into: log
    next: [{to: done}, {to: failed, on: error}]
  done: {kind: final}
  failed: {kind: final, ok: false}
output: {text: text, noon: noon, log: log, slow: slow}
";

#[test]
fn a_graph_that_uses_several_servers_is_killed_resumed_and_replayed() {
    let Some(part) = Part::get() else { return };
    let desk = Desk::new();
    let folder = desk.folder.path();
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let ran =
            Command::new("git").current_dir(folder).args(who).args(words).output().expect("git is here");
        assert!(ran.status.success(), "{ran:?}");
    };
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "the first"]);
    let node = |package| part.script(package, "dist/index.js").display().to_string();
    let python = part.python().display().to_string();
    desk.write(
        "loopwright.toml",
        &format!(
            "[mcp.fs]\ncommand = [\"node\", \"{}\", \".\"]\n\
             [mcp.ev]\ncommand = [\"node\", \"{}\"]\ntool.trigger-long-running-operation = {{delivery = \"idempotent\"}}\n\
             [mcp.time]\ncommand = [\"python3\", \"-m\", \"mcp_server_time\"]\nset_env = {{PYTHONPATH = \"{python}\"}}\n\
             [mcp.git]\ncommand = [\"python3\", \"-m\", \"mcp_server_git\"]\nset_env = {{PYTHONPATH = \"{python}\"}}\n",
            node("server-filesystem"),
            node("server-everything"),
        ),
    );
    desk.trust(".");
    desk.write("three.yaml", THREE);
    let grants = ["--grant", "fs.*", "--grant", "ev.*", "--grant", "time.*", "--grant", "git.*"];
    let mut killed = desk
        .program()
        .args(["run", "three.yaml", "--run-id", "three"])
        .args(grants)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    until("the slow call is reached", || desk.run("show three").stdout.contains("wait_long"));
    std::thread::sleep(Duration::from_millis(500));
    kill(&mut killed);
    until("all servers are gone", || servers_in(folder).is_empty());
    let resumed = desk.run_words(&[&["resume", "three", "--format", "json"][..], &grants].concat(), &[]);
    let document: Json =
        serde_json::from_str(&resumed.stdout).unwrap_or_else(|_| panic!("{}", resumed.transcript()));
    let output = &document["output"];
    assert_eq!(document["outcome"], "done", "{}", resumed.transcript());
    assert!(output["text"].to_string().contains("Noon in Tokyo?"), "{output:#}");
    // Japan has no summer time.
    let noon = output["noon"].to_string();
    assert!(noon.contains("T20:00") || noon.contains("T19:00"), "{output:#}");
    assert!(output["log"].to_string().contains("the first"), "{output:#}");
    assert!(output["slow"].to_string().contains("completed"), "{output:#}");
    let log = desk.run("log three --format jsonl").stdout;
    let called =
        |tool: &str| log.lines().filter(|line| line.contains("\"called\"") && line.contains(tool)).count();
    assert_eq!([called("fs.write_file"), called("time.convert_time")], [1, 1], "{log}");
    assert_eq!(servers_in(folder), Vec::<String>::new(), "servers are left");
    let replayed = desk.run("replay three");
    assert_eq!(replayed.code, Some(0), "{}", replayed.transcript());
}

/// The processes that work in a folder.
fn servers_in(folder: &std::path::Path) -> Vec<String> {
    let folder = folder.canonicalize().expect("it is there");
    let processes = fs::read_dir("/proc").expect("processes are listed").filter_map(Result::ok);
    let here =
        processes.filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder));
    let line = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("cmdline")).ok();
    here.filter_map(line).filter(|line| !line.is_empty()).map(|line| line.replace('\0', " ")).collect()
}
