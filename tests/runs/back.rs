//! Runs that are sent back, and runs that begin where others stood.

use std::fs;

use nix::sys::signal::Signal;

use crate::cli::Desk;
use crate::driver::{self, signal};
use crate::until::until;

/// Books a seat, tells a friend, looks at the weather and asks whether all is well.
const TRIP: &str = "
graph: trip
state: {seat: string?, word: string?, back: any = null}
budgets: {bookings: 3}
start: book
nodes:
  book:
    kind: tool
    tool: book
    args: {seat: \"'14c'\"}
    into: seat
    do: |
      spend bookings
      back = rolled_back()
    next: [{to: tell}]
  tell: {kind: tool, tool: tell, next: [{to: look}]}
  look: {kind: tool, tool: look, next: [{to: ask}]}
  ask: {kind: human, ask: \"'Well?'\", options: [yes, no], into: word, next: [{to: end}]}
  end: {kind: final}
output: {seat: seat, word: word, bookings: used(bookings), back: back}
";

const TOOLS: &str = r#"
[tools.book]
description = "books a seat"
command = ["sh", "book.sh", "{seat}"]
parse = "text"
compensate = "unbook"
[tools.unbook]
description = "gives a seat back"
command = ["sh", "unbook.sh", "{seat}", "{result}"]
parse = "text"
delivery = "DELIVERY"
[tools.tell]
description = "tells a friend"
command = ["sh", "tell.sh"]
[tools.look]
description = "looks at the sky"
command = ["sh", "look.sh"]
delivery = "pure"
"#;

const GRANTS: &str = "--grant book --grant tell --grant look";

fn desk(delivery: &str) -> Desk {
    let desk = Desk::new();
    desk.write("trip.yaml", TRIP);
    desk.write("loopwright.toml", &TOOLS.replace("DELIVERY", delivery));
    desk.write("book.sh", "echo book $1 $IDEMPOTENCY_KEY >> calls\nprintf B7\n");
    desk.write(
        "unbook.sh",
        "echo unbook $1 $2 $IDEMPOTENCY_KEY >> calls\n[ ! -e closed ] || { echo closed >&2; exit 1; }\n",
    );
    desk.write("tell.sh", "echo tell >> calls\n");
    desk.write("look.sh", "echo look >> calls\n");
    desk.trust(".");
    desk
}

fn run(desk: &Desk, words: &str, code: i32) -> String {
    let ran = desk.run(words);
    assert_eq!(ran.code, Some(code), "{}", ran.transcript());
    ran.stdout + &ran.stderr
}

fn begun(desk: &Desk) {
    run(desk, &format!("run trip.yaml --run-id trip {GRANTS} --grant unbook"), 3);
}

#[test]
fn a_run_goes_back_and_on_again() {
    let desk = desk("at_most_once");
    begun(&desk);
    let told = run(&desk, "rollback trip --to 0", 3);
    insta::assert_snapshot!(told);
    // Not agreed to: nothing was done.
    assert_eq!(desk.text("calls"), "book 14c trip:book#1.1\ntell\nlook\n");
    let told = run(&desk, "rollback trip --to 0 --yes --grant unbook", 0);
    insta::assert_snapshot!(told);
    let undone = "unbook 14c B7 trip:book#1.1~undo\n";
    assert_eq!(desk.text("calls"), format!("book 14c trip:book#1.1\ntell\nlook\n{undone}"));
    let shown = run(&desk, "show trip", 0);
    assert!(shown.contains("step: 0\n") && shown.contains("about to enter: book"), "{shown}");
    run(&desk, &format!("resume trip {GRANTS} --grant unbook"), 3);
    let calls = desk.text("calls");
    let again = calls.lines().nth(4).expect("the seat is booked again");
    assert!(
        again.starts_with("book 14c trip~") && again.ends_with(":book#1.1"),
        "{again}: under another key"
    );
    let end = run(&desk, &format!("resume trip {GRANTS} --grant unbook --answer yes"), 0);
    assert!(end.contains("bookings: 1\nback: {\"from\":3,\"to\":0}\n"), "{end}");
    let log = run(&desk, "log trip", 0);
    assert!(
        log.contains("the call trip:book#1.1 is to be undone") && log.contains("back to step 0"),
        "{log}"
    );
    assert!(run(&desk, "doctor", 0).contains("1 whole"));
}

#[test]
fn a_run_that_ended_goes_back_too() {
    let desk = desk("at_most_once");
    begun(&desk);
    run(&desk, &format!("resume trip {GRANTS} --grant unbook --answer no"), 0);
    // Only what was called behind the third step is left, and that is nothing.
    let told = run(&desk, "rollback trip --to 3", 0);
    assert!(told.starts_with("the run `trip` is at step 3"), "{told}");
    let end = run(&desk, &format!("resume trip {GRANTS} --grant unbook"), 3);
    assert!(end.contains("Well?"), "{end}");
    let end = run(&desk, &format!("resume trip {GRANTS} --grant unbook --answer yes"), 0);
    assert!(end.contains("word: yes"), "{end}");
    assert_eq!(desk.text("calls").lines().count(), 3);
    // Once more, from another branch, past the place where they part.
    let told = run(&desk, "rollback trip --to 2 --keep", 0);
    assert!(told.contains("is at step 2"), "{told}");
    run(&desk, &format!("resume trip {GRANTS} --grant unbook"), 3);
    assert_eq!(desk.text("calls").lines().last(), Some("look"));
    assert_eq!(desk.text("calls").lines().count(), 4);
}

#[test]
fn what_cannot_be_undone_keeps_the_run_where_it_is() {
    for (delivery, again) in [("at_most_once", false), ("idempotent", true)] {
        let desk = desk(delivery);
        begun(&desk);
        desk.write("closed", "");
        let told = run(&desk, "rollback trip --to 0 --yes --grant unbook", 2);
        assert!(told.contains("trip:book#1.1 was not undone by `unbook`"), "{told}");
        assert!(told.contains("the run was not rolled back"), "{told}");
        let shown = run(&desk, "show trip", 0);
        assert!(shown.contains("step: 3\n") && shown.contains("waits for: a person"), "{shown}");
        // It failed, so it may be tried again whatever its delivery.
        fs::remove_file(desk.folder.path().join("closed")).expect("it is there");
        run(&desk, "rollback trip --to 0 --yes --grant unbook", 0);
        assert_eq!(desk.text("calls").matches("unbook").count(), 2, "{again}");
        // What was undone once is not undone twice.
        let told = run(&desk, &format!("resume trip {GRANTS} --grant unbook"), 3);
        assert!(told.contains("Well?"), "{told}");
        let told = run(&desk, "rollback trip --to 0 --yes --grant unbook", 0);
        assert_eq!(told.matches("is undone by").count(), 1, "{told}");
        assert_eq!(desk.text("calls").matches("unbook").count(), 3);
    }
}

/// A run that is being sent back when everything is killed: nobody knows whether the seat was given back.
fn cut_off(desk: &Desk) {
    begun(desk);
    let unbook = "echo unbook >> calls\n: > began\nn=0\nuntil [ -e go ] || [ $n = 600 ]; do sleep 0.05; n=$((n + 1)); done\n";
    desk.write("unbook.sh", unbook);
    desk.trust(".");
    let mut back = driver::start(desk, "rollback trip --to 0 --yes --grant unbook");
    until("a call is being undone", || desk.folder.path().join("began").exists());
    driver::kill(&mut back);
    desk.write("go", "");
}

#[test]
fn a_person_says_how_an_undoing_ended_that_was_cut_off() {
    for (answer, unbooked) in [("--undone", 1), ("--not-undone", 2)] {
        let desk = desk("at_most_once");
        cut_off(&desk);
        let back = "rollback trip --to 0 --yes --grant unbook";
        let told = run(&desk, back, 2);
        assert!(told.contains("nobody knows whether `unbook` undid the call trip:book#1.1"), "{told}");
        for flag in ["--undone 'trip:book#1.1'", "--not-undone 'trip:book#1.1'"] {
            assert!(
                told.contains(&format!("\n  {back} {flag}").replace("  rollback", "  loopwright rollback")),
                "{told}"
            );
        }
        assert!(told.contains("\n  loopwright rollback trip --to 0 --yes --keep --grant unbook"), "{told}");
        let wrong = run(&desk, &format!("{back} {answer} trip:tell#1.1"), 2);
        assert!(
            wrong.contains(
                "`trip:tell#1.1` is not a call whose undoing was interrupted; these are: `trip:book#1.1`"
            ),
            "{wrong}"
        );
        let told = run(&desk, &format!("{back} {answer} trip:book#1.1"), 0);
        assert!(told.contains("the run `trip` is at step 0"), "{told}");
        assert_eq!(desk.text("calls").matches("unbook").count(), unbooked, "{answer}");
        let log = run(&desk, "log trip", 0);
        assert!(log.contains("the call trip:book#1.1 was undone"), "{log}");
        assert_eq!(log.contains("was not undone: a person said so"), answer == "--not-undone", "{log}");
        assert!(run(&desk, "doctor", 0).contains("1 whole"));
        run(&desk, "replay trip", 0);
    }
}

#[test]
fn with_keep_nothing_is_undone() {
    let desk = desk("at_most_once");
    begun(&desk);
    let told = run(&desk, "rollback trip --to 1 --keep --yes --format json", 0);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["from"], 3);
    assert_eq!(told["left"].as_array().map(Vec::len), Some(1), "{told}");
    assert_eq!(told["left"][0]["tool"], "tell");
    assert_eq!(told["left"][0]["undone"], false);
    assert!(!desk.text("calls").contains("unbook"));
}

#[test]
fn nobody_goes_where_the_run_has_not_been() {
    let desk = desk("at_most_once");
    begun(&desk);
    for words in ["rollback trip --to 4", "fork trip --at 4", "show trip --at 4"] {
        let told = run(&desk, words, 2);
        assert!(told.contains("it is at step 3 and has not reached step 4"), "{told}");
    }
    for words in ["rollback nobody --to 0", "fork nobody --at 0"] {
        assert!(run(&desk, words, 2).contains("there is no run `nobody`"));
    }
    assert!(run(&desk, "fork trip --at 1 --run-id trip", 2).contains("there is a run `trip` already"));
    assert!(run(&desk, "fork trip --at 1 --run-id a/b", 2).contains("is not a valid id for a run"));
}

#[test]
fn a_fork_is_a_run_of_its_own() {
    let desk = desk("at_most_once");
    begun(&desk);
    let told = run(&desk, "fork trip --at 1 --run-id other", 0);
    assert_eq!(
        told,
        "the run `other` starts where `trip` was at step 1; to continue, run:\n  loopwright resume other\n"
    );
    let shown = run(&desk, "show other", 0);
    assert!(shown.contains("step: 1\n") && shown.contains("seat: \"B7\""), "{shown}");
    run(&desk, &format!("resume other {GRANTS} --grant unbook"), 3);
    assert_eq!(desk.text("calls"), "book 14c trip:book#1.1\ntell\nlook\ntell\nlook\n");
    // Both go on, each its way.
    let end = run(&desk, &format!("resume other {GRANTS} --grant unbook --answer no"), 0);
    assert!(end.contains("word: no\nbookings: 1\nback: null\n"), "{end}");
    let end = run(&desk, &format!("resume trip {GRANTS} --grant unbook --answer yes"), 0);
    assert!(end.contains("word: yes"), "{end}");
    // A fork can be looked at, sent back and forked in turn, as far as its own journal goes.
    let shown = run(&desk, "show other --at 2", 0);
    assert!(shown.contains("about to enter: look"), "{shown}");
    run(&desk, "rollback other --to 2", 0);
    run(&desk, "fork other --at 2 --run-id third", 0);
    let listed = run(&desk, "runs", 0);
    assert_eq!(listed.lines().count(), 4, "{listed}");
    assert!(run(&desk, "log other", 0).contains("ask asks: Well?"));
    assert!(run(&desk, "doctor", 0).contains("3 whole"));
}

#[test]
fn a_signal_waits_for_the_end_of_a_way_back() {
    let desk = desk("at_most_once");
    begun(&desk);
    desk.write("unbook.sh", "echo begun >> calls\nsleep 1\necho unbook >> calls\n");
    desk.trust(".");
    let mut back = driver::start(&desk, "rollback trip --to 0 --yes --grant unbook");
    until("it undoes", || desk.text("calls").contains("begun"));
    signal(&back, Signal::SIGTERM);
    assert_eq!(back.wait().expect("it was started here").code(), Some(0));
    assert!(desk.text("calls").contains("unbook"), "{}", desk.text("calls"));
    assert!(desk.run("runs").stdout.contains("ready"), "{}", desk.run("runs").stdout);
}
