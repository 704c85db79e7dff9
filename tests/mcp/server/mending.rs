//! An agent that knows nothing but what the server tells it writes a graph with mistakes, mends it, and tests it.

use serde_json::{Value, json};

use super::client::{Client, text};
use crate::cli::Desk;

/// A graph with three mistakes: a misspelt field, a misspelt node, and an error that no edge answers.
const DRAFT: &str = "\
graph: answer
input: {question: string}
state: {reply: string?}
texts: {ask: 'Answer in one sentence: {{ question }}'}
start: think
nodes:
  think:
    kind: model
    role: writer
    prompt: ask
    into: replay
    next:
      - {to: finish}
  finished: {kind: final}
output: {reply: reply}
";

const SCENARIOS: &str = "\
graph: answer.yaml
scenarios:
  - name: it answers
    input: {question: why}
    model: {writer: [because]}
    expect: {outcome: finished, output: {reply: because}}
  - name: a model that cannot be asked
    input: {question: why}
    model: {writer: [{error: {kind: unavailable, message: gone}}]}
    expect: {outcome: failed}
";

/// The words between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The text with a finding mended, as its cures say.
fn mended(draft: &str, finding: &Value) -> String {
    let mut lines: Vec<String> = draft.lines().map(str::to_owned).collect();
    let place =
        |value: &Value| usize::try_from(value.as_u64().expect("it is a number")).expect("it is small") - 1;
    for cure in finding["help"].as_array().expect("there are cures") {
        let cure = cure.as_str().expect("it is a text");
        match quoted(cure)[..] {
            [word] if cure.starts_with("did you mean") => {
                let columns = place(&finding["column"])..place(&finding["end"]["column"]);
                lines[place(&finding["line"])].replace_range(columns, word);
            }
            [node, edge] if cure.starts_with("add to the edges of") => {
                let node =
                    lines.iter().position(|line| *line == format!("  {node}:")).expect("there is the node");
                let edges = lines[node..].iter().position(|line| line.starts_with("      - "));
                lines.insert(node + edges.expect("it has edges") + 1, format!("      {edge}"));
            }
            [last] if cure.starts_with("and the final") => {
                let nodes = lines.iter().position(|line| line == "nodes:").expect("there are nodes");
                lines.insert(nodes + 1, format!("  {last}"));
            }
            _ => panic!("what this says is new to the agent: {cure}"),
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn an_agent_mends_three_mistakes_by_the_findings_and_tests_the_graph() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let mut draft = DRAFT.to_owned();
    let mut rules = Vec::new();
    for _ in 0..10 {
        let result = client.call("check", &json!({"files": {"answer.yaml": draft}}));
        let findings = result["structuredContent"]["findings"].as_array().expect("there is a list").clone();
        let Some(finding) = findings.first() else { break };
        rules.push(finding["rule"].as_str().expect("it has a rule").to_owned());
        draft = mended(&draft, finding);
    }
    assert_eq!(rules, ["unknown-name", "unknown-node", "unhandled"]);
    let files = json!({"answer.yaml": draft, "answer.scenarios.yaml": SCENARIOS});
    let result = client.call("test", &json!({"files": files}));
    assert_eq!(
        text(&result),
        "ok    answer.scenarios.yaml: it answers\nok    answer.scenarios.yaml: a model that cannot be asked\n\n2 passed, 0 failed\n"
    );
    let drawn = client.call("render", &json!({"files": {"answer.yaml": draft}}));
    assert!(text(&drawn).contains("think --> failed : error"), "{drawn}");
    assert_eq!(client.close(), Some(0));
    // The text is saved, and an operator lets clients run it.
    desk.write("answer.yaml", &draft);
    desk.write("answer.script.yaml", "model: {writer: [because]}\n");
    let mut client = Client::new(&desk, &["--allow-run", "answer.yaml", "--script", "answer.script.yaml"]);
    let result = client.call("answer", &json!({"question": "why"}));
    assert_eq!(result["structuredContent"]["output"], json!({"reply": "because"}), "{result}");
}
