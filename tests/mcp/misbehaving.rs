//! A server that misbehaves, in a hundred ways: each is one clear error or a wait within limits, no call is repeated against its
//! delivery, and no process is left.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::cli::Desk;
use crate::until::until;

/// Calls that are made side by side; most of them wait.
const AT_ONCE: usize = 6;

/// The longest that one run may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A graph that calls the tool once, or up to three times where it may.
const GRAPH: &str = "
graph: works
state: {said: any?, kind: string = \"\", told: string = \"\"}
start: work
nodes:
  work:
    kind: tool
    tool: t.act
    args: {n: '1'}
    into: said
    retry: {attempts: 3, on: [transient, recoverable], first: 10ms}
    next:
      - {to: end}
      - {to: failed, on: error, do: [kind = error.kind, told = error.message]}
      - {to: failed, on: unknown, do: [kind = \"unknown\", told = error.message]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {said: said, kind: kind, told: told}
";

/// The ways of the server to misbehave, as it lists them itself.
fn faults() -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/misbehave.py"));
    let text = text.expect("it is there");
    let list = text.split("FAULTS = \"\"\"").nth(1).and_then(|rest| rest.split("\"\"\"").next());
    list.expect("a list").split_whitespace().map(str::to_owned).collect()
}

/// One run with a server that misbehaves; a line that says what came of it.
fn misbehave(fault: &str, delivery: &str) -> String {
    let desk = Desk::new();
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/misbehave.py");
    fs::copy(server, desk.folder.path().join("misbehave.py")).expect("it can be copied");
    desk.write("pids", "");
    desk.write("calls", "");
    desk.write("g.yaml", GRAPH);
    let folder = desk.folder.path().display();
    desk.write(
        "loopwright.toml",
        &format!(
            "[mcp.t]\ncommand = [\"python3\", \"misbehave.py\", \"{fault}\", \"{folder}\"]\ntimeout = \"2s\"\nstart_timeout = \"6s\"\n\
             delivery = \"{delivery}\"\n"
        ),
    );
    desk.trust(".");
    let begun = Instant::now();
    let ran = desk.run("run g.yaml --format json --grant t.*");
    assert!(begun.elapsed() < PATIENCE, "{fault}: {:?}: {}", begun.elapsed(), ran.transcript());
    let calls = desk.text("calls").lines().count();
    let most = if delivery == "at_most_once" { 1 } else { 3 };
    assert!(calls <= most, "{fault}, {delivery}: {calls} calls: {}", ran.transcript());
    for pid in desk.text("pids").lines() {
        until(&format!("{fault}: the process {pid} is gone"), || !is_ours(pid));
    }
    let shown = |text: &str| {
        assert!(text.len() < 5000, "{fault}: {} bytes of message", text.len());
        let text = text.replace(&folder.to_string(), "FOLDER");
        text.chars().take(160).collect::<String>().escape_debug().to_string()
    };
    let about = if let Ok(document) = serde_json::from_str::<serde_json::Value>(&ran.stdout) {
        let output = &document["output"];
        let said = output["said"].as_str().map(&shown).unwrap_or_default();
        let [kind, told] = ["kind", "told"].map(|key| output[key].as_str().unwrap_or_default());
        assert_ne!(kind, "internal", "{fault}: {}", ran.transcript());
        format!("{} {kind} {}{said}", document["outcome"].as_str().unwrap_or("?"), shown(told))
    } else {
        // The run did not begin: one error, on the standard error.
        let lines: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("error")).collect();
        assert_eq!((lines.len(), ran.code), (1, Some(2)), "{fault}: {}", ran.transcript());
        shown(lines[0])
    };
    format!("{fault}, {delivery}: {about}; calls: {calls}")
}

/// A number of a process may be given to another one.
fn is_ours(pid: &str) -> bool {
    let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.contains("misbehave.py") || line.starts_with("sleep\x001000")
}

#[test]
fn each_misbehaviour_is_one_clear_error_or_a_wait_within_limits() {
    let faults = faults();
    assert_eq!(faults.len(), 50);
    let cases: Vec<(String, &str)> = faults
        .iter()
        .flat_map(|fault| ["at_most_once", "idempotent"].map(|delivery| (fault.clone(), delivery)))
        .collect();
    let (next, said) = (Mutex::new(cases.iter().enumerate()), Mutex::new(vec![String::new(); cases.len()]));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((index, (fault, delivery))) = { next.lock().expect("no thread fails").next() }
                {
                    let line = misbehave(fault, delivery);
                    said.lock().expect("no thread fails")[index] = line;
                }
            });
        }
    });
    insta::assert_snapshot!(said.into_inner().expect("no thread fails").join("\n"));
}
