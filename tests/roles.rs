//! Roles and the models that serve them, on the command line.

use std::fmt::Write as _;

use crate::cli::Desk;

const GRAPH: &str = "
graph: says
state: {word: string?}
input: {who: string = 'decider'}
start: think
nodes:
  think:
    kind: model
    role: decider
    prompt: '''Say something.'''
    output: string
    into: word
    next: [{to: again}, {to: failed, on: error}]
  again:
    kind: model
    role_of: who
    prompt: '''Say more.'''
    output: string
    into: word
    next: [{to: end}, {to: failed, on: error}]
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {word: word}
";

/// What is said of the models of a configuration before anything is asked.
#[test]
fn a_run_begins_only_with_models_that_can_serve_it() {
    let desk = Desk::new();
    desk.write("says.yaml", GRAPH);
    let model = "provider = \"openai\"\nmodel = \"m\"\nattempts = 1\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    let mut said = String::new();
    for (name, models, key) in [
        ("a role that nobody serves", format!("[models.thinker]\n{model}"), None),
        ("a slip in a role", format!("[models.decidr]\n{model}"), None),
        ("no key", format!("[models.decider]\n{model}key = {{env = \"KEY_OF_A_TEST\"}}\n"), None),
        ("an empty key", format!("[models.decider]\n{model}key = {{env = \"KEY_OF_A_TEST\"}}\n"), Some(" ")),
        (
            "no key at all",
            format!("[models.decider]\n{model}key = {{env = \"KEY_OF_A_TEST\"}}\n"),
            Some("a\nb\u{1}c-12345678"),
        ),
    ] {
        desk.write("loopwright.toml", &models);
        let env: Vec<(&str, &str)> = key.map(|key| ("KEY_OF_A_TEST", key)).into_iter().collect();
        let ran = desk.run_with("run says.yaml", &env);
        let _ = writeln!(said, "# {name}\n{}", ran.transcript());
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_model_that_is_not_there_is_a_failure_of_the_call() {
    let desk = Desk::new();
    desk.write("says.yaml", GRAPH);
    let model = "provider = \"openai\"\nmodel = \"m\"\nattempts = 1\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    desk.write("loopwright.toml", &format!("[models.\"*\"]\n{model}"));
    let ran = desk.run("run says.yaml --run-id a");
    assert_eq!(
        (ran.code, ran.stdout.lines().next()),
        (Some(1), Some("outcome: failed (not ok)")),
        "{}",
        ran.transcript()
    );
    let log = desk.run("log a").stdout;
    assert!(log.contains("unavailable") && log.contains("cannot be reached: no conn"), "{log}");
    let state = desk.run("log a --format jsonl").stdout;
    assert!(state.contains("no connection to 127.0.0.1:1: Connection refused"), "it says where: {state}");
}
