//! `grammar/loop.pest`: what it accepts and refuses, as files are read by it, and what is answered to texts that were changed.

use std::fs;

use loopwright::diag::{Diagnostic, Severity};

use crate::dice::{Dice, rounds, tokens};
use crate::loop_dsl::{fixture, parse, root, translated};

/// Texts with a line of dashes between them.
pub(crate) fn cases(text: &str) -> Vec<String> {
    text.split("----\n").filter(|case| !case.trim().is_empty()).map(str::to_owned).collect()
}

/// All texts of the fixtures and of the grammar's page that are accepted.
pub(crate) fn accepted() -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/grammar.md")).expect("the page can be read");
    let shown = page.split("```loop\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut texts: Vec<_> = shown.map(str::to_owned).collect();
    assert!(texts.len() >= 2, "the page shows the syntax");
    texts.extend(translated().iter().map(|path| fixture(path.to_str().expect("fixtures have plain names"))));
    texts.push(fixture("every_key.loop"));
    texts.extend(cases(&fixture("accepted.txt")));
    texts
}

/// The errors in the form of a text.
fn faults(text: &str) -> Vec<Diagnostic> {
    let (_, _, mut findings) = parse("a.loop", text);
    findings.retain(|d| d.severity == Severity::Error);
    findings
}

#[test]
fn the_fixtures_are_accepted_and_refused() {
    for case in accepted() {
        let faults = faults(&case);
        let form = |d: &&Diagnostic| {
            matches!(d.rule.slug(), "loop-syntax" | "expression-syntax" | "unknown-key" | "unknown-kind")
        };
        assert_eq!(faults.iter().find(form), None, "{case}");
    }
    for case in cases(&fixture("refused.txt")) {
        let faults = faults(&case);
        assert!(!faults.is_empty(), "accepted:\n{case}");
    }
}

/// The declarations of a text, each with its comments and the lines that are indented under it.
fn declarations(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        let inside = line.starts_with([' ', '}', '\n']) || line.starts_with("'''");
        match all.last_mut() {
            Some(last) if inside => last.push_str(line),
            _ => all.push(line.to_owned()),
        }
    }
    all
}

/// Tokens of files, to be put into others.
#[rustfmt::skip]
pub(crate) const PUT: [&str; 26] = [
    "{", "}", "(", ")", "[", "]", ",", ":", "=", "->", " ", "\n", ";", "'t'", "1", "x", "when", "do", "on", "if", "choice",
    "tool", "state", "-", ".", "==",
];

#[test]
fn faults_of_changed_texts_are_told_in_order_and_in_place() {
    let texts: Vec<String> = accepted().iter().flat_map(|text| declarations(text)).collect();
    let (tokens, mut dice) = (tokens(), Dice::new(3));
    let (mut read, mut refused) = (0, 0);
    let rounds = rounds(2_500);
    for _ in 0..rounds {
        let text = &texts[dice.below(texts.len())];
        let text = dice.changed(text, &tokens, &PUT);
        let faults = faults(&text);
        read += u32::from(faults.is_empty());
        refused += u32::from(!faults.is_empty());
        let starts: Vec<_> = faults.iter().map(|d| d.span().start).collect();
        assert!(starts.is_sorted(), "{text}");
        for fault in &faults {
            // What the grammar refuses has a fault that says more.
            assert_ne!(fault.message, "this is not allowed here", "{text}");
            let span = fault.span();
            let place = text.get(span.start as usize..span.end as usize);
            assert!(place.is_some(), "{} at {span:?} of\n{text}", fault.message);
        }
    }
    assert!(read > rounds / 10 && refused > rounds / 10, "{read} read, {refused} refused");
}
