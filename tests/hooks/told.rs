//! What hooks are told, and what becomes of a run beside them.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use serde_json::Value as Json;

use crate::cli::{Desk, Ran};

const SCRIPT: &str = "
model:
  decider:
    - {action: call_tool, tool_call: {tool_id: calculator, params: {expression: 6 * 7}}}
    - {action: complete}
";

/// A graph of so many steps.
const COUNT: &str = "
graph: count
state: {n: int = 0}
start: again
nodes:
  again: {do: n += 1, next: [{to: again, when: n < 600}, {to: end}]}
  end: {kind: final}
output: {n: n}
";

fn program(desk: &Desk, name: &str, text: &str) {
    desk.write(name, &format!("#!/bin/sh\n{text}\n"));
    let path = desk.folder.path().join(name);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it may be started");
}

fn desk(config: &str, programs: &[(&str, &str)]) -> Desk {
    let desk = Desk::new();
    for (name, text) in programs {
        program(&desk, name, text);
    }
    desk.write("script.yaml", SCRIPT);
    desk.write("loopwright.toml", config);
    desk.trust(".");
    desk
}

fn run(desk: &Desk) -> Ran {
    let ran = desk.run("run graphs/mini.yaml --run-id a --script script.yaml --log warn");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "outcome: complete\n"), "{}", ran.transcript());
    ran
}

