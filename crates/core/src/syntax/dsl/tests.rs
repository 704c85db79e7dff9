//! A file that is split is read as it is as a whole, and tables hold the words of the grammar.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{GROUPS, Reader};
use crate::source::FileId;
use crate::syntax::expr::{Rule, grammar_words};
use crate::syntax::lower::tables::{NODE_KEYS, NODE_KINDS};
use crate::syntax::yaml::{Document, Node, NodeKind, Scalar};

/// A document, without what the grammar read of its parts.
fn rendered(document: &Document<'_>) -> String {
    let mut out = format!("{:?} {:?}\n", document.comments, document.unread);
    if let Some(root) = &document.root {
        node(root, 0, &mut out);
    }
    out
}

fn scalar(scalar: &Scalar<'_>) -> String {
    format!("{:?} {:?} {}..{}", scalar.text, scalar.style, scalar.span.start, scalar.span.end)
}

fn node(value: &Node<'_>, depth: usize, out: &mut String) {
    let place = format!("{:depth$}{}..{}", "", value.span.start, value.span.end);
    // Writing to a String cannot fail.
    let _ = match &value.kind {
        NodeKind::Scalar(s) => writeln!(out, "{place} {}", scalar(s)),
        NodeKind::Refused => writeln!(out, "{place} refused"),
        NodeKind::Sequence(items) => {
            let _ = writeln!(out, "{place} [");
            for item in items {
                node(item, depth + 1, out);
            }
            Ok(())
        }
        NodeKind::Mapping(entries) => {
            let _ = writeln!(out, "{place} {{");
            for entry in entries {
                let _ = writeln!(out, "{:depth$}{}", "", scalar(&entry.key));
                node(&entry.value, depth + 1, out);
            }
            Ok(())
        }
    };
}

const TEXTS: &[&str] = &[
    include_str!("../../../../../tests/loop/every_key.loop"),
    include_str!("../../../../../tests/loop/mini.loop"),
    include_str!("../../../../../tests/loop/tour/02-errors.loop"),
    include_str!("../../../../../tests/loop/tour/03-composites.loop"),
    include_str!("../../../../../tests/loop/tour/04-people.loop"),
    include_str!("../../../../../tests/loop/tour/05-called-graphs.loop"),
    include_str!("../../../../../tests/loop/tour/parts/shared.loop"),
];

/// Texts with a line of dashes between them.
const ACCEPTED: &str = include_str!("../../../../../tests/loop/accepted.txt");

#[test]
fn pieces_make_the_same_document() {
    for text in TEXTS.iter().copied().chain(ACCEPTED.split("----\n")) {
        let (mut out, mut other) = (Vec::new(), Vec::new());
        let whole = Reader::new(text, FileId(0), false, &mut out).whole(&mut None);
        let whole = whole.unwrap_or_else(|| panic!("refused:\n{text}"));
        for deep in [false, true] {
            let mut reader = Reader::new(text, FileId(0), false, &mut other);
            reader.deep = deep;
            // Nothing is read at once but keys, statements and edges.
            reader.refused = text.len();
            let (pieces, _) = reader.pieces();
            assert_eq!(rendered(&pieces), rendered(&whole), "deep: {deep}, of\n{text}");
            assert_eq!(out, other, "deep: {deep}, of\n{text}");
            other.clear();
        }
    }
}

fn words(rules: impl IntoIterator<Item = Rule>) -> BTreeSet<String> {
    rules.into_iter().flat_map(grammar_words).collect()
}

fn set<'w>(words: impl IntoIterator<Item = &'w str>) -> BTreeSet<String> {
    words.into_iter().map(str::to_owned).collect()
}

#[test]
fn words_of_sections_are_those_of_the_grammar() {
    for (rule, one, all) in GROUPS {
        assert_eq!(words([*rule]), set([*one, *all]));
    }
}

#[test]
fn kinds_and_keys_of_nodes_are_those_of_the_grammar() {
    // Composites hold nodes, so their body has a rule of its own.
    let kinds = NODE_KINDS.iter().map(|(kind, _)| *kind).filter(|kind| *kind != "composite");
    assert_eq!(words([Rule::kind]), set(kinds));
    let keys =
        [Rule::key, Rule::callee, Rule::start_key, Rule::pause_key, Rule::nodes_key, Rule::section_key];
    assert_eq!(words(keys), set(NODE_KEYS.iter().map(|key| key.name)));
}
