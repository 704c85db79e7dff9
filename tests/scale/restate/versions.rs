//! Two versions of a graph, and workers that stop.

use std::fs;
use std::time::Duration;

use loopwright::machine::QuestionId;
use nix::sys::signal::Signal;

use super::desk::{Desk, Stage, Worker};
use crate::until::until;

#[test]
fn a_run_stays_with_the_version_that_it_began_with() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(mut stage) = Stage::new("two versions of a graph", "steps.yaml", &ports) else { return };
    stage.begin("steps.yaml", "old", &[]);
    stage.client.until_waiting("old");
    // Another version, served by another worker.
    let text = fs::read_to_string(stage.desk.path("steps.yaml")).expect("it can be read");
    let changed = text.replace("How was it?", "And how was it?");
    stage.desk.write("steps.yaml", &changed);
    let mut worker = Worker::start(&stage.desk, &[&["steps.yaml"], &ports[..]].concat());
    stage.register(&worker.url());
    let new = stage.desk.at(&stage.server, &["run", "steps.yaml", "--run-id", "new"]);
    assert!(new.stdout.contains("And how was it?"), "{}{}", new.stdout, new.stderr);
    // Runs of the first version go on with their own worker, and only there.
    stage.worker.kill();
    stage.answer("old", "well");
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(stage.client.status("old"), "Waiting");
    // Words that nobody takes do not pile up without end; the end of the run may still be asked for.
    for number in 1..100 {
        assert_eq!(stage.answer("old", "badly"), number);
    }
    let ask = QuestionId("old:ask#1.ask".into());
    let refused = stage.client.wait(stage.client.client.answer("old", ask, "badly".into()));
    let refused = refused.expect_err("there is no room").to_string();
    assert_eq!(refused, "100 answers and requests for the run `old` wait until a worker takes them");
    stage.client.wait(stage.client.client.abort("old", "")).expect("there is room for that");
    stage.desk.write("steps.yaml", &text);
    stage.worker.begin();
    stage.client.until_done("old");
    assert_eq!(stage.client.status("new"), "Waiting");
    // What keeps all runs is the worker that was registered last: without it nobody is answered, and nothing is lost.
    worker.kill();
    assert!(!stage.client.begins_within("later", Duration::from_secs(2)));
    stage.desk.write("steps.yaml", &changed);
    worker.begin();
    stage.client.until_waiting("later");
    stage.desk.at(&stage.server, &["resume", "new", "--answer", "badly"]).well();
}

#[test]
fn a_worker_that_stops_comes_to_the_end_of_its_calls() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(mut stage) = Stage::new("a worker that stops", "steps.yaml", &ports) else { return };
    stage.desk.write("slow", "1");
    let ledger = stage.desk.path("calls");
    // At the call that may be made once, and at the one before it: no call is begun after the signal, and none is said to be unknown.
    for (run, call) in [("a", "once"), ("b", "again")] {
        stage.begin("steps.yaml", run, &[]);
        let line = format!("begin\t{call}\t{run}:{call}");
        until("the call begins", || fs::read_to_string(&ledger).unwrap_or_default().contains(&line));
        stage.worker.signal(Signal::SIGTERM);
        assert_eq!(stage.worker.end(), Some(0), "{}", stage.worker.said());
        assert!(stage.worker.said().contains("SIGTERM: another worker continues what this one drives\n"));
        stage.worker.begin();
        stage.client.until_waiting(run);
        let shown = stage.desk.at(&stage.server, &["show", run]).well();
        assert!(shown.contains("unknown: false"), "at {call}: {shown}");
        let calls = fs::read_to_string(&ledger).expect("there is a ledger");
        let once = format!("begin\tonce\t{run}:once#1.1");
        assert_eq!(calls.matches(&once).count(), 1, "{calls}");
    }
}
