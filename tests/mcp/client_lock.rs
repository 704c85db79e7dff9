//! `mcp lock`: tools that change behind one's back are noticed.

use super::client::{Bench, env};

#[test]
fn a_changed_description_is_refused_before_the_run_and_shown() {
    let bench = Bench::new("");
    let lock = |words: &str, mode: &str| bench.desk.run_with(&format!("mcp lock {words}"), &env(mode));
    let mut said = vec![lock("", "").transcript(), lock("t", "").transcript()];
    let kept = bench.desk.text("loopwright.lock");
    let ran = bench.run("echo", "{text: '\"a\"'}", "");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(!ran.stderr.contains("pins"), "{}", ran.transcript());
    let before = bench.calls();
    let refused = bench.run("echo", "{text: '\"a\"'}", "rug");
    assert_eq!(refused.code, Some(3), "{}", refused.transcript());
    assert_eq!(bench.calls(), before, "nothing was called");
    said.push(refused.transcript());
    // A tool that did not change is called as ever.
    let other = bench.run("add", "{a: 1, b: 2}", "rug");
    assert_eq!(other.code, Some(0), "{}", other.transcript());
    let seen = lock("", "rug");
    assert_eq!(seen.code, Some(3), "{}", seen.transcript());
    assert_eq!(bench.desk.text("loopwright.lock"), kept);
    said.push(seen.transcript());
    said.push(lock("--update", "rug").transcript());
    assert_ne!(bench.desk.text("loopwright.lock"), kept);
    assert_eq!(bench.run("echo", "{text: '\"a\"'}", "rug").code, Some(0));
    bench.graph("echo", "{text: '\"a\"'}");
    let updated = bench
        .desk
        .run_with("run g.yaml --run-id locked --grant t.echo --update-lock --format json", &env(""));
    assert_eq!(updated.code, Some(0), "{}", updated.transcript());
    said.push(updated.transcript());
    assert_eq!(bench.desk.text("loopwright.lock"), kept);
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn tools_that_came_after_the_lock_are_not_on_offer() {
    let bench = Bench::new("");
    assert_eq!(bench.desk.run_with("mcp lock", &env("")).code, Some(0));
    let refused = bench.run("shiny", "{}", "new");
    assert_eq!(refused.code, Some(3), "{}", refused.transcript());
    assert!(refused.stderr.contains("t.shiny is new"), "{}", refused.transcript());
    // A graph that may name any tool sees what was locked.
    bench.desk.write(
        "g.yaml",
        "
graph: any
state: {failed: string = \"\", name: string = \"t.shiny\"}
start: work
nodes:
  work: {kind: tool, tool_of: name, args: {}, next: [{to: end}, {to: end, on: error, do: failed = error.kind}]}
  end: {kind: final}
output: {failed: failed, tools: 'tools.map(tool, tool.name)'}
",
    );
    let ran = bench.desk.run_with("run g.yaml --grant t.* --format json", &env("new"));
    assert!(ran.stdout.contains("\"failed\": \"unknown_tool\""), "{}", ran.transcript());
    let listed = bench.desk.run_with("tools --format json", &env("new"));
    assert!(listed.stdout.contains("new since the lock"), "{}", listed.transcript());
}

#[test]
fn a_tool_that_changes_in_the_middle_of_a_run_is_refused_from_then_on() {
    let bench = Bench::new("");
    bench.desk.write(
        "g.yaml",
        "
graph: late
state: {first: any?, failed: string = \"\", told: string = \"\"}
start: one
nodes:
  one: {kind: tool, tool: t.echo, args: {text: '\"a\"'}, into: first, ignore: {unhandled: x}, next: [{to: two}]}
  two: {kind: tool, tool: t.change, args: {}, ignore: {unhandled: x}, next: [{to: wait}]}
  wait: {kind: tool, tool: t.sleep, args: {s: 0.2}, ignore: {unhandled: x}, next: [{to: three}]}
  three:
    kind: tool
    tool: t.echo
    args: {text: '\"a\"'}
    next: [{to: end}, {to: end, on: error, do: [failed = error.kind, told = error.message]}]
  end: {kind: final}
output: {first: first, failed: failed, told: told}
",
    );
    let ran = bench.desk.run_with("run g.yaml --grant t.* --format json", &env("late-rug"));
    assert!(ran.stdout.contains("\"failed\": \"denied\""), "{}", ran.transcript());
    assert!(ran.stdout.contains("Gives back a text!"), "{}", ran.transcript());
}

#[test]
fn a_tool_that_changes_while_it_is_listed_is_refused() {
    let bench = Bench::new("");
    assert_eq!(bench.desk.run_with("mcp lock", &env("")).code, Some(0));
    let ran = bench.run("echo", "{text: '\"a\"'}", "early-rug");
    assert!(ran.transcript().contains("Gives back a text!"), "{}", ran.transcript());
    assert_eq!(bench.calls(), Vec::<String>::new(), "{}", ran.transcript());
}

#[test]
fn a_note_alone_does_not_change_the_lock_without_being_asked() {
    let bench = Bench::new("");
    assert_eq!(bench.desk.run_with("mcp lock", &env("")).code, Some(0));
    let kept = bench.desk.text("loopwright.lock");
    let mut with_version = env("").to_vec();
    with_version.push(("MCP_VERSION", "2.0"));
    for _ in 0..2 {
        let ran = bench.desk.run_with("mcp lock", &with_version);
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
        assert!(ran.stdout.contains("from 1.0 to 2.0"), "{}", ran.transcript());
        assert_eq!(bench.desk.text("loopwright.lock"), kept);
    }
    assert_eq!(bench.desk.run_with("mcp lock --update", &with_version).code, Some(0));
    assert_ne!(bench.desk.text("loopwright.lock"), kept);
}

#[test]
fn another_version_is_a_note_and_another_command_a_refusal() {
    let bench = Bench::new("");
    assert_eq!(bench.desk.run_with("mcp lock", &env("")).code, Some(0));
    bench.graph("echo", "{text: '\"a\"'}");
    let mut with_version = env("").to_vec();
    with_version.push(("MCP_VERSION", "2.0"));
    let ran = bench.desk.run_with("run g.yaml --grant t.echo", &with_version);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(ran.stderr.contains("from 1.0 to 2.0"), "{}", ran.transcript());
    bench.configure("set_env = {A = \"b\"}");
    let refused = bench.desk.run_with("run g.yaml --grant t.echo", &env(""));
    assert_eq!(refused.code, Some(3), "{}", refused.transcript());
    assert!(refused.stderr.contains("is reached in another way"), "{}", refused.transcript());
}

#[test]
fn a_lock_that_was_edited_is_refused() {
    let bench = Bench::new("");
    assert_eq!(bench.desk.run_with("mcp lock", &env("")).code, Some(0));
    let lock = bench.desk.text("loopwright.lock");
    bench.desk.write("loopwright.lock", &lock.replace("Gives back", "Gives"));
    let ran = bench.run("echo", "{text: '\"a\"'}", "");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains("`t.echo` does not fit the digest"), "{}", ran.transcript());
    bench.desk.write("loopwright.lock", "{");
    assert_eq!(bench.run("echo", "{text: '\"a\"'}", "").code, Some(2));
    assert_eq!(bench.desk.text("pids").lines().count(), 1, "no server was started");
}
