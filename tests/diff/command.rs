//! `loopwright diff` as a user sees it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::cli::{Desk, Ran};

fn desk() -> Desk {
    let desk = Desk::new();
    for name in super::FILES.iter().chain(&["ask.md"]) {
        desk.write(name, &super::text(name));
    }
    desk
}

/// Runs `diff` with a text on standard input.
fn piped(desk: &Desk, words: &[&str], input: &str) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopwright"))
        .args(words)
        .current_dir(desk.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    stdin.write_all(input.as_bytes()).expect("the program reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn exit_codes_tell_whether_there_is_a_difference() {
    let desk = desk();
    let same = desk.run("diff whole.yaml same.yaml");
    assert_eq!((same.code, same.stdout.as_str()), (Some(0), "no difference\n"));
    let differs = desk.run("diff whole.yaml variant.yaml");
    assert_eq!(differs.code, Some(1));
    assert!(!differs.stdout.contains('\u{1b}'), "no colour in a pipe");
    assert!(differs.stderr.is_empty());
}

#[test]
fn what_does_not_change_runs_can_be_left_out() {
    let desk = desk();
    let text = super::text("whole.yaml").replace("label: fine", "label: well");
    desk.write("labels.yaml", &text);
    let shown = desk.run("diff whole.yaml labels.yaml");
    assert_eq!(shown.code, Some(1));
    assert!(
        shown.stdout.ends_with("1 difference: 1 in what is shown only; runs go the same way\n"),
        "{}",
        shown.stdout
    );
    let hidden = desk.run("diff whole.yaml labels.yaml --hide shown");
    assert_eq!((hidden.code, hidden.stdout.as_str()), (Some(0), "no difference\n"));
    desk.write("order.yaml", &text.replace("  one: any\n  many: any\n", "  many: any\n  one: any\n"));
    assert_eq!(desk.run("diff whole.yaml order.yaml --hide shown").code, Some(1));
    assert_eq!(desk.run("diff whole.yaml order.yaml --hide shown --hide order").code, Some(0));
}

#[test]
fn one_version_may_come_from_standard_input() {
    let desk = desk();
    let text = super::text("whole.yaml");
    assert_eq!(piped(&desk, &["diff", "whole.yaml", "-"], &text).0, Some(0));
    let (code, out) = piped(&desk, &["diff", "-", "whole.yaml"], &text.replace("seen > 5", "seen > 6"));
    assert_eq!(code, Some(1));
    assert!(out.contains("tired: seen > 6 -> seen > 5  <stdin>.yaml:35:10 whole.yaml:35:10"), "{out}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let desk = desk();
    desk.write("broken.yaml", "graph: broken\nnodes: [\n");
    desk.write("wrong.yaml", "graph: wrong\nstart: a\nnodes:\n  a: {next: nowhere}\n");
    let refused = [
        "diff whole.yaml missing.yaml",
        "diff whole.yaml graphs",
        "diff - -",
        "diff whole.yaml",
        "diff broken.yaml whole.yaml",
        "diff wrong.yaml broken.yaml",
        "diff wrong.yaml wrong.yaml",
        "diff shared.yaml whole.yaml",
        "diff whole.yaml wrong.yaml --format json",
    ];
    let ran: Vec<Ran> = refused.iter().map(|words| desk.run(words)).collect();
    for ran in &ran {
        assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    }
    let all: Vec<String> = ran.iter().map(Ran::transcript).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn json_has_the_form_that_is_documented() {
    let desk = desk();
    let ran = desk.run("diff whole.yaml variant.yaml --format json");
    assert_eq!(ran.code, Some(1));
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(keys(&found), ["version", "before", "after", "same_program", "counts", "bounds", "changes"]);
    assert_eq!(keys(&found["before"]), ["file", "graph", "digest"]);
    assert_eq!(keys(&found["counts"]), ["run", "order", "shown"]);
    let changes = found["changes"].as_array().expect("a list");
    assert!(changes.len() > 4);
    for change in changes {
        assert_eq!(keys(change), ["path", "kind", "effect", "graph", "message", "before", "after"]);
        for part in [&change["before"], &change["after"]].into_iter().filter(|part| !part.is_null()) {
            assert_eq!(keys(part), ["text", "at"]);
            assert_eq!(keys(&part["at"]), ["file", "line", "column", "end"]);
        }
    }
}

#[test]
fn the_page_lists_every_kind_of_change() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diff.md");
    let page = std::fs::read_to_string(path).expect("the page can be read");
    for kind in loopwright::diff::kinds() {
        let row = format!("| `{}` | {} |", kind.slug, kind.effect.name());
        assert!(page.contains(&row), "docs/diff.md lacks {row}");
    }
}
