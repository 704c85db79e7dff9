//! Runs that are ended for good.

use nix::sys::signal::Signal;

use crate::cli::Desk;
use crate::driver::{self, signal};
use crate::until::until;

/// A run that calls a tool and asks; what a person who ends it from outside is answered with is left open.
fn desk(answers: &str, nodes: &str) -> Desk {
    let desk = Desk::new();
    desk.write(
        "work.yaml",
        &format!(
            "graph: work\nstate: {{word: string?}}\nstart: work\nnodes:\n  work: {{kind: tool, tool: pay, next: [{{to: ask}}{answers}]}}\n  ask: {{kind: human, ask: \"'Go on?'\", into: word, timeout: 1h, next: [{{to: end}}, {{to: end, on: timeout}}{answers}]}}\n  end: {{kind: final}}\n{nodes}"
        ),
    );
    let tool = |name: &str, more: &str| {
        format!(
            "[tools.{name}]\ndescription = \"{name}\"\ncommand = [\"sh\", \"{name}.sh\"]\nparse = \"text\"\n{more}\n"
        )
    };
    desk.write("loopwright.toml", &(tool("pay", "") + &tool("tidy", "delivery = \"idempotent\"\n")));
    desk.write("pay.sh", "echo pay >> calls\nwhile [ -e hold ]; do sleep 0.02; done\n");
    desk.write("tidy.sh", "echo tidy >> calls\n");
    desk.trust(".");
    desk
}

#[test]
fn a_run_that_waits_ends_for_good() {
    let desk = desk("", "");
    let ran = desk.run("run work.yaml --run-id one --grant pay");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    // No grant is needed for that.
    let ran = desk.run("cancel one");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "the run `one` was cancelled\n"),
        "{}",
        ran.transcript()
    );
    assert!(desk.run("doctor").stdout.contains("one (cancelled): "), "{}", desk.run("doctor").stdout);
    let ran = desk.run("resume one --grant pay --answer yes");
    assert!(ran.stderr.contains("the run `one` ended: cancelled"), "{}", ran.transcript());
    let ran = desk.run("cancel one");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert_eq!(desk.run("replay one").code, Some(0));
}

#[test]
fn the_graph_may_tidy_up() {
    let nodes = "  tidy: {kind: tool, tool: tidy, next: [{to: given_up}, {to: given_up, on: error}]}\n  given_up: {kind: final, ok: false}\n";
    let desk = desk(", {to: tidy, on: error(cancelled)}", nodes);
    let ran = desk.run("run work.yaml --run-id one --grant pay --grant tidy");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let ran = desk.run("cancel one --grant tidy --reason enough");
    let told = "the run `one` was cancelled; its graph ended it: given_up (not ok)\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), told), "{}", ran.transcript());
    assert_eq!(desk.text("calls"), "pay\ntidy\n");
    assert!(desk.run("log one").stdout.contains("cancelled: enough"), "{}", desk.run("log one").stdout);
}

#[test]
fn a_graph_that_goes_on_is_ended_where_it_asks() {
    let desk = desk(
        ", {to: sure, on: error(cancelled)}",
        "  sure: {kind: human, ask: \"'Sure?'\", into: word, next: [{to: end}]}\n",
    );
    let ran = desk.run("run work.yaml --run-id one --grant pay");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let ran = desk.run("cancel one");
    let told = "the run `one` was cancelled; its graph went on, and was ended at sure\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), told), "{}", ran.transcript());
    assert!(desk.run("doctor").stdout.contains("one (cancelled): "), "{}", desk.run("doctor").stdout);
    assert_eq!(desk.run("replay one").code, Some(0));
}

#[test]
fn a_run_that_is_driven_is_not_cancelled_and_a_call_that_was_cut_off_is_in_doubt() {
    let desk = desk("", "");
    desk.write("hold", "");
    let mut driver = driver::start(&desk, "run work.yaml --run-id one --grant pay");
    until("the tool works", || desk.text("calls") == "pay\n");
    let ran = desk.run("cancel one");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(
        ran.stderr.contains(&format!("the run `one` is driven by process {}", driver.id())),
        "{}",
        ran.transcript()
    );
    driver::kill(&mut driver);
    let mut ran = desk.run("cancel one");
    until("the run is nobody's", || {
        if ran.code == Some(2) {
            ran = desk.run("cancel one");
        }
        ran.code == Some(0)
    });
    assert_eq!(ran.stdout, "the run `one` was cancelled\n", "{}", ran.transcript());
    // It was made once, and nobody knows what it did.
    assert_eq!(desk.text("calls"), "pay\n");
    let back = desk.run("rollback one --to 0 --yes --keep");
    assert!(back.stdout.contains("pay {}: nobody knows whether it took place"), "{}", back.transcript());
}

#[test]
fn a_signal_while_it_is_settled_leaves_the_run_as_it_was() {
    let desk = desk("", "");
    let probed = "probe = \"paid\"\n[tools.paid]\ndescription = \"paid\"\ncommand = [\"sh\", \"paid.sh\"]\nparse = \"json\"\ndelivery = \"pure\"\n";
    let toml = desk.text("loopwright.toml").replacen(
        "parse = \"text\"\n",
        &format!("parse = \"text\"\n{probed}"),
        1,
    );
    desk.write("loopwright.toml", &toml);
    desk.write("paid.sh", "echo asked >> calls\nsleep 60\n");
    desk.write("hold", "");
    desk.trust(".");
    let mut run = driver::start(&desk, "run work.yaml --run-id one --grant pay --grant paid");
    until("it pays", || desk.text("calls").contains("pay"));
    driver::kill(&mut run);
    let mut cancel = driver::start(&desk, "cancel one --grant pay --grant paid");
    until("the probe is asked", || desk.text("calls").contains("asked"));
    signal(&cancel, Signal::SIGINT);
    assert_eq!(cancel.wait().expect("it was started here").code(), Some(130));
    assert!(desk.run("runs").stdout.contains("interrupted"), "{}", desk.run("runs").stdout);
}
