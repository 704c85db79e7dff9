//! Names and keys that fit where the cursor is.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::client::{EditedFolder, LspClient};

/// Texts with a cursor `‸`: a name for the snapshot, what is replaced in the first graph of the tour, by what.
const YAML: [(&str, &str, &str); 12] = [
    ("node", "to: search, when", "to: sea‸, when"),
    ("budget", "exhausted(rounds)", "exhausted(‸)"),
    ("guard", "when: page != null", "when: ‸"),
    ("field", "when: move.action == 'search'", "when: move.‸ == 'search'"),
    ("member", "== 'search'", "== 's‸'"),
    ("member without quotes", "== 'search'", "== ‸"),
    ("text", "prompt: last_word", "prompt: la‸"),
    ("type", "output: Move", "output: M‸"),
    ("key of a model", "    output: Move", "    ‸\n    output: Move"),
    ("key of an edge", "{to: search, when", "{to: search, ‸, when"),
    ("template", "Question: {{ question }}", "Question: {{ ‸ }}"),
    ("tool", "tool: search", "tool: ‸"),
];

const LOOP: [(&str, &str, &str); 11] = [
    ("node", "-> search when", "-> sea‸ when"),
    ("budget", "exhausted(rounds)", "exhausted(‸)"),
    ("guard", "when page != null", "when ‸"),
    ("field", "when move.action == 'search'", "when move.‸ == 'search'"),
    ("member", "== 'search'", "== 's‸'"),
    ("text", "prompt last_word", "prompt la‸"),
    ("type", "output Move", "output M‸"),
    ("key of a model", "  output Move", "  ‸\n  output Move"),
    ("section", "start more_rounds", "‸\nstart more_rounds"),
    ("trigger", "on error(invalid_output)", "on error(‸)"),
    ("spend", "spend rounds", "spend ‸"),
];

fn offered(client: &mut LspClient, file: &str, old: &str, new: &str) -> String {
    let text = client.folder.text(file);
    assert!(text.contains(old), "{file} has no {old:?}");
    let text = text.replacen(old, new, 1);
    let at = text.find('‸').expect("there is a cursor");
    let text = text.replacen('‸', "", 1);
    client.open_text(file, &text);
    let place = json!({
        "textDocument": {"uri": client.folder.uri(file)}, "position": super::client::position(&text, at),
    });
    let items = client.request("textDocument/completion", &place);
    client.notify("textDocument/didClose", &json!({"textDocument": {"uri": client.folder.uri(file)}}));
    let line = |item: &Json| {
        let detail = item["detail"].as_str().map(|detail| format!(": {detail}")).unwrap_or_default();
        format!("  {}{detail} -> {}", item["label"].as_str().expect("a label"), item["textEdit"]["newText"])
    };
    let items = items.as_array().cloned().unwrap_or_default();
    let functions = items.iter().filter(|item| item["insertTextFormat"] == 2).count();
    let mut lines: Vec<String> =
        items.iter().filter(|item| item["insertTextFormat"] != 2).map(line).collect();
    if functions > 0 {
        lines.push(format!("  and {functions} functions"));
    }
    lines.join("\n")
}

fn all(folder: &str, file: &str, places: &[(&str, &str, &str)]) -> String {
    let mut client = LspClient::new(EditedFolder::of(&[folder]));
    client.settle();
    let mut out = String::new();
    for (name, old, new) in places {
        let _ = write!(out, "{name}: {new:?}\n{}\n\n", offered(&mut client, file, old, new));
    }
    out
}

#[test]
fn in_yaml() {
    insta::assert_snapshot!(all("graphs/tour", "01-first-loop.yaml", &YAML));
}

#[test]
fn in_the_loop_language() {
    insta::assert_snapshot!(all("tests/loop/tour", "01-first-loop.loop", &LOOP));
}

