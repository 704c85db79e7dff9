//! Findings as one types.

use serde_json::json;

use super::client::{EditedFolder, LspClient};

fn tour(syntax: &str) -> EditedFolder {
    match syntax {
        "yaml" => EditedFolder::of(&["graphs/tour"]),
        _ => EditedFolder::of(&["tests/loop/tour"]),
    }
}

/// A budget is misspelt and mended, and a called graph loses an input.
#[test]
fn findings_come_and_go_with_the_text() {
    for syntax in ["yaml", "loop"] {
        let mut client = LspClient::new(tour(syntax));
        client.settle();
        let before = client.findings();
        let first = format!("01-first-loop.{syntax}");
        client.open(&first);
        let budget = "exhausted(rounds)";
        client.replace(&first, 2, budget, "exhausted(round)");
        client.settle();
        let broken = client.findings();
        client.notify(
            "textDocument/didChange",
            &json!({
                "textDocument": {"uri": client.folder.uri(&first), "version": 3},
                "contentChanges": [{"text": client.folder.text(&first)}],
            }),
        );
        client.settle();
        let mended = client.findings();
        client.notify("textDocument/didClose", &json!({"textDocument": {"uri": client.folder.uri(&first)}}));
        client.settle();
        insta::assert_snapshot!(
            format!("findings_{syntax}"),
            format!(
                "before:\n{before}\nbroken:\n{broken}\nmended:\n{mended}\nclosed:\n{}",
                client.findings()
            )
        );
        assert!(client.leave());
    }
}
