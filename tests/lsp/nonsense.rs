//! Clients that send nonsense.

use serde_json::{Value as Json, json};

use super::client::{EditedFolder, LspClient};

/// Every method of ours with parameters that do not fit, and positions that are nowhere.
#[test]
fn nonsense_is_answered() {
    let mut client = LspClient::new(EditedFolder::of(&["tests/loop/tour"]));
    let file = "01-first-loop.loop";
    client.open(file);
    let document = json!({"uri": client.folder.uri(file)});
    let far = json!({"line": u32::MAX, "character": u32::MAX});
    let nowhere = json!({"uri": "untitled:Untitled-1"});
    for method in [
        "initialize",
        "textDocument/hover",
        "textDocument/definition",
        "textDocument/references",
        "textDocument/rename",
        "textDocument/prepareRename",
        "textDocument/completion",
        "textDocument/documentSymbol",
        "textDocument/foldingRange",
        "textDocument/formatting",
        "textDocument/codeAction",
        "textDocument/semanticTokens/full",
        "textDocument/inlayHint",
        "textDocument/codeLens",
        "workspace/executeCommand",
        "workspace/symbol",
        "no/such/method",
    ] {
        for params in [
            Json::Null,
            json!([]),
            json!({}),
            json!("x"),
            json!({"textDocument": 7, "position": "here"}),
            json!({"textDocument": document, "position": far, "newName": "\u{0}", "context": {"includeDeclaration": true, "diagnostics": []}, "range": {"start": far, "end": {"line": 0, "character": 0}}, "options": {"tabSize": 2, "insertSpaces": true}, "query": "\u{202e}", "command": "x"}),
            json!({"textDocument": nowhere, "position": far, "newName": "x", "context": {"includeDeclaration": false, "diagnostics": []}, "range": {"start": far, "end": far}, "options": {"tabSize": 2, "insertSpaces": true}}),
        ] {
            client.request(method, &params);
        }
    }
    for (method, params) in [
        (
            "textDocument/didChange",
            json!({"textDocument": {"uri": client.folder.uri("not-open.yaml"), "version": 2}, "contentChanges": [{"text": ""}]}),
        ),
        (
            "textDocument/didChange",
            json!({"textDocument": {"uri": client.folder.uri(file), "version": 2}, "contentChanges": [{"range": {"start": far, "end": {"line": 0, "character": 0}}, "text": "x"}]}),
        ),
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": "untitled:Untitled-1", "languageId": "", "version": 1, "text": ""}}),
        ),
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": "file:", "languageId": "", "version": 1, "text": ""}}),
        ),
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": "file:///no/such/folder/x.yaml", "languageId": "", "version": 1, "text": "graph: x"}}),
        ),
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": client.folder.uri("deep.yaml"), "languageId": "", "version": 1, "text": "[".repeat(100_000)}}),
        ),
        ("textDocument/didClose", json!({"textDocument": {"uri": client.folder.uri("never.yaml")}})),
        ("textDocument/didSave", json!({"textDocument": {"uri": "http://localhost/x.yaml"}})),
        ("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": "x:y", "type": 99}]})),
        ("$/cancelRequest", json!({"id": "never"})),
        ("exit?", json!(null)),
    ] {
        client.notify(method, &params);
    }
    client.settle();
    assert!(client.leave());
}

/// A client that goes without a word, and one that says what it must not.
#[test]
fn a_client_may_go_at_any_time() {
    let client = LspClient::new(EditedFolder::of(&["tests/loop/tour"]));
    drop(client);
    let client = LspClient::new(EditedFolder::of(&["tests/loop/tour"]));
    client.notify("exit", &Json::Null);
    drop(client);
}