/// Texts with a cursor in files whose keys are those of a schema: a name for the snapshot, and the text.
const SCENARIOS: [(&str, &str); 8] = [
    ("section", "‸\n"),
    ("key of a scenario", "graph: sum.yaml\nscenarios:\n  - name: a\n    ‸\n"),
    ("key of expectations", "graph: sum.yaml\nscenarios:\n  - name: a\n    expect:\n      ‸\n"),
    ("key of a call", "graph: sum.yaml\nscenarios:\n  - name: a\n    expect: {tool_calls: [{tool: t, ‸}]}\n"),
    (
        "key around an answer",
        "graph: sum.yaml\nscenarios:\n  - name: a\n    model:\n      r:\n        - ok: 1\n          ‸\n",
    ),
    ("key of an error", "graph: sum.yaml\nscenarios:\n  - name: a\n    tools: [{error: {kind: a, ‸}}]\n"),
    ("delivery", "graph: sum.yaml\ndefaults:\n  catalogue: [{name: a, delivery: ‸}]\nscenarios: []\n"),
    ("value of any form", "graph: sum.yaml\nscenarios:\n  - name: a\n    model: [{ok: {‸}}]\n"),
];

const SCRIPT: [(&str, &str); 2] =
    [("section", "model: []\n‸\n"), ("usage", "model:\n  - ok: 1\n    usage: {cost: 1, ‸}\n")];

const CONFIG: [(&str, &str); 12] = [
    ("table", "[‸\n"),
    ("inner table", "[limits.‸\n"),
    ("key of a tool", "[tools.a]\ncommand = [\n  \"a\",\n]\n‸\n"),
    ("choice", "[tools.a]\nparse = ‸\n"),
    ("choice in quotes", "[tools.a]\nparse = \"‸\"\n"),
    ("key of a table in one line", "[builtin]\nwrite_file = {root = \".\", ‸}\n"),
    ("key of a price", "[models.\"a.b\"]\nprice = {‸}\n"),
    ("dotted key", "[models.a]\nprice.‸\n"),
    ("item of a list", "[hooks.a]\non = [\"run.started\", \"‸\"]\n"),
    ("rule", "[policy]\ndeny = [\n  {from = \"tool:a\", ‸},\n]\n"),
    ("severity", "[check]\nunused = \"‸\"\n"),
    ("free names", "[inputs]\n‸\n"),
];

fn offered_in_texts(file: &str, places: &[(&str, &str)]) -> String {
    let mut client = LspClient::new(EditedFolder::of(&["graphs/tour"]).with(file, "‸"));
    client.settle();
    let mut out = String::new();
    for (name, text) in places {
        let _ = write!(out, "{name}: {text:?}\n{}\n\n", offered(&mut client, file, "‸", text));
    }
    out
}

#[test]
fn keys_of_scenarios() {
    insta::assert_snapshot!(offered_in_texts("a.scenarios.yaml", &SCENARIOS));
}

#[test]
fn keys_of_scripts() {
    insta::assert_snapshot!(offered_in_texts("sum.script.yaml", &SCRIPT));
}

#[test]
fn keys_of_configurations() {
    insta::assert_snapshot!(offered_in_texts("loopwright.toml", &CONFIG));
}

#[test]
fn keys_are_explained() {
    let mut out = String::new();
    for (file, text) in [
        ("loopwright.toml", "[tools.a]\npar‸se = \"json\"\n"),
        ("loopwright.toml", "[to‸ols.a]\n"),
        ("loopwright.toml", "[models.a]\nprice = {in‸put = \"$1\"}\n"),
        ("a.scenarios.yaml", "graph: sum.yaml\nscenarios:\n  - name: a\n    expect: {le‸af_path: []}\n"),
        ("sum.script.yaml", "model:\n  - ok: 1\n    af‸ter: 5s\n"),
    ] {
        let mut client = LspClient::new(EditedFolder::of(&["graphs/tour"]).with(file, "model:\n"));
        client.settle();
        let at = text.find('‸').expect("there is a cursor");
        let text = text.replacen('‸', "", 1);
        client.open_text(file, &text);
        let place = json!({
            "textDocument": {"uri": client.folder.uri(file)}, "position": super::client::position(&text, at),
        });
        let hover = client.request("textDocument/hover", &place);
        let _ = writeln!(out, "{text}{}\n", hover["contents"]["value"].as_str().unwrap_or("nothing"));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn in_scenarios() {
    let mut client = LspClient::new(EditedFolder::of(&["graphs/tour"]));
    client.settle();
    let file = "01-first-loop.scenarios.yaml";
    let path = offered(&mut client, file, "path: [", "path: [‸, ");
    insta::assert_snapshot!(path);
}
