//! `--interrupt-when` and `--interrupt-every`: stops that the graph does not know of.

use super::desk::steps;
use crate::cli::Desk;

/// Runs, then answers until the run has ended; gives what it said in between.
fn answered(desk: &Desk, words: &str, answers: &[&str]) -> Vec<(Option<i32>, String)> {
    let first = desk.run(&format!("run steps.yaml --run-id one {words}"));
    let mut said = vec![(first.code, first.stdout + &first.stderr)];
    for answer in answers {
        let ran = desk.run(&format!("resume one --answer {answer}"));
        said.push((ran.code, ran.stdout + &ran.stderr));
    }
    said
}

fn stops(said: &[(Option<i32>, String)], wanted: &[(i32, &str)]) {
    assert_eq!(said.len(), wanted.len(), "{said:?}");
    for ((code, text), (wanted, part)) in said.iter().zip(wanted) {
        assert!(
            *code == Some(*wanted) && text.contains(part),
            "wanted {wanted} and `{part}`, found {said:#?}"
        );
    }
}

#[test]
fn a_condition_stops_the_run_once_per_step() {
    let said = answered(&steps(), "--interrupt-when n==3||n==4", &["resume", "resume"]);
    let question = "waiting for a person at add: `n==3||n==4` holds. Go on? [resume/abort/{\"rollback\": …}]";
    stops(&said, &[(3, question), (3, question), (0, "n: 5")]);
}

#[test]
fn every_so_many_steps_the_run_stops() {
    let said = answered(&steps(), "--interrupt-every 2", &["resume", "resume"]);
    stops(&said, &[(3, "The run stands at step 2."), (3, "The run stands at step 4."), (0, "n: 5")]);
}

#[test]
fn a_person_ends_the_run() {
    let said = answered(&steps(), "--interrupt-when n>1", &["abort"]);
    stops(&said, &[(3, "`n>1` holds"), (1, "outcome: given_up (not ok)")]);
}

#[test]
fn a_person_sends_the_run_back() {
    let desk = steps();
    let said = answered(
        &desk,
        "--interrupt-every 1",
        &["resume", "resume", "{\"rollback\":9}", "{\"rollback\":1}", "resume"],
    );
    let step = |n: u32| format!("The run stands at step {n}.");
    let (one, two, three) = (step(1), step(2), step(3));
    let late = "step 9 has not happened yet; the run is at step 3";
    stops(&said, &[(3, &one), (3, &two), (3, &three), (2, late), (3, &one), (3, &two)]);
    let log = desk.run("log one").stdout;
    assert!(log.contains("a person sent the run back to step 1"), "{log}");
}

/// A null stops the run and says so; it does not change its way.
#[test]
fn a_condition_that_cannot_be_decided_stops_too() {
    let said = answered(&steps(), "--interrupt-when n==2&&last>1", &["resume"]);
    stops(&said, &[(3, "Nobody knows whether `n==2&&last>1` holds"), (0, "n: 5")]);
}

#[test]
fn a_condition_is_typed_against_the_state() {
    let desk = steps();
    let mut all = String::new();
    for words in
        ["--interrupt-when m==3", "--interrupt-when n+1", "--interrupt-when n==", "--interrupt-every 0"]
    {
        let ran = desk.run(&format!("run steps.yaml {words}"));
        assert_eq!(ran.code, Some(2), "{}", ran.transcript());
        all += &ran.transcript();
        all.push('\n');
    }
    assert!(!desk.folder.path().join(".loopwright").exists(), "nothing was begun");
    insta::assert_snapshot!(all);
}

#[test]
fn the_program_stays_the_same() {
    let desk = steps();
    desk.run("run steps.yaml --run-id plain");
    desk.run("run steps.yaml --run-id stopped --interrupt-when n==3 --interrupt-every 4");
    let runs: serde_json::Value =
        serde_json::from_str(&desk.run("runs --format json").stdout).expect("the runs are JSON");
    assert_eq!(runs[0]["program"], runs[1]["program"]);
    assert_eq!(runs[1]["status"], "waiting");
    let started = desk.run("log stopped --format jsonl").stdout;
    assert!(started.contains("\"interrupt\":{\"when\":\"n==3\",\"every\":4}"), "{started}");
}
