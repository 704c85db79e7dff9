//! A real model that chooses a tool: with `limits`, its schema leaves it no other.

use serde_json::Value as Json;

use super::part::Part;
use super::real::config;
use crate::cli::Desk;

const GRAPH: &str = "graph: choose
input: {question: string}
types:
  Choice: {why: string(80), tool: string(40)}
state: {choice: Choice?, failure: string?}
start: think
nodes:
  think:
    kind: model
    role: decider
    system: \"'You choose the tool for a task. The tools are: ' + tools.map(t, t.name + ' (' + t.description + ')').join(', ')\"
    prompt: question
    output: Choice
    limits: {tool: 'tools.map(t, t.name)'}
    into: choice
    next: [{to: done}, {to: done, on: error, do: failure = error.message}]
  done: {kind: final}
output: {tool: choice.tool, failure: failure, names: 'tools.map(t, t.name)'}
";

/// Without the limits, not one of fifty such decisions named a tool that exists; see the page on real models.
#[test]
fn every_decision_names_a_tool_that_exists() {
    let Some(part) = Part::get() else { return };
    let desk = Desk::new();
    desk.write("choose.yaml", GRAPH);
    let server = part.serve();
    desk.write("models.toml", &config(&server.url, 200));
    desk.trust("models.toml");
    for question in
        ["What is 17 times 43?", "Which files are in the folder?", "Find the word tower in the notes."]
    {
        let input = format!("question={question}");
        let words = ["run", "choose.yaml", "--config", "models.toml", "--input", &input, "--format", "json"];
        let ran = desk.run_words(&words, &[]);
        let shown: Json = serde_json::from_str(&ran.stdout).expect("it is JSON");
        let output = &shown["output"];
        let names = output["names"].as_array().expect("the catalogue has names");
        assert!(names.contains(&output["tool"]), "{}", ran.transcript());
    }
}
