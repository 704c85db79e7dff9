//! Tools of a server in a graph: how they are granted, called, limited and ended.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::cli::{Desk, Ran};
use crate::driver::kill;
use crate::until::until;

/// A graph that calls one tool and says what came of it.
const GRAPH: &str = "
graph: works
state: {said: any?, failed: string = \"\", told: string = \"\"}
start: work
nodes:
  work:
    kind: tool
    tool: t.TOOL
    args: ARGS
    into: said
    next:
      - {to: end}
      - {to: end, on: error, do: [failed = error.kind, told = error.message]}
      - {to: end, on: unknown, do: failed = \"unknown\"}
  end: {kind: final}
output: {said: said, failed: failed, told: told}
";

/// A folder with the server and a configuration of it, which is allowed.
pub(super) struct Bench {
    pub(super) desk: Desk,
    /// The runs that were begun.
    runs: Cell<u32>,
}

impl Bench {
    /// With further lines in the table of the server.
    pub(super) fn new(more: &str) -> Self {
        let desk = Desk::new();
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/server.py");
        fs::copy(server, desk.folder.path().join("server.py")).expect("it can be copied");
        let bench = Self { desk, runs: Cell::new(0) };
        bench.configure(more);
        bench
    }

    pub(super) fn configure(&self, more: &str) {
        self.desk.write(
            "loopwright.toml",
            &format!(
                "[mcp.t]\ncommand = [\"python3\", \"server.py\"]\nenv = [\"MCP_TEST\", \"MCP_LOG\", \"MCP_PID\", \"MCP_VERSION\"]\n{more}\n"
            ),
        );
        self.desk.trust(".");
    }

    /// Writes a graph that calls a tool.
    pub(super) fn graph(&self, tool: &str, args: &str) {
        self.desk.write("g.yaml", &GRAPH.replace("TOOL", tool).replace("ARGS", args));
    }

    /// Runs a graph that calls a tool, with the words of the test server's environment.
    pub(super) fn run(&self, tool: &str, args: &str, mode: &str) -> Ran {
        self.graph(tool, args);
        let number = self.runs.get() + 1;
        self.runs.set(number);
        self.desk
            .run_with(&format!("run g.yaml --run-id number-{number} --format json --grant t.*"), &env(mode))
    }

    /// The output of `run`.
    pub(super) fn output(&self, tool: &str, args: &str) -> serde_json::Value {
        let ran = self.run(tool, args, "");
        let document: serde_json::Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.transcript()));
        document["output"].clone()
    }

    /// The calls that reached the server.
    pub(super) fn calls(&self) -> Vec<String> {
        self.desk.text("calls").lines().map(str::to_owned).collect()
    }

    /// Waits until no server is left that was ever started.
    pub(super) fn nothing_is_left(&self) {
        let alive = || {
            let pids = self.desk.text("pids");
            let alive = pids.lines().filter(|pid| {
                fs::read_to_string(format!("/proc/{pid}/cmdline"))
                    .is_ok_and(|line| line.contains("server.py"))
            });
            alive.count()
        };
        until("all servers are gone", || alive() == 0);
    }

    /// Kills a run, whose id is `r`, in the middle of a call of the tool that sleeps.
    fn kill_in_sleep(&self, seconds: u32) {
        self.graph("sleep", &format!("{{s: {seconds}}}"));
        let mut run = self.desk.program();
        let mut run = run
            .args(["run", "g.yaml", "--grant", "t.*", "--run-id", "r"])
            .envs(env(""))
            .spawn()
            .expect("it starts");
        until("the call is made", || self.calls().contains(&"sleep".to_owned()));
        kill(&mut run);
    }
}

/// The environment of the test server.
pub(super) fn env(mode: &str) -> [(&str, &str); 3] {
    [("MCP_TEST", mode), ("MCP_LOG", "calls"), ("MCP_PID", "pids")]
}

#[test]
fn results_are_texts_records_and_lists_of_parts() {
    let bench = Bench::new("");
    assert_eq!(bench.output("echo", "{text: '\"hé\"'}")["said"], "hé");
    assert_eq!(bench.output("add", "{a: 2, b: 40}")["said"], serde_json::json!({"sum": 42}));
    assert_eq!(bench.output("two", "{}")["said"], "one\ntwo");
    let parts = bench.output("parts", "{}")["said"].clone();
    insta::assert_json_snapshot!(parts);
    let id = parts[1]["content"].as_str().and_then(|id| id.strip_prefix("blake3:")).expect("an id");
    let bytes = fs::read(bench.desk.folder.path().join(".loopwright/runs.db-contents").join(id));
    assert!(bytes.is_ok_and(|bytes| bytes.starts_with(b"\x89PNG")));
    bench.nothing_is_left();
}

