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
        desk.trust(".");
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
    desk.trust(".");
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

/// Asks a person, then a model.
const ASKS: &str = "
graph: asks
state: {told: string?, word: string?}
start: wants
nodes:
  wants: {kind: human, ask: '''Well?''', into: told, next: [{to: think}]}
  think: {kind: model, role: decider, prompt: '''Say something.''', into: word, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
output: {word: word}
";

/// Runs another graph.
const CALLS: &str = "
graph: calls
start: ask
nodes:
  ask: {kind: call, graph: says.yaml, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
";

#[test]
fn a_run_does_not_begin_where_no_model_is_bound() {
    let desk = Desk::new();
    desk.write("says.yaml", GRAPH);
    desk.write("calls.yaml", CALLS);
    let mut said = String::new();
    for words in ["run says.yaml", "run calls.yaml --run-id a --format json", "run graphs/mini.yaml"] {
        let _ = writeln!(said, "{}", desk.run(words).transcript());
    }
    let computed = GRAPH.replace("role: decider", "role_of: who");
    desk.write("computed.yaml", &computed);
    let _ = writeln!(said, "{}", desk.run("run computed.yaml").transcript());
    insta::assert_snapshot!(said);
    assert!(!desk.folder.path().join(".loopwright").exists(), "nothing was kept");
    // Where some model is bound, a role that is worked out on the way is seen when it is there.
    desk.write("loopwright.toml", "[models.thinker]\nprovider = \"ollama\"\nmodel = \"m\"\n");
    desk.trust(".");
    let ran = desk.run("run computed.yaml");
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
}

#[test]
fn a_kept_run_stays_as_it_was_where_no_model_is_bound() {
    let desk = Desk::new();
    desk.write("asks.yaml", ASKS);
    desk.write("asks.script.yaml", "model: {decider: [Hello.]}\n");
    let ran = desk.run("run asks.yaml --run-id a --script asks.script.yaml");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let kept = desk.run("log a --format jsonl").stdout;
    for words in ["resume a --answer yes", "resume a", "resume a --with asks.yaml"] {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(2), "{}", ran.transcript());
        assert!(ran.stderr.starts_with("error: no model serves `decider`\nhelp: "), "{}", ran.transcript());
    }
    assert_eq!(desk.run("log a --format jsonl").stdout, kept);
    let ran = desk.run("resume a --answer yes --script asks.script.yaml");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "outcome: end\nword: Hello.\n"),
        "{}",
        ran.transcript()
    );
    // To be sent back, a run needs no model.
    let ran = desk.run("rollback a --to 1");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let model = "provider = \"ollama\"\nmodel = \"m\"\nkey = {env = \"KEY_OF_A_TEST\"}\n";
    desk.write("loopwright.toml", &format!("[models.thinker]\n{model}"));
    let ran = desk.run("rollback a --to 1");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
}
