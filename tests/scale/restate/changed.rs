//! What the operator changes under a run: its first segment is repeated as it began.

use super::desk::{Desk, Stage};
use crate::until::until;

#[test]
fn a_run_goes_on_whatever_is_changed_under_it() {
    let desk = Desk::new();
    let toml = std::fs::read_to_string(desk.path("loopwright.toml")).expect("it can be read");
    desk.configure("[inputs]\nword = 'pear'\n\n[run]\ntimeout = '50m'\n");
    let words = [&["steps.yaml"], &Desk::ports("steps.script.yaml")[..]].concat();
    let Some(mut stage) = Stage::of("changes under a run", desk, &words) else { return };
    stage.client.begin("a").expect("it begins");
    stage.client.until_waiting("a");
    stage.worker.kill();
    // A comment in the file, an input less, another time limit, other segments.
    let text = std::fs::read_to_string(stage.desk.path("steps.yaml")).expect("it can be read");
    stage.desk.write("steps.yaml", &format!("# Another comment.\n{text}"));
    stage.desk.write("loopwright.toml", &toml);
    stage.desk.configure("[run]\ntimeout = '40m'\n");
    stage.worker.words.extend(["--effects-per-segment".to_owned(), "1".to_owned()]);
    stage.worker.begin();
    stage.answer("a", "well");
    stage.client.until_done("a");
    let log = stage.desk.at(&stage.server, &["log", "a"]).well();
    assert!(log.contains("pear"), "{log}");
}

#[test]
fn a_fault_of_a_worker_is_said_on_its_standard_error() {
    let ports = Desk::ports("slow.script.yaml");
    let Some(mut stage) = Stage::new("a loud fault", "steps.yaml", &ports) else { return };
    stage.client.begin("a").expect("it begins");
    stage.client.until_waiting("a");
    // A segment in progress is given to the worker again as soon as it listens, so the server is there last.
    stage.server.kill();
    stage.worker.kill();
    // Its tools are not what they were: no port can be put together.
    stage.desk.write("slow.script.yaml", "model:\n  thinker: [{ok: Sweet., after: 300ms}]\n");
    stage.worker.begin();
    std::fs::remove_file(stage.desk.path("slow.script.yaml")).expect("it can be removed");
    stage.server.begin();
    stage.client.until_waiting("a");
    stage.answer("a", "well");
    until("it is said", || stage.worker.said().contains("the segment a/0 cannot be driven now: "));
    stage.desk.write("slow.script.yaml", "model:\n  thinker: [{ok: Sweet., after: 300ms}]\n");
    stage.client.until_done("a");
}
