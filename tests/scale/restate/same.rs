//! The same run on one machine and on a Restate server: the same events, but for times and for what lanes do beside each other.

use std::collections::BTreeMap;

use loopwright::machine::Event;
use serde_json::Value;

use super::desk::{Desk, Stage};
use crate::desk::Printed;

/// The events of a run by frame.
pub(super) type Frames = BTreeMap<u64, Vec<Value>>;

/// The events of a run by frame, without their times and numbers, and without its id.
pub(super) fn by_frame(ran: Printed) -> Frames {
    let mut frames = Frames::new();
    for line in ran.well().lines() {
        let mut event: Value = serde_json::from_str(line).expect("a line is JSON");
        for name in ["seq", "at", "until"] {
            if let Some(fields) = event.as_object_mut() {
                fields.remove(name);
            }
        }
        without_run(&mut event);
        frames.entry(event["frame"].as_u64().expect("it has a frame")).or_default().push(event);
    }
    frames
}

/// Removes the id of the run from those of its calls and questions, and where it stands alone.
fn without_run(event: &mut Value) {
    for name in ["call", "ask"] {
        if let Some(id) = event[name].as_str() {
            event[name] = id.split_once(':').map_or(id, |(_, rest)| rest).into();
        }
    }
    if let Some(fields) = event.as_object_mut() {
        fields.remove("run");
    }
}

/// The events of a run of the graph `steps` on this machine, answered with `well`.
pub(super) fn on_this_machine(desk: &Desk, run: &str) -> Frames {
    let ports = Desk::ports("steps.script.yaml");
    let waiting = desk.run(&[&["run", "steps.yaml", "--run-id", run], &ports[..]].concat());
    assert_eq!(waiting.code, Some(3), "{}", waiting.stderr);
    desk.run(&[&["resume", run, "--answer", "well"], &ports[..]].concat()).well();
    by_frame(desk.run(&["log", run, "--format", "jsonl"]))
}

#[test]
fn a_run_is_the_same_event_for_event() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(stage) = Stage::new("the same run on both", "steps.yaml", &ports) else { return };
    let waits = stage.desk.at(&stage.server, &["run", "steps.yaml", "--run-id", "a"]);
    assert_eq!(waits.code, Some(3), "{}", waits.stderr);
    assert!(
        waits.stdout.starts_with("waiting for a person at ask: How was it? [well/badly]\n"),
        "{}",
        waits.stdout
    );
    let ended = stage.desk.at(&stage.server, &["resume", "a", "--answer", "well"]).well();
    assert!(ended.starts_with("outcome: end\nthought: Sweet.\n"), "{ended}");
    let there = by_frame(stage.desk.at(&stage.server, &["log", "a", "--format", "jsonl"]));
    let here = on_this_machine(&stage.desk, "a");
    assert_eq!(there, here);
    // What is stored there is what the machine makes of its inputs.
    let entries =
        stage.client.wait(stage.client.client.entries("a", 0)).expect("the journal can be read").entries;
    let events: Vec<Event> = entries.into_iter().flat_map(|entry| entry.events).collect();
    assert!(events.iter().zip(0..).all(|(event, seq)| event.seq == seq), "numbers without gaps");
}
