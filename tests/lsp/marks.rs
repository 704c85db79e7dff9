//! Colours, types beside names, and commands.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::client::{EditedFolder, LspClient};

/// The text of each token with the number of its type.
fn colours(text: &str, tokens: &Json) -> String {
    let numbers: Vec<usize> = tokens["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|number| usize::try_from(number.as_u64().expect("a number")).expect("it fits"))
        .collect();
    let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    let (mut line, mut column, mut out) = (0, 0, String::new());
    for token in numbers.chunks(5) {
        if token[0] > 0 {
            line += token[0];
            column = 0;
        }
        column += token[1];
        let word: String = lines[line][column..column + token[2]].iter().collect();
        let _ = writeln!(out, "{}:{} {word} {} {}", line + 1, column + 1, token[3], token[4]);
    }
    out
}

#[test]
fn names_are_coloured_in_both_syntaxes() {
    for (syntax, folder) in [("yaml", "graphs/tour"), ("loop", "tests/loop/tour")] {
        let mut client = LspClient::new(EditedFolder::of(&[folder]));
        let file = format!("01-first-loop.{syntax}");
        let document = json!({"textDocument": {"uri": client.folder.uri(&file)}});
        let tokens = client.request("textDocument/semanticTokens/full", &document);
        insta::assert_snapshot!(format!("colours_{syntax}"), colours(&client.folder.text(&file), &tokens));
    }
}

#[test]
fn types_stand_beside_lets_and_locals() {
    for (syntax, folder) in [("yaml", "graphs/tour"), ("loop", "tests/loop/tour")] {
        let mut client = LspClient::new(EditedFolder::of(&[folder]));
        let uri = client.folder.uri(&format!("03-composites.{syntax}"));
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}});
        let hints =
            client.request("textDocument/inlayHint", &json!({"textDocument": {"uri": uri}, "range": range}));
        assert!(!hints.as_array().expect("a list").is_empty());
        insta::assert_snapshot!(format!("hints_{syntax}"), client.shown(&hints));
    }
}

#[test]
fn scenarios_are_played_and_graphs_drawn() {
    let mut client = LspClient::new(EditedFolder::of(&["graphs/tour"]));
    let mut shown = String::new();
    for file in ["01-first-loop.yaml", "01-first-loop.scenarios.yaml"] {
        let document = json!({"textDocument": {"uri": client.folder.uri(file)}});
        let lenses = client.request("textDocument/codeLens", &document);
        for lens in lenses.as_array().expect("a list") {
            let command = &lens["command"];
            let params = json!({"command": command["command"], "arguments": command["arguments"]});
            let result = client.request("workspace/executeCommand", &params);
            let result =
                result["mermaid"].as_str().map_or(result["text"].clone(), |text| json!(text.lines().count()));
            shown += &client.shown(&json!([lens["range"]["start"]["line"], command["title"], result]));
            shown += "\n";
        }
    }
    insta::assert_snapshot!(shown);
}
