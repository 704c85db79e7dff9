//! Worker and server killed at every kind of step.

use std::time::Duration;

use super::desk::{Desk, Stage};
use super::same::{Frames, by_frame, on_this_machine};
use crate::until::until;

/// A kind of step, and when a run is at it.
struct Moment {
    name: &'static str,
    /// The line of the ledger that says so, after the id of the run; empty for what no line tells.
    line: &'static str,
    /// How long after that.
    after: u64,
}

const MOMENTS: &[Moment] = &[
    Moment { name: "model", line: "", after: 150 },
    Moment { name: "pure", line: "begin\tpure\tRUN:pure#1.1", after: 30 },
    Moment { name: "again", line: "begin\tagain\tRUN:again#1.1", after: 30 },
    Moment { name: "once", line: "begin\tonce\tRUN:once#1.1", after: 30 },
    Moment { name: "lanes", line: "begin\tagain\tRUN:lanes#1[1]/second#1.1", after: 10 },
    Moment { name: "wait", line: "end\tagain\tRUN:lanes#1[2]/second#1.1", after: 120 },
    Moment { name: "question", line: "waiting", after: 0 },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Worker,
    Server,
}

// Each victim has a test of its own, so that they go on beside each other.
#[test]
fn a_run_ends_as_if_its_worker_had_not_been_killed() {
    kill_at_every_kind_of_step(Victim::Worker);
}

#[test]
fn a_run_ends_as_if_its_server_had_not_been_killed() {
    kill_at_every_kind_of_step(Victim::Server);
}

fn kill_at_every_kind_of_step(victim: Victim) {
    let ports = Desk::ports("slow.script.yaml");
    let test = format!("kill -9 of the {victim:?} at every kind of step").to_lowercase();
    let Some(mut stage) = Stage::new(&test, "steps.yaml", &ports) else { return };
    let here = on_this_machine(&stage.desk, "here");
    let rounds = if crate::long::is_long() { 8 } else { 1 };
    let (mut cases, mut unknown) = (0, 0);
    for round in 0..rounds {
        for moment in MOMENTS {
            let run = format!("{}-{victim:?}-{round}", moment.name).to_lowercase();
            unknown += u32::from(case(&mut stage, &run, moment, victim, &here));
            cases += 1;
        }
    }
    eprintln!(
        "{cases} kills of the {victim:?} at 7 kinds of step: every run ended; of {unknown} the call at most once is unknown"
    );
}

/// Kills one of them in the middle of a run; returns true if the run does not know of its call at most once.
fn case(stage: &mut Stage, run: &str, moment: &Moment, victim: Victim, here: &Frames) -> bool {
    let ledger = stage.desk.path("calls");
    // Calls are slow until the kill has met one.
    let slow = stage.desk.path("slow");
    stage.desk.write("slow", "0.2");
    stage.begin("steps.yaml", run, &[]);
    match moment.line {
        "" => {}
        "waiting" => stage.client.until_waiting(run),
        line => {
            let line = line.replace("RUN", run);
            until(&line, || std::fs::read_to_string(&ledger).unwrap_or_default().contains(&line));
        }
    }
    std::thread::sleep(Duration::from_millis(moment.after));
    match victim {
        Victim::Worker => {
            stage.worker.kill();
            stage.worker.begin();
        }
        Victim::Server => {
            stage.server.kill();
            stage.server.begin();
        }
    }
    std::fs::remove_file(slow).expect("it is there");
    stage.client.until_waiting(run);
    let ended = stage.desk.at(&stage.server, &["resume", run, "--answer", "well", "--format", "json"]);
    let ended: serde_json::Value = serde_json::from_str(&ended.well()).expect("it is JSON");
    assert_eq!(ended["outcome"], "end", "{run}: {ended}");
    let is_unknown = ended["output"]["unknown"] == true;
    stage.desk.ledger().judge(run, is_unknown);
    assert!(!is_unknown || moment.name == "once", "{run}: unknown though nothing happened to the call");
    if victim == Victim::Worker && moment.name == "once" {
        assert!(is_unknown, "{run}: the call was cut off, and the run says that it knows of it");
    }
    if !is_unknown {
        let there = by_frame(stage.desk.at(&stage.server, &["log", run, "--format", "jsonl"]));
        assert_eq!(&there, here, "{run}");
    }
    is_unknown
}
