//! A driver that is killed, and another one that goes on at once.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use loopwright::store::this_process;

use crate::cli::Desk;
use crate::parts;

/// One call, which says that it has begun and then waits to be told to end.
const GRAPH: &str = "
graph: slow
state: {word: string?}
start: work
nodes:
  work: {kind: tool, tool: slow, into: word, next: [{to: end}]}
  end: {kind: final}
output: {word: word}
";

const TOOL: &str = r#"
[tools.slow]
description = "works until it may end"
command = ["sh", "slow.sh"]
parse = "text"
delivery = "idempotent"
"#;

const SLOW: &str =
    ": > begun\nn=0\nuntil [ -e go ] || [ $n = 600 ]; do sleep 0.05; n=$((n + 1)); done\nprintf done\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("slow.yaml", GRAPH);
    desk.write("loopwright.toml", TOOL);
    desk.write("slow.sh", SLOW);
    desk
}

/// A run whose tool is at work.
fn begun(desk: &Desk) -> Child {
    let folder = desk.folder.path();
    let driver = Command::new(env!("CARGO_BIN_EXE_loopwright"))
        .args(["run", "slow.yaml", "--grant", "slow", "--run-id", "slow"])
        .env("XDG_STATE_HOME", desk.state())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let begin = Instant::now();
    while !folder.join("begun").exists() {
        assert!(begin.elapsed() < Duration::from_mins(1), "the tool does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    driver
}

/// Waits until all that is left of a process is for its parent to read.
fn ended(process: &Child) {
    let stat = format!("/proc/{}/stat", process.id());
    let begin = Instant::now();
    while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(begin.elapsed() < Duration::from_mins(1), "it does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_run_goes_on_at_once_when_its_driver_was_killed() {
    if this_process().is_none() {
        return parts::skip("runs of killed drivers", "the system tells nothing of processes");
    }
    let desk = desk();
    let mut driver = begun(&desk);
    let held = desk.run("resume slow --grant slow");
    assert_eq!(held.code, Some(2), "{}", held.transcript());
    let who = format!("is driven by process {}; wait until that ends, or for", driver.id());
    assert!(held.stderr.contains(&who), "{}", held.transcript());
    driver.kill().expect("it is killed");
    ended(&driver);
    desk.write("go", "");
    // Its parent has not asked how it ended yet: it is there still, and drives nothing.
    let ran = desk.run("resume slow --grant slow");
    driver.wait().expect("it has ended");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(ran.stdout.contains("word: done"), "{}", ran.transcript());
}
