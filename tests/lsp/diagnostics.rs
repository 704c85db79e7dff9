//! Findings as one types.

use serde_json::json;

use loopwright::lsp::LanguageServer;

use super::client::{EditedFolder, LspClient, server};

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

/// A text that is no graph any more has no findings, though no file is examined because of it.
#[test]
fn findings_go_with_the_graph() {
    let folder = EditedFolder::of(&[]);
    let uri = folder.uri("a.loop");
    let mut server = server();
    let tell = |server: &mut LanguageServer, message| {
        server.receive(serde_json::from_value(message).expect("it is a message"));
        while server.has_work() {
            server.work();
        }
    };
    let change = |version: i32, text: &str| {
        let document = json!({"uri": uri, "version": version});
        json!({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": [{"text": text}]}})
    };
    tell(&mut server, json!({"id": 1, "method": "initialize", "params": folder.initialize()}));
    tell(&mut server, json!({"method": "initialized", "params": {}}));
    let document =
        json!({"uri": uri, "languageId": "loop", "version": 1, "text": "graph a\nstart nowhere\n"});
    tell(&mut server, json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}));
    assert_eq!(server.published().values().flatten().count(), 1, "{:?}", server.published());
    tell(&mut server, change(2, "start nowhere\n"));
    assert_eq!(server.published().values().flatten().count(), 0, "{:?}", server.published());
}
