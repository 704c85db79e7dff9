//! Scripts and scenarios that are wrong.

use super::{says, small};

#[test]
fn an_answer_that_a_script_lacks_is_said_first_with_its_place() {
    let desk = small();
    desk.write("short.yaml", "model:\n  decider:\n    - {action: calculate, expression: 6 * 7}\n");
    let ran = says(
        &desk,
        "run hello.yaml --script short.yaml",
        1,
        &[
            "error[scenario-answer]: node `decide` asks for an answer of the model `decider`, and the script has no answer left",
            "short.yaml:3:7",
            "outcome: failed",
        ],
    );
    assert!(ran.stderr.contains("short.yaml:3:7"), "{}", ran.transcript());
}

#[test]
fn an_answer_that_does_not_fit_is_said_with_its_place() {
    let desk = small();
    desk.write("odd.yaml", "model:\n  decider:\n    - {action: calculat, expression: 6 * 7}\n");
    says(
        &desk,
        "run hello.yaml --script odd.yaml",
        1,
        &["error[scenario-answer]: the scripted answer does not fit its type: at action:", "odd.yaml:3:7"],
    );
    desk.write("odd.scenarios.yaml", "graph: hello.yaml\nscenarios:\n  - name: odd\n    model:\n      decider: [{action: calculat}]\n    expect: {outcome: finished}\n");
    let ran = says(&desk, "test odd.scenarios.yaml", 1, &["odd.scenarios.yaml:5:17"]);
    let first = ran.stdout.lines().nth(1).unwrap_or_default();
    assert!(first.contains("the scripted answer does not fit its type: at action:"), "{}", ran.stdout);
}

#[test]
fn an_answer_that_does_not_fit_may_be_meant() {
    let desk = small();
    desk.write(
        "fine.yaml",
        "model:\n  decider:\n    - {action: calculat}\n    - {action: finish, answer: ok}\n",
    );
    let ran = says(&desk, "run hello.yaml --script fine.yaml", 0, &["outcome: finished"]);
    assert!(ran.stderr.is_empty(), "{}", ran.transcript());
}

#[test]
fn a_misspelt_tool_of_a_script_is_named() {
    let desk = small();
    desk.write("odd.yaml", "model: [{action: finish, answer: ok}]\ntools: [{tool: calculatr, ok: 1}]\n");
    says(
        &desk,
        "run hello.yaml --script odd.yaml",
        1,
        &[
            "error[scenario-name]: the graph has no tool `calculatr`",
            "odd.yaml:2:16",
            "did you mean `calculator`?",
        ],
    );
}

#[test]
fn a_tool_whose_name_is_computed_is_named_where_it_is_missing() {
    let desk = small();
    let graph = "graph: any\ninput: {name: string = 'calculator'}\nstate: {said: any = null}\nstart: call\nnodes:\n  call: {kind: tool, tool_of: name, args: {expression: \"'1'\"}, into: said, next: [{to: end}, {to: lost, on: error}]}\n  end: {kind: final}\n  lost: {kind: final, ok: false}\n";
    desk.write("any.yaml", graph);
    desk.write("odd.scenarios.yaml", "graph: any.yaml\nscenarios:\n  - name: odd\n    catalogue: [calculator]\n    tools: [{tool: calculatr, ok: 1}]\n    expect: {outcome: end}\n");
    says(&desk, "test odd.scenarios.yaml", 1, &["it has one for `calculatr`", "odd.scenarios.yaml:5:20"]);
}
