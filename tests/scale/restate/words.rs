//! Words for a run that is driven there: answers, cancellation.

use std::fs;
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
    let reply = client.wait(client.client.status("a")).expect("it is there");
    let dropped: Vec<(u64, &str)> =
        reply.dropped.iter().map(|dropped| (dropped.number, dropped.why.as_str())).collect();
    assert_eq!(dropped, [(0, "wanted enum(well, badly), found \"so so\"")]);
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
        fs::read_to_string(desk.path("calls")).unwrap_or_default().contains("c:pure#1.1")
    });
    let begun = std::time::Instant::now();
    assert_eq!(desk.at(server, &["cancel", "c", "--reason", "enough"]).well(), "the run `c` was cancelled\n");
    assert!(begun.elapsed() < Duration::from_mins(5), "the call was waited for");
    let log = desk.at(server, &["log", "c"]).well();
    assert!(log.contains("enough"), "{log}");
    let listed = desk.at(server, &["runs", "--format", "json"]).well();
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("it is JSON");
    let rows: Vec<(&str, &str)> = listed
        .as_array()
        .expect("it is a list")
        .iter()
        .map(|row| (row["run"].as_str().unwrap_or_default(), row["status"].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(rows, [("a", "ended"), ("b", "cancelled"), ("c", "cancelled")]);
    // An ended run can be removed, and its id be given again.
    assert_eq!(desk.at(server, &["purge", "a"]).well(), "removed 1 run: a\n");
    assert!(desk.at(server, &["show", "a"]).stderr.contains("there is no run `a`"));
    fs::remove_file(desk.path("slow")).expect("it is there");
    stage.begin("steps.yaml", "a", &[]);
    client.until_waiting("a");
    let kept = desk.at(server, &["purge", "a"]);
    assert_eq!(kept.stderr, "error: the run `a` has not ended\n");
}

#[test]
fn an_answer_is_shown_with_what_it_leads_to_or_said_to_be_dropped() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(stage) = Stage::new("answers that are followed", "steps.yaml", &ports) else { return };
    let Stage { desk, server, client, .. } = &stage;
    stage.begin("steps.yaml", "a", &[]);
    client.until_waiting("a");
    let printed = desk.at(server, &["resume", "a", "--answer", "well", "--format", "jsonl"]).well();
    let first: serde_json::Value =
        serde_json::from_str(printed.lines().next().unwrap_or_default()).expect("it is JSON");
    assert_eq!(first["type"], "answered", "the answer is an event, too: {printed}");
    // What became of words is told with their numbers.
    let reply = client.wait(client.client.status("a")).expect("it is there");
    assert_eq!((reply.word, reply.dropped), (1, Vec::new()));
    // An answer is left there.
    stage.begin("steps.yaml", "b", &[]);
    client.until_waiting("b");
    let left = desk.at(server, &["resume", "b", "--answer", "well", "--detach"]).well();
    assert_eq!(left, "the run `b` is left to a worker\n");
    client.until_done("b");
}