fn told(desk: &Desk, file: &str) -> Vec<Json> {
    let text = desk.text(file);
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

#[test]
fn every_event_is_told_in_order_as_one_line() {
    let all = "on = [\"run.started\", \"node.entered\", \"call.finished\", \"run.ended\"]";
    let config = format!(
        "[hooks.all]\ncommand = [\"./note\", \"; touch shell\"]\n{all}\nset_env = {{FILE = \"all.jsonl\"}}\n\
         [hooks.ends]\ncommand = [\"./note\"]\non = [\"run.ended\"]\nset_env = {{FILE = \"ends.jsonl\"}}\n"
    );
    let desk = desk(&config, &[("note", "cat >> \"$FILE\"")]);
    let ran = run(&desk);
    assert_eq!(ran.stderr, "", "nothing is to be said of them");
    let all = told(&desk, "all.jsonl");
    let log = desk.run("log a --format jsonl").stdout;
    let events: Vec<Json> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds = ["started", "entered", "resolved", "done"];
    let expected: Vec<&Json> =
        events.iter().filter(|event| kinds.contains(&event["type"].as_str().unwrap_or_default())).collect();
    assert_eq!(
        all.iter().map(|told| &told["event"]).collect::<Vec<_>>(),
        expected,
        "as `log --format jsonl` has them"
    );
    assert!(all.iter().all(|told| told["v"] == 1 && told["run"] == "a"), "{all:?}");
    let names: Vec<&str> = all.iter().filter_map(|told| told["hook"].as_str()).collect();
    assert_eq!((names.first(), names.last()), (Some(&"run.started"), Some(&"run.ended")), "{names:?}");
    assert_eq!(names.iter().filter(|name| **name == "call.finished").count(), 3, "{names:?}");
    assert_eq!(told(&desk, "ends.jsonl").len(), 1);
    assert!(!desk.folder.path().join("shell").exists(), "no shell is involved");
}

#[test]
fn a_hook_sees_a_minimal_environment_and_no_key() {
    let config = "[models.decider]\nprovider = \"openai\"\nmodel = \"m\"\nkey = {env = \"KEY_OF_A_TEST\"}\n\
                  [hooks.looks]\ncommand = [\"./look\"]\non = [\"run.started\"]\nenv = [\"PATH\", \"SEEN\"]\nset_env = {MODE = \"x\"}\n";
    let desk = desk(config, &[("look", "env > env.txt; cat > told.json")]);
    desk.write(
        "says.yaml",
        "graph: says\ninput: {word: string}\nstart: end\nnodes: {end: {kind: final}}\noutput: {word: word}\n",
    );
    let env = [("KEY_OF_A_TEST", "sk-of-nobody-at-all"), ("SEEN", "yes"), ("UNSEEN", "no")];
    let ran = desk.run_with("run says.yaml --input word=sk-of-nobody-at-all", &env);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let mut seen: Vec<String> = desk.text("env.txt").lines().map(str::to_owned).collect();
    // A shell sets these itself.
    seen.retain(|line| !["PATH=", "PWD=", "SHLVL=", "_=", "OLDPWD="].iter().any(|own| line.starts_with(own)));
    seen.sort();
    assert_eq!(seen, ["MODE=x", "SEEN=yes"]);
    let told = desk.text("told.json");
    assert!(told.contains("\"word\":\"***\"") && !told.contains("sk-of-nobody"), "{told}");
}

#[test]
fn what_goes_wrong_with_hooks_is_in_the_log_alone() {
    let on = "on = [\"run.ended\"]";
    let config = format!(
        "[hooks.fails]\ncommand = [\"./fails\"]\n{on}\n[hooks.missing]\ncommand = [\"./missing\"]\n{on}\n\
         [hooks.hangs]\ncommand = [\"./hangs\"]\n{on}\ntimeout = \"200ms\"\n[hooks.deaf]\ncommand = [\"true\"]\n{on}\n"
    );
    let programs =
        [("fails", "echo from the hook; exit 7"), ("hangs", "trap '' TERM; sleep 600"), ("missing", "")];
    let desk = desk(&config, &programs);
    std::fs::remove_file(desk.folder.path().join("missing")).expect("it was there");
    desk.trust(".");
    let ran = run(&desk);
    for words in [
        "hook=\"fails\" why=\"exit code 7\"",
        "hook=\"missing\" why=\"the program `./missing` was not found",
        "hook=\"hangs\" why=\"it was ended after 0.2 s\"",
    ] {
        assert_eq!(ran.stderr.matches(words).count(), 1, "{words}: {}", ran.transcript());
    }
    assert!(!ran.stderr.contains("deaf") && !ran.stderr.contains("from the hook"), "{}", ran.transcript());
    let quiet = desk.run("run graphs/mini.yaml --script script.yaml");
    assert_eq!(quiet.stderr, "", "without a log nothing is said");
}

#[test]
fn events_past_the_queue_are_dropped_and_counted() {
    let config =
        "[hooks.slow]\ncommand = [\"./slow\"]\non = [\"node.entered\", \"run.ended\"]\ntimeout = \"5m\"\n";
    // The first event waits for longer than the process gives it.
    let desk = desk(config, &[("slow", "cat >> told.jsonl; echo $$ > pid; sleep 600")]);
    desk.write("count.yaml", COUNT);
    let ran = desk.run("run count.yaml --log warn");
    assert_eq!((ran.code, ran.stdout.lines().last()), (Some(0), Some("n: 600")), "{}", ran.transcript());
    assert!(ran.stderr.contains("a hook is slow: events are dropped"), "{}", ran.transcript());
    // 602 events: one is at work, the others were dropped at once or at the end.
    assert!(
        ran.stderr.contains("a hook was not told of all events hook=\"slow\" dropped=601"),
        "{}",
        ran.transcript()
    );
    assert_eq!(told(&desk, "told.jsonl").len(), 1);
    let pid = desk.text("pid");
    let alive = || std::path::Path::new("/proc").join(pid.trim()).join("cmdline").exists();
    for _ in 0..100 {
        if !alive() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the hook is still at work");
}

#[test]
fn what_a_hook_missed_is_counted_in_the_next_event() {
    let config = "[hooks.slow]\ncommand = [\"./slow\"]\non = [\"node.entered\"]\n";
    // The queue fills while the first event waits for a file that the second command of the run's graph makes.
    let desk = desk(
        config,
        &[("slow", "cat >> told.jsonl; while [ ! -e go ]; do sleep 0.01; done"), ("go", "touch go; sleep 1")],
    );
    let graph = COUNT.replace("{to: end}", "{to: go}") + "";
    let graph = graph.replace(
        "  end: {kind: final}\n",
        "  go: {kind: tool, tool: go, next: [{to: last}, {to: last, on: error}]}\n  last: {next: [{to: end}]}\n  end: {kind: final}\n",
    );
    desk.write("count.yaml", &graph);
    desk.write("loopwright.toml", &format!("{config}[tools.go]\ncommand = [\"./go\"]\n"));
    desk.trust(".");
    let ran = desk.run("run count.yaml --grant go");
    assert_eq!((ran.code, ran.stdout.lines().last()), (Some(0), Some("n: 600")), "{}", ran.transcript());
    let told = told(&desk, "told.jsonl");
    let dropped: u64 = told.iter().filter_map(|told| told["dropped"].as_u64()).sum();
    assert!(dropped > 300, "{dropped}");
    assert_eq!(told.len() as u64 + dropped, 603, "each event is told or counted");
}
