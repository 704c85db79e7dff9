//! The tree against another parser, and the maps of scalars against the file.

use proptest::prelude::*;

use super::{Node, NodeKind, Style, parse};
use crate::source::FileId;

/// Returns true if another parser reads the same: structure, keys and texts. A plain text may be a number there.
fn agrees(ours: &Node<'_>, theirs: &serde_yaml::Value) -> bool {
    match (&ours.kind, theirs) {
        (NodeKind::Scalar(s), serde_yaml::Value::String(text)) => s.text == *text,
        (NodeKind::Scalar(s), serde_yaml::Value::Null) => s.is_empty() || s.text == "null",
        (NodeKind::Scalar(s), serde_yaml::Value::Bool(_) | serde_yaml::Value::Number(_)) => {
            s.style == Style::Plain
        }
        (NodeKind::Sequence(a), serde_yaml::Value::Sequence(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agrees(a, b))
        }
        (NodeKind::Mapping(a), serde_yaml::Value::Mapping(b)) => {
            a.len() == b.len() && a.iter().all(|e| b.get(&*e.key.text).is_some_and(|v| agrees(&e.value, v)))
        }
        _ => false,
    }
}

#[test]
fn another_parser_reads_the_same() {
    let every_key = include_str!("../../../../../tests/yaml/every_key.yaml");
    let odd = "a: 'it''s\n  two'\nb: \"\\u00e9\\\n  x\"\nc: |+\n\n  x\n\nd: >-\n  x\n   y\n  z\n\n  w\ne: [x, {y: z}]\n";
    for text in [every_key, odd] {
        let mut out = Vec::new();
        let document = parse(text, FileId(0), &mut out);
        let theirs: serde_yaml::Value = serde_yaml::from_str(text).expect("the text is YAML");
        assert!(out.is_empty());
        assert!(agrees(&document.root.expect("there is a root"), &theirs));
    }
}

fn scalars<'n, 's>(node: &'n Node<'s>, out: &mut Vec<&'n super::Scalar<'s>>) {
    match &node.kind {
        NodeKind::Scalar(s) => out.push(s),
        NodeKind::Sequence(items) => items.iter().for_each(|n| scalars(n, out)),
        NodeKind::Mapping(entries) => entries.iter().for_each(|e| {
            out.push(&e.key);
            scalars(&e.value, out);
        }),
        NodeKind::Refused => {}
    }
}

/// Every letter of every scalar must be in the file where its map says; the number of scalars seen.
fn letters_are_where_they_are_said_to_be(text: &str) -> usize {
    let mut out = Vec::new();
    let document = parse(text, FileId(0), &mut out);
    let mut found = Vec::new();
    if let Some(root) = &document.root {
        scalars(root, &mut found);
    }
    for scalar in &found {
        let fragment = scalar.fragment(text);
        if scalar.style == Style::Double && text.contains('\\') {
            continue;
        }
        for (i, c) in fragment.text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
            let at = fragment.span(i, i + c.len_utf8()).start as usize;
            assert!(text[at..].starts_with(c), "{c:?} of {scalar:?} is not at byte {at} of {text:?}");
        }
    }
    found.len()
}

const LINES: &[&str] = &[
    "k: plain words",
    "k: 'one ''two'' three'",
    "k: \"four five\"",
    "k: |",
    "k: >",
    "k: |-",
    "k: >+",
    "k: |2",
    "k: >1",
    "  text é here",
    "   deeper line",
    "    deepest",
    "",
    "  ",
    "- item",
    "- k2: v",
    "  - sub",
    "  'quoted",
    "  over lines'",
    "  \"double",
    "  lines\"",
    "# note",
    "  # not a note",
    "k: plain",
    "  going on",
    "k: [a b, 'c''d', {e: f}]",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn maps_of_scalars_lead_to_their_letters(
        lines in proptest::collection::vec(proptest::sample::select(LINES), 1..9),
        crlf in any::<bool>(),
    ) {
        letters_are_where_they_are_said_to_be(&lines.join(if crlf { "\r\n" } else { "\n" }));
    }
}

#[test]
fn block_scalars_of_all_headers_are_mapped() {
    for header in ["|", "|-", "|+", ">", ">-", ">+", "|2", ">2-"] {
        for body in
            ["  a b\n  c\n", "\n\n  a\n\n   b\n\n\n  c\n\n", "    a\n  b\n", "  a\n\n\n  b\n   c\n  d"]
        {
            let text = format!("k: {header}\n{body}");
            if !(header.starts_with("|2") || header.starts_with(">2")) && body.starts_with("    ") {
                continue;
            }
            assert_eq!(letters_are_where_they_are_said_to_be(&text), 2, "{text:?}");
        }
    }
}

#[test]
fn lines_of_blanks_at_the_top_of_a_block_are_mapped() {
    for header in ["|", ">", "|1", ">1"] {
        for body in ["\n  \n    a b\n", "  \n\n  \n    a\n   \n  b\n", "\n \n\n    a\n"] {
            for text in [format!("k: {header}\n{body}"), format!("- k:\n    {header}\n{body}")] {
                letters_are_where_they_are_said_to_be(&text);
                letters_are_where_they_are_said_to_be(&text.replace('\n', "\r\n"));
            }
        }
    }
}

#[test]
fn escapes_map_to_their_backslash() {
    let text = r#"k: "a\n\x41\u00e9\U0001f600\ud83d\ude00\"\\z""#;
    let mut out = Vec::new();
    let document = parse(text, FileId(0), &mut out);
    let root = document.root.expect("there is a root");
    let mut found = Vec::new();
    scalars(&root, &mut found);
    let fragment = found[1].fragment(text);
    assert_eq!(fragment.text, "a\nAé😀😀\"\\z");
    let places: Vec<_> =
        fragment.text.char_indices().map(|(i, c)| fragment.span(i, i + c.len_utf8()).start).collect();
    assert_eq!(places, [4, 5, 7, 11, 17, 27, 39, 41, 43]);
}
