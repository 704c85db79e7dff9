//! The commands that only read texts.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::client::{Client, text};
use crate::cli::Desk;

const GRAPH: &str = "graph: count\nbudgets: {rounds: 3}\nstart: again\nnodes:\n  again:\n    do: spend rounds\n    next: [{to: again}, {to: done, on: exhausted(rounds)}]\n  done: {kind: final}\n";

#[test]
fn tools_are_listed_with_schemas_of_what_goes_in_and_comes_out() {
    let desk = Desk::new();
    let mut client = Client::silent(&desk, &[]);
    let hello = client.greet(&json!({}));
    assert_eq!(hello["protocolVersion"], "2025-11-25");
    assert_eq!(hello["serverInfo"]["name"], "loopwright");
    let listed = client.ask("tools/list", &json!({}));
    insta::assert_json_snapshot!("tools", listed);
    assert_eq!(client.ask("ping", &json!({})), json!({}));
    assert_eq!(client.close(), Some(0));
}

#[test]
fn every_tool_does_what_the_command_does() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let later = GRAPH.replace("rounds: 3", "rounds: 5");
    let untidy = GRAPH.replace("budgets: {rounds: 3}", "budgets:   { rounds: 3 } # why");
    let scenarios = "graph: count.yaml\nscenarios:\n  - name: ends\n    expect: {outcome: done, budgets: {rounds: 3}}\n  - name: fails\n    expect: {outcome: cancelled}\n";
    let wrong = GRAPH.replace("to: done", "to: dune");
    let calls: &[(&str, Value)] = &[
        ("check", json!({"files": {"count.yaml": GRAPH}})),
        ("check", json!({"files": {"count.yaml": wrong}})),
        ("explain", json!({"name": "no-otherwise"})),
        ("explain", json!({"name": "no-otherwize"})),
        ("explain", json!({"name": "timeout"})),
        ("render", json!({"files": {"count.yaml": GRAPH}})),
        ("render", json!({"files": {"count.yaml": GRAPH}, "as": "dot"})),
        ("render", json!({"files": {"count.yaml": wrong}})),
        ("render", json!({"files": {"count.yaml": GRAPH}, "view": "small"})),
        ("diff", json!({"files": {"a.yaml": GRAPH, "b.yaml": later}, "before": "a.yaml", "after": "b.yaml"})),
        ("diff", json!({"files": {"a.yaml": GRAPH, "b.yaml": wrong}, "before": "a.yaml", "after": "b.yaml"})),
        ("format", json!({"files": {"count.yaml": untidy}})),
        ("format", json!({"files": {"count.yaml": "graph: [\n"}})),
        (
            "test",
            json!({"files": {"count.yaml": GRAPH, "count.scenarios.yaml": scenarios}, "coverage": true}),
        ),
        ("test", json!({"files": {"count.scenarios.yaml": scenarios}})),
    ];
    let mut page = String::new();
    for (tool, arguments) in calls {
        let result = client.call(tool, arguments);
        let head = text(&result).lines().take(30).collect::<Vec<_>>().join("\n");
        let failed = result["isError"].as_bool() == Some(true);
        let _ = writeln!(page, "## {tool}{}\n{head}\n", if failed { " (failed)" } else { "" });
        let schema = &client.ask("tools/list", &json!({}))["tools"];
        let schema = schema.as_array().expect("it is a list").iter().find(|listed| listed["name"] == *tool);
        let schema = &schema.expect("it is listed")["outputSchema"];
        if let Some(structured) = result.get("structuredContent") {
            let fits = jsonschema::is_valid(schema, structured);
            assert!(fits, "{tool}: {structured} does not fit {schema}");
        } else {
            assert!(failed, "{tool}: {result}");
        }
    }
    insta::assert_snapshot!("calls", page);
}

#[test]
fn findings_have_file_line_column_rule_and_cure() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let wrong = GRAPH.replace("to: done", "to: dune");
    let result = client.call("check", &json!({"files": {"count.yaml": wrong}}));
    let structured = &result["structuredContent"];
    assert_eq!(structured["ok"], false);
    let finding = &structured["findings"][0];
    assert_eq!(
        [&finding["file"], &finding["line"], &finding["column"], &finding["rule"]],
        [&json!("count.yaml"), &json!(7), &json!(30), &json!("unknown-node")]
    );
    assert_eq!(finding["help"], json!(["did you mean `done`?"]));
}

#[test]
fn calls_beside_each_other_are_all_answered() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let call = json!({"name": "check", "arguments": {"files": {"count.yaml": GRAPH}}});
    let ids: Vec<u64> = (0..20).map(|_| client.begin("tools/call", &call)).collect();
    let mut answered: Vec<u64> = ids
        .iter()
        .map(|_| {
            let answer = client.hear();
            assert_eq!(answer["result"]["structuredContent"]["ok"], true, "{answer}");
            answer["id"].as_u64().expect("it has an id")
        })
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
}

#[test]
fn a_client_without_a_handshake_is_answered() {
    let desk = Desk::new();
    let mut client = Client::silent(&desk, &[]);
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = client.ask("server/discover", &json!({"_meta": about}));
    let versions = found["supportedVersions"].as_array().expect("there is a list").clone();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")), "{found}");
    let call = json!({"name": "explain", "arguments": {"name": "no-otherwise"}, "_meta": about});
    let page = client.ask("tools/call", &call);
    assert!(text(&page).starts_with("# no-otherwise"), "{page}");
}
