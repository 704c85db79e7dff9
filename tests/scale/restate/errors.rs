//! What is not there is said, with what helps.

use super::desk::{Desk, STEPS, Stage};
use super::server::{Server, free_port};

#[test]
fn faults_are_said_with_a_cure() {
    let Some(server) = Server::start("faults of engines") else { return };
    let desk = Desk::new();
    let here = |words: &[&str]| {
        let ran = desk.at(&server, words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.stdout);
        ran.stderr.replace(&server.ingress(), "INGRESS")
    };
    assert_eq!(
        here(&["run", "steps.yaml"]),
        "error: the Restate server at INGRESS knows no worker that serves `loopwright.steps.08eccbd2a550a38f`\n\
         help: start a worker with this version of the graph and register it: loopwright worker restate GRAPH --register \
         http://127.0.0.1:9070\n"
    );
    let nobody = format!("restate=http://127.0.0.1:{}", free_port());
    let ran = desk.run(&["show", "a", "--engine", &nobody]);
    assert!(ran.stderr.contains("no Restate server answers at http://127.0.0.1:"), "{}", ran.stderr);
    let ran = desk.run(&["run", "steps.yaml", "--engine", &nobody]);
    assert!(
        ran.stderr.contains("help: start the server, or name the address of its ingress"),
        "{}",
        ran.stderr
    );
    let ran = desk.run(&[
        "run",
        "steps.yaml",
        "--engine",
        "restate=http://127.0.0.1:1",
        "--script",
        "steps.script.yaml",
    ]);
    assert!(
        ran.stderr.contains("the argument '--engine <ENGINE=URL>' cannot be used with '--script <FILE>'"),
        "{}",
        ran.stderr
    );
    let ports = Desk::ports("steps.script.yaml");
    let open = [&["worker", "restate", "steps.yaml", "--listen", "0.0.0.0:0"], &ports[..]].concat();
    let ran = desk.run(&open);
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "error: --listen 0.0.0.0:0: other machines reach this address\nhelp: take only what your Restate server signs: --identity \
         publickeyv1_…\n"
    );
    let twice =
        [&["worker", "restate", "steps.yaml", "steps.yaml", "--listen", "127.0.0.1:0"], &ports[..]].concat();
    let ran = desk.run(&twice);
    assert!(
        ran.stderr.ends_with(
            "error: the graph `steps` is there twice, with the same meaning\nhelp: name each graph once\n"
        ),
        "{}",
        ran.stderr
    );
    let keyed =
        [&["worker", "restate", "steps.yaml", "--listen", "127.0.0.1:0", "--identity", "nokey"], &ports[..]]
            .concat();
    let ran = desk.run(&keyed);
    assert!(ran.stderr.contains("error: `nokey` is no key of Restate"), "{}", ran.stderr);
}

#[test]
fn a_run_has_one_beginning_and_another_graph_is_not_served() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(stage) = Stage::new("one beginning", "steps.yaml", &ports) else { return };
    let Stage { desk, server, client, .. } = &stage;
    stage.begin("steps.yaml", "a", &[]);
    let twice = desk.at(server, &["run", "steps.yaml", "--run-id", "a"]);
    assert_eq!(
        twice.stderr,
        "error: there is a run `a` already\nhelp: give the run another id: --run-id ID\n"
    );
    client.until_waiting("a");
    desk.write("other.yaml", "graph: steps\nstart: end\nnodes:\n  end: {kind: final}\n");
    let other = desk.at(server, &["run", "other.yaml"]);
    assert!(other.stderr.contains("knows no worker that serves `loopwright.steps."), "{}", other.stderr);
    let none = desk.at(server, &["show", "none"]);
    assert!(none.stderr.starts_with("error: there is no run `none` in restate=http://"), "{}", none.stderr);
    // The service has the digest in its name that the worker says.
    let said = stage.worker.said();
    assert!(said.contains(&format!("steps ({})", &STEPS.1[..12])), "{said}");
    // Inputs are judged by the worker as well.
    let input = [("wrod", loopwright::value::Value::from("x"))].into_iter().collect();
    let begun = client.wait(client.client.begin(STEPS, &"b".into(), input, 0));
    let refused = begun.expect_err("it does not begin");
    assert!(refused.to_string().contains("wrod"), "{refused}");
    assert_eq!(client.status("b"), "", "nothing is left of it");
}
