//! Words for a run that is driven there: answers, cancellation.

use std::time::Duration;

use loopwright::machine::QuestionId;
use loopwright::value::Value;

use super::desk::{Desk, Stage};
use crate::until::until;

#[test]
fn answers_and_ends_come_to_a_run_wherever_it_is() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(stage) = Stage::new("words for runs", "steps.yaml", &ports) else { return };
    let Stage { desk, server, client, .. } = &stage;
    stage.begin("steps.yaml", "a", &[]);
    client.until_waiting("a");
    // One that does not fit is refused here, and dropped there; the question stays open.
    let misfit = desk.at(server, &["resume", "a", "--answer", "so so"]);
    assert_eq!(misfit.code, Some(2));
    assert_eq!(
        misfit.stderr,
        "error: the answer does not fit the question at ask: wanted enum(well, badly), found \"so so\"\n"
    );
    let ask = QuestionId("a:ask#1.ask".into());
    client.wait(client.client.answer("a", ask.clone(), Value::from("so so"))).expect("it is taken");
    client.wait(client.client.answer("a", ask, Value::from("badly"))).expect("it is taken");
    client.until_done("a");
    let shown = desk.at(server, &["show", "a"]).well();
    assert!(shown.contains("verdict: \"badly\""), "{shown}");
    let late = desk.at(server, &["resume", "a", "--answer", "well"]);
    assert_eq!(late.stderr, "error: the run `a` ended: end; `loopwright show` shows it\n");
    // A run that waits is cancelled, and one whose call is in progress, without waiting for that.
    stage.begin("steps.yaml", "b", &[]);
    client.until_waiting("b");
    assert_eq!(desk.at(server, &["cancel", "b"]).well(), "the run `b` was cancelled\n");
    desk.write("slow", "600");
    stage.begin("steps.yaml", "c", &[]);
    until("the call begins", || {
        std::fs::read_to_string(desk.path("calls")).unwrap_or_default().contains("c:pure#1.1")
    });
    let begun = std::time::Instant::now();
    assert_eq!(desk.at(server, &["cancel", "c", "--reason", "enough"]).well(), "the run `c` was cancelled\n");
    assert!(begun.elapsed() < Duration::from_mins(5), "the call was waited for");
    let log = desk.at(server, &["log", "c"]).well();
    assert!(log.contains("enough"), "{log}");
    let listed = desk.at(server, &["runs"]).well();
    let statuses: Vec<&str> = listed.lines().skip(1).map(|line| line[10..].trim_start()).collect();
    assert_eq!(statuses.len(), 3, "{listed}");
}
