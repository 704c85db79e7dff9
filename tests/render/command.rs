//! `render` as a user sees it.

use std::fs;
use std::path::Path;

use crate::cli::{Desk, copy};

#[test]
fn drawings_are_printed() {
    let desk = Desk::new();
    let mut all = String::new();
    for words in [
        "render graphs/mini.yaml",
        "render graphs/mini.yaml --depth 1 --hide errors",
        "render graphs/mini.yaml --as flow --node decision",
        "render graphs/mini.yaml --as dot --flat",
        "render graphs/mini.yaml --depth 1 --format json",
        "render graphs/mini.yaml --view short",
        "render graphs/mini.yaml --node desicion",
        "render graphs/mini.yaml --node think",
        "render graphs/mini.yaml --depth 0",
        "render graphs/mini.yaml --as svg",
        "render graphs/mini.yaml --as pdf",
        "render - --watch",
        "render graphs/tour/parts/shared.yaml",
        "render nope.yaml",
        "render",
    ] {
        all.push_str(&desk.run(words).transcript());
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn both_syntaxes_are_drawn_alike() {
    let desk = Desk::new();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/loop"), &desk.folder.path().join("graphs"));
    for name in
        ["mini", "tour/01-first-loop", "tour/02-errors", "tour/03-composites", "tour/05-called-graphs"]
    {
        for words in ["--as state", "--as flow --depth 1", "--as dot --expand"] {
            let draw = |ending: &str| desk.run(&format!("render graphs/{name}.{ending} {words}")).stdout;
            let drawing = draw("loop");
            assert!(drawing.lines().count() > 5, "{name}: {drawing}");
            assert_eq!(drawing, draw("yaml"), "{name} {words}");
        }
    }
}

#[test]
fn a_document_keeps_its_drawings() {
    let desk = Desk::new();
    let text = "# Mini\n\n<!-- loopwright: graphs/mini.yaml --depth 1 -->\nold\n<!-- /loopwright -->\n\n<!-- loopwright: graphs/mini.yaml --as dot --flat -->\n<!-- /loopwright -->\n";
    desk.write("doc.md", text);
    let mut all = String::new();
    for words in [
        "render --into doc.md --check",
        "render --into doc.md",
        "render --into doc.md --check",
        "render graphs/mini.yaml --into doc.md",
        "render graphs/tour/sum.yaml --into doc.md",
        "render --into doc.md --depth 1",
        "render graphs/mini.yaml --check",
    ] {
        all.push_str(&desk.run(words).transcript());
        all.push('\n');
    }
    all.push_str(&fs::read_to_string(desk.folder.path().join("doc.md")).expect("the document can be read"));
    insta::assert_snapshot!(all);
}

#[test]
fn quotes_in_a_marker_hold_names_with_blanks() {
    let desk = Desk::new();
    let text =
        "graph: g\nstart: a\nnodes:\n  a: {next: b}\n  b: {kind: final}\nviews:\n  short: {as: flow}\n";
    desk.write("my graph.yaml", text);
    desk.write("doc.md", "<!-- loopwright: \"my graph.yaml\" --view 'short' -->\n<!-- /loopwright -->\n");
    let check = "render --into doc.md --check";
    assert!(desk.run(check).stdout.contains("stale: \"my graph.yaml\" --view 'short'\n"));
    desk.run("render --into doc.md");
    assert_eq!(desk.run(check).stdout, "");
    let now = fs::read_to_string(desk.folder.path().join("doc.md")).expect("the document can be read");
    assert!(now.contains("flowchart"), "{now}");
}

#[test]
fn faults_in_a_document_are_named_by_their_line_and_change_nothing() {
    let desk = Desk::new();
    let text = "<!-- loopwright: graphs/nope.yaml -->\n<!-- /loopwright -->\n<!-- loopwright: graphs/mini.yaml --dept 1 -->\n<!-- /loopwright -->\n<!-- loopwright: graphs/mini.yaml -->\n<!-- /loopwright -->\n";
    desk.write("doc.md", text);
    desk.write("open.md", "\n<!-- loopwright: graphs/mini.yaml -->\n");
    desk.write("none.md", "# Nothing\n");
    desk.write("quote.md", "<!-- loopwright: 'graphs/mini.yaml -->\n<!-- /loopwright -->\n");
    desk.write("svg.md", "<!-- loopwright: graphs/mini.yaml --as svg -->\n<!-- /loopwright -->\n");
    let mut all = String::new();
    for document in ["doc.md", "open.md", "none.md", "nope.md", "quote.md", "svg.md"] {
        let words = &format!("render --into {document}");
        all.push_str(&desk.run(words).transcript());
        all.push('\n');
    }
    let now = fs::read_to_string(desk.folder.path().join("doc.md")).expect("the document can be read");
    assert_eq!(now, text);
    insta::assert_snapshot!(all);
}

#[test]
fn the_way_of_a_run_is_highlighted() {
    let desk = Desk::new();
    let run = "run graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml --format jsonl";
    let events = desk.run(run).stdout;
    desk.write("run.jsonl", &events);
    desk.write("text.jsonl", "{}\nnothing\n");
    desk.write(
        "other.jsonl",
        "{\"v\": 1, \"type\": \"entered\", \"graph\": \"sum\", \"node\": \"nobody\"}\n",
    );
    desk.run(&format!("{run} --run-id kept"));
    let mut all = String::new();
    for words in [
        "render graphs/tour/sum.yaml --run run.jsonl",
        "render graphs/tour/sum.yaml --run run.jsonl --as flow",
        "render graphs/tour/sum.yaml --run run.jsonl --as dot --hide errors",
        "render graphs/mini.yaml --run run.jsonl",
        "render graphs/tour/sum.yaml --run text.jsonl",
        "render graphs/tour/sum.yaml --run other.jsonl",
        "render graphs/tour/sum.yaml --run nope.jsonl",
        "render graphs/tour/sum.yaml --run kept --depth 1",
        "render --run kept --as dot",
        "render --run kept --as state",
        "render --run kept --depth 1",
        "render --run nobody",
    ] {
        all.push_str(&desk.run(words).transcript());
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}
