//! Runs that were killed.

use std::fs;
use std::process::Child;

use loopwright::store::this_process;

use crate::cli::{Desk, Ran};
use crate::driver::{kill, start};
use crate::parts;
use crate::until::until;

/// Commands that note in a file that they were called.
fn desk(delivery: &str) -> Desk {
    let desk = Desk::new();
    desk.write(
        "work.yaml",
        "graph: work\nstart: first\nnodes:\n  first: {kind: tool, tool: first, next: [{to: rest}]}\n  rest: {kind: wait, delay: 10s, next: [{to: second}]}\n  second: {kind: tool, tool: second, next: [{to: end}]}\n  end: {kind: final}\n",
    );
    desk.write(
        "slow.yaml",
        "graph: slow\nstate: {said: string?}\nstart: work\nnodes:\n  work: {kind: tool, tool: slow, into: said, next: [{to: end}]}\n  end: {kind: final}\noutput: {said: said}\n",
    );
    let tool = |name: &str, script: &str| {
        format!(
            "[tools.{name}]\ndescription = \"{name}\"\ncommand = [\"sh\", \"{script}\"]\nparse = \"text\"\ndelivery = \"{delivery}\"\n"
        )
    };
    desk.write(
        "loopwright.toml",
        &[tool("first", "first.sh"), tool("second", "second.sh"), tool("slow", "slow.sh")].join("\n"),
    );
    desk.write("first.sh", "echo one >> calls\n");
    desk.write("second.sh", "echo two >> calls\n");
    desk.write("slow.sh", "echo begun >> calls\nwhile [ ! -e go ]; do sleep 0.05; done\nprintf real\n");
    desk.trust(".");
    desk
}

/// Goes on as soon as the one that was killed counts as gone: at once, where the system tells that it is.
fn resume(desk: &Desk, words: &str) -> Ran {
    let mut last = desk.run(words);
    if this_process().is_some() {
        return last;
    }
    assert_eq!(last.code, Some(2), "{}", last.transcript());
    assert!(last.stderr.contains("is driven by process"), "{}", last.transcript());
    until("the lease runs out", || {
        last = desk.run(words);
        !last.stderr.contains("is driven by process")
    });
    last
}

#[test]
fn killed_between_two_calls_each_is_made_once() {
    let desk = desk("at_most_once");
    let mut child = start(&desk, "run work.yaml --run-id one --grant first --grant second");
    until("the run sleeps", || desk.run("log one").stdout.contains("rest sleeps until"));
    kill(&mut child);
    assert_eq!(desk.text("calls"), "one\n");
    let ran = resume(&desk, "resume one --grant first --grant second");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "outcome: end\n"), "{}", ran.transcript());
    assert_eq!(desk.text("calls"), "one\ntwo\n");
}

#[test]
fn killed_during_a_call_that_may_not_be_repeated_a_person_is_asked() {
    let desk = desk("at_most_once");
    let mut child = start(&desk, "run slow.yaml --run-id one --grant slow");
    until("the tool was called", || desk.text("calls") == "begun\n");
    kill(&mut child);
    let ran = desk.run("resume one --answer retry --grant slow");
    assert!(ran.stderr.contains("it asks nothing; resume it without `--answer`"), "{}", ran.transcript());
    let ran = desk.run("resume one");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(ran.stderr.contains("loopwright resume one --grant slow"), "{}", ran.transcript());
    let ran = resume(&desk, "resume one --grant slow");
    desk.write("go", "");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(ran.stdout.contains("Nobody knows whether this call took place"), "{}", ran.transcript());
    let ran = desk.run("resume one --grant slow --answer maybe");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(
        ran.stderr.contains("wanted `retry`, `fail` or {\"result\": …}, found \"maybe\""),
        "{}",
        ran.transcript()
    );
    let ran = desk.run("resume one --grant slow --answer {\"result\":\"told\"}");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "outcome: end\nsaid: told\n"),
        "{}",
        ran.transcript()
    );
    assert_eq!(desk.text("calls"), "begun\n");
}

#[test]
fn killed_during_a_call_that_may_be_repeated_it_is_made_again() {
    let desk = desk("pure");
    let mut child = start(&desk, "run slow.yaml --run-id one --grant slow");
    until("the tool was called", || desk.text("calls") == "begun\n");
    kill(&mut child);
    desk.write("go", "");
    let ran = resume(&desk, "resume one --grant slow");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "outcome: end\nsaid: real\n"),
        "{}",
        ran.transcript()
    );
    assert_eq!(desk.text("calls"), "begun\nbegun\n");
}

/// A probe of `slow` that prints what it is told.
fn with_probe(told: &str) -> Desk {
    let desk = desk("at_most_once");
    let path = desk.folder.path().join("loopwright.toml");
    let config = fs::read_to_string(&path).expect("it was written");
    let probe = "\n[tools.did]\ncommand = [\"sh\", \"did.sh\"]\nparse = \"json\"\ndelivery = \"pure\"\n";
    desk.write(
        "loopwright.toml",
        &(config.replace("\"slow.sh\"]\n", "\"slow.sh\"]\nprobe = \"did\"\n") + probe),
    );
    desk.write("did.sh", &format!("echo \"$IDEMPOTENCY_KEY\" >> calls\necho '{told}'\n"));
    desk.trust(".");
    desk
}

/// What becomes of a call that was cut short, as its probe says; and which commands ran.
fn asked_after(told: &str) -> (String, String) {
    let desk = with_probe(told);
    let words = "--grant slow --grant did";
    let mut child = start(&desk, &format!("run slow.yaml --run-id one {words}"));
    until("the tool was called", || desk.text("calls") == "begun\n");
    kill(&mut child);
    desk.write("go", "");
    let ran = resume(&desk, &format!("resume one {words}"));
    (ran.stdout.clone(), desk.text("calls"))
}

#[test]
fn killed_during_a_call_its_probe_knows_that_it_took_place() {
    let (end, calls) = asked_after(r#"{"happened": true, "result": "known"}"#);
    assert_eq!((end.as_str(), calls.as_str()), ("outcome: end\nsaid: known\n", "begun\none:work#1.1\n"));
}

#[test]
fn killed_during_a_call_its_probe_knows_that_it_did_not_take_place() {
    let (end, calls) = asked_after(r#"{"happened": false}"#);
    assert_eq!(
        (end.as_str(), calls.as_str()),
        ("outcome: end\nsaid: real\n", "begun\none:work#1.1\nbegun\n")
    );
}

/// Waits until all that is left of a process is for its parent to read.
fn ended(process: &Child) {
    let stat = format!("/proc/{}/stat", process.id());
    until("the driver has ended", || fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z ")));
}

#[test]
fn killed_its_driver_is_gone_before_its_parent_asks_after_it() {
    if this_process().is_none() {
        return parts::skip("runs of killed drivers", "the system tells nothing of processes");
    }
    let desk = desk("idempotent");
    let mut driver = start(&desk, "run slow.yaml --run-id one --grant slow");
    until("the tool was called", || desk.text("calls") == "begun\n");
    let held = desk.run("resume one --grant slow");
    assert_eq!(held.code, Some(2), "{}", held.transcript());
    let who = format!("is driven by process {}; wait until that ends, or for", driver.id());
    assert!(held.stderr.contains(&who), "{}", held.transcript());
    driver.kill().expect("it is there");
    ended(&driver);
    desk.write("go", "");
    // Its parent has not asked how it ended yet: it is there still, and drives nothing.
    let ran = desk.run("resume one --grant slow");
    driver.wait().expect("it was started here");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(ran.stdout.contains("said: real"), "{}", ran.transcript());
}
