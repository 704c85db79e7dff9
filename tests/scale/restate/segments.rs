//! Segments.

use super::desk::{Desk, Stage};
use super::same::{by_frame, on_this_machine};

#[test]
fn a_run_is_the_same_in_many_segments() {
    let ports = [&Desk::ports("steps.script.yaml")[..], &["--effects-per-segment", "1"]].concat();
    let Some(stage) = Stage::new("a run in many segments", "steps.yaml", &ports) else { return };
    stage.client.begin("a").expect("it begins");
    // Words that come while one segment ends are for the next: none is lost, and none is taken twice.
    let mut words = 0;
    while stage.client.status("a") != "Waiting" {
        assert_eq!(stage.answer("a", "so so"), words);
        words += 1;
        std::thread::sleep(std::time::Duration::from_millis(30));
    }
    stage.answer("a", "well");
    stage.client.until_done("a");
    let reply = stage.client.wait(stage.client.client.status("a")).expect("it is there");
    assert!(words > 5 && reply.word > 5, "{words}: {reply:?}");
    let dropped: Vec<u64> = reply.dropped.iter().map(|dropped| dropped.number).collect();
    let numbers: Vec<u64> = (reply.word - 1 - dropped.len() as u64..reply.word - 1).collect();
    assert_eq!(dropped, numbers, "each but the last is dropped once");
    let there = by_frame(stage.desk.at(&stage.server, &["log", "a", "--format", "jsonl"]));
    assert_eq!(there, on_this_machine(&stage.desk, "a"));
    let status = stage.client.wait(stage.client.client.status("a")).expect("it is there");
    assert!(status.segment >= 5, "{} segments", status.segment);
}
