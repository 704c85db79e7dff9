//! Changes that mend findings: after each of them the finding is gone.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::client::{EditedFolder, LspClient, position};

/// A file of the folder, what is replaced in it by what, and the rule of the finding that is mended.
const FAULTS: [(&str, &str, &str, &str); 12] = [
    ("01-first-loop.yaml", "exhausted(rounds)", "exhausted(round)", "unknown-budget"),
    ("01-first-loop.yaml", "move.action == 'search'", "move.action == 'serch'", "not-a-member"),
    ("01-first-loop.yaml", "move.action == 'search'", "move.acton == 'search'", "unknown-field"),
    ("01-first-loop.yaml", "size(question)", "sise(question)", "unknown-function"),
    ("01-first-loop.yaml", "    prompt: last_word", "    promt: last_word", "unknown-key"),
    ("01-first-loop.yaml", "      - {to: gave_up, on: error}\n", "", "unhandled"),
    ("01-first-loop.yaml", "    do: spend rounds\n", "", "endless-loop"),
    ("quotes.yaml", "", "", "yaml-quotes"),
    ("01-first-loop.loop", "exhausted(rounds)", "exhausted(round)", "unknown-budget"),
    ("01-first-loop.loop", "prompt last_word output", "promt last_word output", "unknown-key"),
    ("01-first-loop.loop", "  -> gave_up on error\n", "", "unhandled"),
    ("01-first-loop.loop", "  spend rounds\n", "", "endless-loop"),
];

const QUOTES: &str = "graph: quotes\nstart: done\nnodes:\n  done: {kind: final, outcome: 'fine'}\n";

fn offset(text: &str, at: &Json) -> usize {
    (0..=text.len())
        .filter(|byte| text.is_char_boundary(*byte))
        .find(|byte| position(text, *byte) == *at)
        .expect("the position is in the text")
}

/// The text after all edits of an action in its file.
fn applied(text: &str, action: &Json) -> String {
    let mut edits: Vec<(usize, usize, &str)> = action["edit"]["changes"]
        .as_object()
        .expect("changes")
        .values()
        .flat_map(|edits| edits.as_array().expect("a list"))
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().expect("a text");
            (offset(text, &range["start"]), offset(text, &range["end"]), new)
        })
        .collect();
    edits.sort_unstable();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}

fn codes(findings: &Json) -> Vec<String> {
    let all = findings["diagnostics"].as_array().expect("a list");
    all.iter().map(|found| found["code"].as_str().expect("a rule").to_owned()).collect()
}

#[test]
fn every_change_mends_what_it_is_for() {
    let folder = EditedFolder::of(&["graphs/tour", "tests/loop/tour"]).with("quotes.yaml", QUOTES);
    let mut client = LspClient::new(folder);
    client.settle();
    let mut shown = String::new();
    for (at, (file, old, new, rule)) in (1..).zip(FAULTS) {
        let broken = client.folder.text(file).replacen(old, new, 1);
        assert!(old.is_empty() || broken != client.folder.text(file), "{file} has no {old:?}");
        client.open_text(file, &broken);
        client.settle();
        let uri = client.folder.uri(file);
        let published = |client: &LspClient| {
            client.published.iter().find(|(own, _)| *own == uri).expect("it was published").1.clone()
        };
        let found = published(&client);
        let finding = found["diagnostics"].as_array().expect("a list").iter().find(|one| one["code"] == rule);
        let finding =
            finding.unwrap_or_else(|| panic!("{file} without {old:?}: {:?}", codes(&found))).clone();
        let actions = client.request("textDocument/codeAction", &json!({
            "textDocument": {"uri": uri}, "range": finding["range"], "context": {"diagnostics": [finding]},
        }));
        let actions = actions.as_array().expect("a list").clone();
        assert!(!actions.is_empty(), "{file}: no change mends {rule}");
        for (nth, action) in (1..).zip(&actions) {
            let mended = applied(&broken, action);
            client.notify("textDocument/didChange", &json!({
                "textDocument": {"uri": uri, "version": at * 100 + nth}, "contentChanges": [{"text": mended}],
            }));
            client.settle();
            let left = codes(&published(&client));
            let title = action["title"].as_str().expect("a title");
            let _ = writeln!(shown, "{file}, {rule}: {title}");
            for (before, after) in broken.lines().zip(mended.lines()).filter(|(a, b)| a != b).take(1) {
                let _ = write!(shown, "  - {before}\n  + {after}\n");
            }
            let _ = writeln!(shown, "  left: {left:?}");
            assert!(!left.contains(&rule.to_owned()), "{file}: {title} leaves {left:?}\n{mended}");
        }
        client.notify("textDocument/didClose", &json!({"textDocument": {"uri": uri}}));
    }
    insta::assert_snapshot!(shown);
}