#[test]
fn failures_say_what_failed() {
    let bench = Bench::new("timeout = \"20s\"\noutput_bytes = 1000\n[mcp.t.tool.sleep]\ntimeout = \"300ms\"");
    let mut said = String::new();
    for (tool, args) in [
        ("fail", "{}"),
        ("wrong_sum", "{}"),
        ("echo", "{}"),
        ("nothing", "{}"),
        ("sleep", "{s: 30}"),
        ("die", "{}"),
    ] {
        let output = bench.output(tool, args);
        let _ = writeln!(said, "{tool}: {}: {}", output["failed"], output["told"]);
    }
    insta::assert_snapshot!(said);
    let long = bench.output("long", "{}")["said"].clone();
    assert!(long.as_str().is_some_and(|text| text.ends_with("\n[cut off: 199000 bytes more]")), "{long}");
    assert!(bench.calls().contains(&"cancelled".to_owned()), "{:?}", bench.calls());
    bench.nothing_is_left();
}

#[test]
fn a_server_has_the_environment_that_it_was_given() {
    let bench = Bench::new("set_env = {OWN = \"1\"}");
    let ran = bench.run("env", "{}", "x");
    assert!(ran.stdout.contains("MCP_LOG MCP_PID MCP_TEST OWN PATH"), "{}", ran.transcript());
    assert!(!ran.stdout.contains("XDG_STATE_HOME") && !ran.stdout.contains("HOME "), "{}", ran.transcript());
}

#[test]
fn a_server_is_started_for_a_granted_tool_alone() {
    let bench = Bench::new("");
    bench.graph("echo", "{text: '\"a\"'}");
    let missing = bench.desk.run_with("run g.yaml", &env(""));
    assert_eq!(missing.code, Some(3), "{}", missing.transcript());
    let other = bench.desk.run_with("run g.yaml --grant t.ad*", &env(""));
    assert_eq!(other.code, Some(3), "{}", other.transcript());
    let wrong = bench.desk.run_with("run g.yaml --grant s.echo", &env(""));
    assert_eq!(wrong.code, Some(2), "{}", wrong.transcript());
    assert_eq!(bench.desk.text("pids"), "", "nothing was started");
    insta::assert_snapshot!([missing, wrong].map(|ran| ran.transcript()).join("\n"));
    for grant in ["t.echo", "t.e*", "t.*"] {
        let ran = bench.desk.run_with(&format!("run g.yaml --grant {grant}"), &env(""));
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    }
}

#[test]
fn what_was_not_allowed_starts_with_a_digest_alone() {
    let bench = Bench::new("");
    bench.configure("# changed\n");
    bench.desk.write("loopwright.toml", &(bench.desk.text("loopwright.toml") + "set_env = {A = \"b\"}\n"));
    bench.graph("echo", "{text: '\"a\"'}");
    let refused = bench.desk.run_with("run g.yaml --grant t.echo", &env(""));
    assert_eq!(refused.code, Some(3), "{}", refused.transcript());
    let locked = bench.desk.run_with("mcp lock", &env(""));
    assert_eq!(locked.code, Some(3), "{}", locked.transcript());
    let listed = bench.desk.run_with("tools", &env(""));
    assert!(listed.stderr.contains("was not asked"), "{}", listed.transcript());
    assert_eq!(bench.desk.text("pids"), "", "nothing was started");
    let digest = crate::trust::digest(&refused, "--grant t.echo@");
    let ran = bench.desk.run_with(&format!("run g.yaml --grant t.echo@{digest}"), &env(""));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let ran = bench.desk.run_with(&format!("mcp lock --grant t.*@{digest}"), &env(""));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
}

#[test]
fn a_server_that_ends_is_started_again_a_few_times() {
    let bench = Bench::new("delivery = \"idempotent\"");
    bench.desk.write(
        "g.yaml",
        "
graph: again
state: {kinds: 'list<string> = []', said: any?}
budgets: {rounds: 6}
start: work
nodes:
  work:
    kind: tool
    tool: t.die
    args: {}
    do: spend rounds
    next:
      - {to: work, on: error, do: 'kinds += error.kind'}
      - {to: end, on: exhausted(rounds)}
      - {to: end}
  end: {kind: final}
output: {kinds: kinds}
",
    );
    let ran = bench.desk.run_with("run g.yaml --format json --grant t.die", &env(""));
    assert!(ran.stdout.contains("\"unavailable\""), "{}", ran.transcript());
    assert_eq!(bench.desk.text("pids").lines().count(), 4, "{}", ran.transcript());
    bench.nothing_is_left();
}

#[test]
fn the_operator_says_how_often_a_call_may_be_made() {
    let mut said = String::new();
    for more in [
        "",
        "trust = \"hints\"",
        "trust = \"hints\"\n[mcp.t.tool.echo]\ndelivery = \"at_most_once\"\napproval = true",
        "tools = [\"ec*\", \"count\", \"none\"]",
    ] {
        let bench = Bench::new(more);
        let ran = bench.desk.run_with("tools --grant t.e*", &env(""));
        let lines = ran.transcript();
        let lines = lines
            .lines()
            .filter(|line| ["t.echo", "t.count", "t.add", "note"].iter().any(|t| line.starts_with(t)));
        let _ = writeln!(said, "# {more}\n{}", lines.collect::<Vec<_>>().join("\n"));
    }
    insta::assert_snapshot!(said);
}

