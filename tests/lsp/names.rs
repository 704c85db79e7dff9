//! Hover, declarations, uses, outlines, folds and layout.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::client::{EditedFolder, LspClient};

/// The tour in one of the syntaxes, with the questions that are asked in both.
struct TourClient {
    client: LspClient,
    syntax: &'static str,
}

impl TourClient {
    fn both() -> [Self; 2] {
        [("yaml", "graphs/tour"), ("loop", "tests/loop/tour")].map(|(syntax, folder)| {
            let client = LspClient::new(EditedFolder::of(&[folder]));
            Self { client, syntax }
        })
    }

    fn file(&self, name: &str) -> String {
        format!("{name}.{}", self.syntax)
    }

    /// The answers to a request about several places, one after the other.
    fn ask(&mut self, method: &str, places: &[(&str, &str, &str)], more: &Json) -> String {
        let mut out = String::new();
        for (name, after, part) in places {
            let name = self.file(name);
            let mut params = self.client.place(&name, after, part);
            for (key, value) in more.as_object().expect("an object") {
                params[key] = value.clone();
            }
            let answer = self.client.request(method, &params);
            let _ = write!(out, "{name}: {after:?} .. {part:?}\n{}\n\n", self.client.shown(&answer));
        }
        out
    }
}

/// Places that are written alike in both syntaxes.
const PLACES: [(&str, &str, &str); 9] = [
    ("01-first-loop", "exhausted(", "rounds"),
    ("01-first-loop", "move.action == ", "search"),
    ("01-first-loop", "move.action", "action"),
    ("01-first-loop", "page != null", "page"),
    ("01-first-loop", "page.title", "page"),
    ("01-first-loop", "size(", "size"),
    ("05-called-graphs", "parts/shared", "parts"),
    ("05-called-graphs", "outputs(", "parts"),
    ("01-first-loop", "prompt", "prompt"),
];

#[test]
fn hover() {
    for mut tour in TourClient::both() {
        let text = tour.ask("textDocument/hover", &PLACES, &json!({}));
        insta::assert_snapshot!(format!("hover_{}", tour.syntax), text);
    }
}

#[test]
fn definition() {
    for mut tour in TourClient::both() {
        let text = tour.ask("textDocument/definition", &PLACES, &json!({}));
        insta::assert_snapshot!(format!("definition_{}", tour.syntax), text);
    }
}

#[test]
fn references() {
    for mut tour in TourClient::both() {
        let text = tour.ask(
            "textDocument/references",
            &PLACES[..3],
            &json!({"context": {"includeDeclaration": true}}),
        );
        insta::assert_snapshot!(format!("references_{}", tour.syntax), text);
    }
}

#[test]
fn rename() {
    for mut tour in TourClient::both() {
        let mut text = tour.ask("textDocument/prepareRename", &PLACES, &json!({}));
        text += &tour.ask("textDocument/rename", &PLACES[..1], &json!({"newName": "turns"}));
        text += &tour.ask("textDocument/rename", &PLACES[..1], &json!({"newName": "two words"}));
        insta::assert_snapshot!(format!("rename_{}", tour.syntax), text);
    }
}

#[test]
fn outline() {
    for mut tour in TourClient::both() {
        let document = json!({"textDocument": {"uri": tour.client.folder.uri(&tour.file("03-composites"))}});
        let symbols = tour.client.request("textDocument/documentSymbol", &document);
        let folds = tour.client.request("textDocument/foldingRange", &document);
        let mut text = String::new();
        outlined(&symbols, 0, &mut text);
        for fold in folds.as_array().expect("a list") {
            let _ = writeln!(text, "{}..{} {}", fold["startLine"], fold["endLine"], fold["kind"]);
        }
        let found = tour.client.request("workspace/symbol", &json!({"query": "ROUND"}));
        for symbol in found.as_array().expect("a list") {
            let _ = writeln!(text, "{} in {}", symbol["name"], tour.client.shown(&symbol["location"]["uri"]));
        }
        insta::assert_snapshot!(format!("outline_{}", tour.syntax), text);
    }
}

fn outlined(symbols: &Json, depth: usize, out: &mut String) {
    for symbol in symbols.as_array().into_iter().flatten() {
        let place = |range: &Json| {
            let at = |end: &str| format!("{}:{}", range[end]["line"], range[end]["character"]);
            format!("{}-{}", at("start"), at("end"))
        };
        let _ = writeln!(
            out,
            "{:depth$}{} kind {} at {} name {}",
            "",
            symbol["name"],
            symbol["kind"],
            place(&symbol["range"]),
            place(&symbol["selectionRange"])
        );
        outlined(&symbol["children"], depth + 2, out);
    }
}

#[test]
fn layout() {
    for mut tour in TourClient::both() {
        let name = tour.file("01-first-loop");
        let text = tour.client.folder.text(&name);
        let messy = text.replacen("rounds", "  rounds  ", 1);
        tour.client.open_text(&name, &messy);
        let params = json!({
            "textDocument": {"uri": tour.client.folder.uri(&name)},
            "options": {"tabSize": 2, "insertSpaces": true},
        });
        let edits = tour.client.request("textDocument/formatting", &params);
        insta::assert_snapshot!(format!("layout_{}", tour.syntax), tour.client.shown(&edits));
    }
}
