//! Segments.

use super::desk::{Desk, Stage};
use super::same::{by_frame, on_this_machine};

#[test]
fn a_run_is_the_same_in_many_segments() {
    let ports = [&Desk::ports("steps.script.yaml")[..], &["--effects-per-segment", "1"]].concat();
    let Some(stage) = Stage::new("a run in many segments", "steps.yaml", &ports) else { return };
    stage.begin("steps.yaml", "a", &[]);
    stage.client.until_waiting("a");
    // Words that come while a segment ends are for the next.
    stage.desk.at(&stage.server, &["resume", "a", "--answer", "well"]).well();
    let there = by_frame(stage.desk.at(&stage.server, &["log", "a", "--format", "jsonl"]));
    assert_eq!(there, on_this_machine(&stage.desk, "a"));
    let status = stage.client.wait(stage.client.client.status("a")).expect("it is there");
    assert!(status.segment >= 5, "{} segments", status.segment);
}
