//! A second client drives our server: the protocol's own inspector.

use serde_json::Value;

use super::super::part::Part;
use crate::cli::Desk;

#[test]
fn the_inspector_lists_and_calls_our_tools() {
    let Some(part) = Part::get() else { return };
    let desk = Desk::new();
    desk.write("answer.script.yaml", "model: {writer: [because]}\n");
    desk.write(
        "answer.yaml",
        "graph: answer\ninput: {question: string}\nstate: {reply: string?}\ntexts: {ask: '{{ question }}'}\nstart: think\nnodes:\n  think:\n    kind: model\n    role: writer\n    prompt: ask\n    into: reply\n    next: [{to: finished}, {to: failed, on: error}]\n  finished: {kind: final}\n  failed: {kind: final, ok: false}\noutput: {reply: reply}\n",
    );
    let serve = [
        env!("CARGO_BIN_EXE_loopwright"),
        "mcp",
        "serve",
        "--allow-run",
        "answer.yaml",
        "--script",
        "answer.script.yaml",
    ];
    let inspect = |words: &[&str]| -> Value {
        let output = part
            .node()
            .arg(part.script("inspector", "cli/build/cli.js"))
            .arg("--cli")
            .args(serve)
            .args(words)
            .env("XDG_STATE_HOME", desk.state())
            .current_dir(desk.folder.path())
            .output()
            .expect("node starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {text}{why}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{why}"))
    };
    let listed = inspect(&["--method", "tools/list"]);
    let names: Vec<_> =
        listed["tools"].as_array().expect("a list").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["check", "explain", "render", "diff", "format", "test", "answer"]);
    let page =
        inspect(&["--method", "tools/call", "--tool-name", "explain", "--tool-arg", "name=no-otherwise"]);
    assert!(
        page["content"][0]["text"].as_str().is_some_and(|text| text.starts_with("# no-otherwise")),
        "{page}"
    );
    let ran = inspect(&["--method", "tools/call", "--tool-name", "answer", "--tool-arg", "question=why"]);
    assert_eq!(ran["structuredContent"]["output"]["reply"], "because", "{ran}");
    let prompts = inspect(&["--method", "prompts/list"]);
    assert_eq!(prompts["prompts"].as_array().map(Vec::len), Some(2), "{prompts}");
    let resources = inspect(&["--method", "resources/list"]);
    assert!(resources.to_string().contains("loopwright://graphs/answer/drawing"), "{resources}");
}