#[test]
fn one_tool_can_be_tried_without_a_graph() {
    let bench = Bench::new("");
    let call = |words: &[&str]| bench.desk.run_words(words, &env(""));
    let ran = [
        call(&["tools", "call", "t.add", "{\"a\": 1, \"b\": 2}", "--grant", "t.add"]),
        call(&["tools", "call", "calculator", "{\"expression\": \"2*21\"}"]),
        call(&["tools", "call", "t.add", "{\"a\": 1}", "--grant", "t.add"]),
        call(&["tools", "call", "t.ad", "--grant", "t.ad"]),
        call(&["tools", "call", "t.add", "[]"]),
        call(&["tools", "call", "t.add"]),
    ];
    insta::assert_snapshot!(ran.map(|ran| ran.transcript()).join("\n"));
    bench.nothing_is_left();
}

#[test]
fn what_a_server_asks_in_a_call_is_answered_for_nobody() {
    let bench = Bench::new("");
    let mut said = String::new();
    for tool in ["ask", "visit", "sample", "roots"] {
        let ran = bench.run(tool, "{}", "");
        said += &ran.transcript();
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_server_asks_a_person_a_few_times_in_a_call() {
    let bench = Bench::new("");
    let ran = bench.run("ask", "{}", "often");
    let said = [["cancel"; 10].as_slice(), &["decline"; 20]].concat().join(" ");
    assert!(ran.stdout.contains(&said), "{}", ran.transcript());
}

#[test]
fn roots_are_told_where_they_are_declared() {
    let bench = Bench::new("roots = [\"graphs\"]");
    let said = bench.output("roots", "{}")["said"].to_string();
    assert!(said.contains("file:///") && said.contains("/graphs"), "{said}");
}

#[test]
fn nothing_is_left_of_a_server_whose_run_is_killed() {
    let bench = Bench::new("");
    bench.kill_in_sleep(60);
    bench.nothing_is_left();
    // It may be made at most once, so that a person or the graph says what becomes of it; a new server is there by then.
    let ran = bench.desk.run_with("resume r --grant t.* --format json", &env(""));
    assert!(ran.stdout.contains("\"failed\": \"unknown\""), "{}", ran.transcript());
    assert_eq!(bench.calls().iter().filter(|call| *call == "sleep").count(), 1);
    bench.nothing_is_left();
}

#[test]
fn a_call_that_may_be_repeated_is_made_again_by_a_new_server() {
    let bench = Bench::new("delivery = \"idempotent\"");
    bench.kill_in_sleep(3);
    let ran = bench.desk.run_with("resume r --grant t.* --format json", &env(""));
    assert!(ran.stdout.contains("\"slept\""), "{}", ran.transcript());
    assert_eq!(bench.calls().iter().filter(|call| *call == "sleep").count(), 2);
    assert_eq!(bench.desk.text("pids").lines().count(), 2);
    bench.nothing_is_left();
}

#[test]
fn what_is_recorded_needs_no_server() {
    let bench = Bench::new("");
    let ran = bench.run("add", "{a: 1, b: 2}", "");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let runs = bench.desk.run("runs --format json");
    let id = runs.stdout.split("\"run\": \"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id");
    fs::remove_file(bench.desk.folder.path().join("server.py")).expect("it is there");
    let replayed = bench.desk.run(&format!("replay {id}"));
    assert_eq!(replayed.code, Some(0), "{}", replayed.transcript());
}

#[test]
fn a_script_that_answers_for_tools_starts_no_server() {
    let bench = Bench::new("");
    bench.graph("echo", "{text: '\"a\"'}");
    bench.desk.write("s.yaml", "tools:\n  - {tool: t.echo, ok: scripted}\n");
    let ran = bench.desk.run_with("run g.yaml --script s.yaml --format json", &env(""));
    assert!(ran.stdout.contains("scripted"), "{}", ran.transcript());
    assert_eq!(bench.desk.text("pids"), "");
}

#[test]
fn both_syntaxes_name_tools_of_servers() {
    let bench = Bench::new("");
    bench.graph("echo", "{text: '\"a\"'}");
    let converted = bench.desk.run("convert g.yaml --to loop");
    assert_eq!(converted.code, Some(0), "{}", converted.transcript());
    bench.desk.write("g.loop", &converted.stdout);
    let ran = bench.desk.run_with("run g.loop --grant t.echo --format json", &env(""));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(converted.stdout.contains("t.echo"), "{}", converted.stdout);
}

#[test]
fn limits_hold_for_tools_of_servers() {
    let bench = Bench::new("[limits.tools.\"t.e*\"]\ncalls = 0\n");
    let output = bench.output("echo", "{text: '\"a\"'}");
    assert_eq!(output["failed"], "denied", "{output}");
    assert_eq!(bench.calls(), Vec::<String>::new());
}
