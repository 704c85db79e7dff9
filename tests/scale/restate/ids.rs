//! The ids of runs: each is given once.

use super::desk::{Desk, STEPS, Stage, Worker};
use crate::until::until;

const OTHER: &str = "graph: other\nstart: end\nnodes:\n  end: {kind: final}\n";

#[test]
fn an_id_is_given_once_whatever_graph_and_however_long_ago() {
    let desk = Desk::new();
    desk.write("other.yaml", OTHER);
    let words = [&["steps.yaml"], &Desk::ports("steps.script.yaml")[..]].concat();
    let Some(stage) = Stage::of("ids of runs", desk, &words) else { return };
    let other = Worker::start(&stage.desk, &["other.yaml"]);
    stage.register(&other.url());
    let Stage { desk, server, client, .. } = &stage;
    let exists = "error: there is a run `a` already\nhelp: give the run another id: --run-id ID\n";
    stage.begin("steps.yaml", "a", &[]);
    client.until_waiting("a");
    for graph in ["steps.yaml", "other.yaml"] {
        let twice = desk.at(server, &["run", graph, "--run-id", "a"]);
        assert_eq!(twice.stderr, exists, "{graph}");
    }
    // Restate forgets a workflow a day after its end.
    stage.answer("a", "well");
    client.until_done("a");
    until("the segment has ended", || {
        let sql = "SELECT status FROM sys_invocation WHERE target_service_key = 'a/0' AND target_handler_name = 'run'";
        server.query(sql).first().is_none_or(|row| row["status"] == "completed")
    });
    server.with_segment("a/0", "purge");
    until("the segment is forgotten", || {
        server.query("SELECT id FROM sys_invocation WHERE target_service_key = 'a/0' AND target_handler_name = 'run'").is_empty()
    });
    let twice = desk.at(server, &["run", "steps.yaml", "--run-id", "a"]);
    assert_eq!(twice.stderr, exists);
    // An id may hold any word.
    let none = desk.at(server, &["show", "service"]);
    assert!(none.stderr.starts_with("error: there is no run `service` in restate="), "{}", none.stderr);
}

#[test]
fn a_segment_is_begun_by_the_object_of_its_run_alone() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(stage) = Stage::new("segments are private", "steps.yaml", &ports) else { return };
    let (graph, digest) = STEPS;
    let url = format!("{}/loopwright.{graph}.{digest}/b%2F0/run", stage.server.ingress());
    let forged = r#"{"begin":{"input":{},"seed":0}}"#;
    let asked = std::process::Command::new("curl")
        .args(["-s", "-m", "10", "-H", "content-type: application/json", "-d", forged, &url])
        .output();
    let reply = String::from_utf8(asked.expect("curl is there").stdout).expect("it answers in text");
    assert!(reply.contains("not public"), "{reply}");
    assert_eq!(stage.client.status("b"), "");
}
