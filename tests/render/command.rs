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

#[test]
fn a_large_drawing_is_offered_in_parts() {
    use std::fmt::Write as _;

    let desk = Desk::new();
    let mut text = String::from("graph: large\nstart: first\nnodes:\n");
    for (part, next) in [("first", "second"), ("second", "last")] {
        let _ = writeln!(text, "  {part}:\n    start: {part}0\n    next: {next}\n    nodes:");
        for node in 0..20 {
            let _ = writeln!(text, "      {part}{node}: {{next: {part}{}}}", node + 1);
        }
        let _ = writeln!(text, "      {part}20: {{kind: final}}");
    }
    text.push_str("  last: {kind: final}\n");
    desk.write("large.yaml", &text);
    let note = "note: a drawing of 45 nodes is hard to read; `loopwright render large.yaml --depth 1` draws an overview, and each \
                part alone: `--node first`, `--node second`\n";
    for words in ["render large.yaml", "render large.yaml --as svg"] {
        assert_eq!(desk.run(words).stderr, note, "{words}");
    }
    // Whoever asks for a part is offered none.
    assert_eq!(desk.run("render large.yaml --depth 2").stderr, "");
    let picture = desk.run("render large.yaml --as svg --node second").stdout;
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
}

#[cfg(feature = "png")]
#[test]
fn a_png_is_written_as_bytes() {
    let desk = Desk::new();
    let command =
        format!("'{}' render graphs/mini.yaml --as png > mini.png", env!("CARGO_BIN_EXE_loopwright"));
    let status =
        std::process::Command::new("sh").args(["-c", &command]).current_dir(desk.folder.path()).status();
    assert!(status.expect("sh runs").success());
    let bytes = fs::read(desk.folder.path().join("mini.png")).expect("it is written");
    assert!(bytes.starts_with(b"\x89PNG\r\n"));
    // Two pixels for one of the SVG.
    let svg = desk.run("render graphs/mini.yaml --as svg").stdout;
    let width = u32::from_be_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]);
    assert!(svg.contains(&format!(" width=\"{}\"", width / 2)), "{width}");
    assert!(desk.run("render graphs/mini.yaml --as png --format json").stderr.contains("has no place"));
}

#[cfg(not(feature = "png"))]
#[test]
fn a_program_without_png_names_the_feature() {
    let refused = Desk::new().run("render graphs/mini.yaml --as png");
    assert!(refused.stderr.contains("--features png"), "{}", refused.stderr);
    assert_eq!(refused.stdout, "");
}
