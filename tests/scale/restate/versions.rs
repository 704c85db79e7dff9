//! Two versions of a graph, and workers that stop.

use std::process::Command;
use std::time::{Duration, Instant};

use loopwright::worker::restate::RestateClient;

use super::desk::{Desk, Stage, Worker};
use crate::until::until;

#[test]
fn a_run_stays_with_the_version_that_it_began_with() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(mut stage) = Stage::new("two versions of a graph", "steps.yaml", &ports) else { return };
    stage.begin("steps.yaml", "old", &[]);
    stage.client.until_waiting("old");
    // Another version, served by another worker.
    let text = std::fs::read_to_string(stage.desk.path("steps.yaml")).expect("it can be read");
    stage.desk.write("steps.yaml", &text.replace("How was it?", "And how was it?"));
    let worker = Worker::start(&stage.desk, &[&["steps.yaml"], &ports[..]].concat());
    let admin = RestateClient::new(&stage.server.admin()).expect("a client can be made");
    stage.client.wait(admin.register(&worker.url())).expect("it can be registered");
    let new = stage.desk.at(&stage.server, &["run", "steps.yaml", "--run-id", "new"]);
    assert!(new.stdout.contains("And how was it?"), "{}{}", new.stdout, new.stderr);
    // The run of the first version goes on with its own worker, and only there.
    stage.worker.kill();
    let ask = loopwright::machine::QuestionId("old:ask#1.ask".into());
    stage.client.wait(stage.client.client.answer("old", ask, "well".into())).expect("it is taken");
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(stage.client.status("old"), "Waiting");
    stage.desk.write("steps.yaml", &text);
    stage.worker.begin();
    stage.client.until_done("old");
    assert_eq!(stage.client.status("new"), "Waiting");
    stage.desk.at(&stage.server, &["resume", "new", "--answer", "badly"]).well();
}

#[test]
fn a_worker_that_stops_comes_to_the_end_of_its_calls() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(mut stage) = Stage::new("a worker that stops", "steps.yaml", &ports) else { return };
    stage.desk.write("slow", "1");
    stage.begin("steps.yaml", "a", &[]);
    let ledger = stage.desk.path("calls");
    until("the call begins", || {
        std::fs::read_to_string(&ledger).unwrap_or_default().contains("begin\tonce\ta:once")
    });
    let begun = Instant::now();
    let stopped = Command::new("kill").args(["-TERM", &stage.worker.id().to_string()]).status();
    assert!(stopped.expect("kill is there").success());
    assert_eq!(stage.worker.end(), Some(0), "{}", stage.worker.said());
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
    assert!(stage.worker.said().contains("SIGTERM: another worker continues what this one drives\n"));
    stage.worker.begin();
    stage.client.until_waiting("a");
    let shown = stage.desk.at(&stage.server, &["show", "a"]).well();
    assert!(shown.contains("unknown: false"), "the call came to its end: {shown}");
    // What did not begin is not made twice.
    let calls = std::fs::read_to_string(&ledger).expect("there is a ledger");
    assert_eq!(calls.matches("begin\tonce\ta:once#1.1").count(), 1, "{calls}");
}
