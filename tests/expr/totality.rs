//! Any text is read or refused: quickly, without a panic, and with places inside the text.

use std::fmt::Write as _;

use loopwright::diag::Diagnostic;
use loopwright::source::{FileId, Fragment, Span};
use loopwright::syntax::expr;
use proptest::prelude::*;

fn inside(span: Span, text: &str) -> bool {
    let (start, end) = (span.start as usize, span.end as usize);
    start <= end && end <= text.len() && text.is_char_boundary(start) && text.is_char_boundary(end)
}

/// Reads a text in every way; every finding lies inside it, and a refusal has a finding.
fn read_all(text: &str) {
    let fragment = Fragment::verbatim(text, FileId(0), 0);
    let ways: [fn(&Fragment, &mut Vec<Diagnostic>) -> bool; 8] = [
        |f, out| expr::expression(f, out).is_some_and(|e| inside(e.span, &f.text)),
        |f, out| expr::type_expr(f, out).is_some_and(|t| inside(t.span, &f.text)),
        |f, out| expr::place(f, out).is_some_and(|p| inside(p.span, &f.text)),
        |f, out| expr::field_line(f, out).is_some(),
        |f, out| expr::trigger(f, out).is_some(),
        |f, out| expr::property(f, out).is_some(),
        |f, out| expr::let_head(f, out).is_some(),
        |f, out| {
            let block = expr::block(f, out);
            block.statements.iter().all(|s| inside(s.span, &f.text)) && out.is_empty()
        },
    ];
    for way in ways {
        let mut found = Vec::new();
        let read = way(&fragment, &mut found);
        assert_eq!(read, found.is_empty(), "{text:?}: {found:?}");
        for d in &found {
            assert!(inside(d.span(), text), "{text:?}: {d:?}");
            assert!(!d.message.contains('\n') && !d.message.is_empty(), "{d:?}");
        }
    }
}

/// Pieces that meet in strange ways.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(super::PIECES);
    prop::collection::vec(piece, 0..24).prop_map(|p| p.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        read_all(&text);
    }

    #[test]
    fn pieces_of_the_language_are_read_or_refused(text in pieces()) {
        read_all(&text);
    }
}

fn only_finding(text: &str) -> Diagnostic {
    let mut found = Vec::new();
    assert!(expr::expression(&Fragment::verbatim(text, FileId(0), 0), &mut found).is_none());
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn hostile_nesting_is_one_finding() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{1:", "}"), ("a?b:", "c"), ("a[", "]"), ("f(", ")"), ("T{a:", "}")]
    {
        let deep = format!("{}1{}", open.repeat(70), close.repeat(70));
        assert_eq!(only_finding(&deep).rule.slug(), "expression-limit", "{deep}");
        let huge = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        assert_eq!(only_finding(&huge).rule.slug(), "expression-limit");
    }
    for chain in ["a+", "!", "-", "a.", "a&&", "a??"] {
        let text = format!("{}a", chain.repeat(1300));
        assert_eq!(only_finding(&text).rule.slug(), "expression-limit", "{text}");
    }
}

/// Reading as deep as is allowed fits on the stack of a test, which is that of any thread.
#[test]
fn what_may_nest_is_read() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{1:", "}"),
        ("a?b:", ""),
        ("a[", "]"),
        ("f(", ")"),
        ("T{a:", "}"),
        ("a.b(", ")"),
    ] {
        let mut found = Vec::new();
        let deep = format!("{}1{}", open.repeat(64), close.repeat(64));
        let read = expr::expression(&Fragment::verbatim(deep.as_str(), FileId(0), 0), &mut found);
        assert!(read.is_some(), "{deep}: {found:?}");
    }
    for (open, close) in [("if a {", "}"), ("for v in a {", "}"), ("if a { } else {", "}")] {
        for inner in ["x = 1", "x = '"] {
            let mut found = Vec::new();
            let deep = format!("{}{inner}\n{}", open.repeat(64), close.repeat(64));
            let read = expr::block(&Fragment::verbatim(deep.as_str(), FileId(0), 0), &mut found);
            assert_eq!(found.len(), usize::from(inner.ends_with('\'')), "{deep}: {found:?}");
            assert_eq!(read.statements.len(), 1);
        }
    }
}

/// However much is wrong, it is told in time that grows with the text, and braces that are open are not told without end.
#[test]
fn open_braces_are_told_a_few_times() {
    let text = format!("x = 'a\n{}", "if a {\n".repeat(9_000));
    let mut found = Vec::new();
    expr::block(&Fragment::verbatim(text.as_str(), FileId(0), 0), &mut found);
    assert_eq!(found.len(), 65, "{:?}", found.last());
}

#[test]
fn hostile_blocks_are_refused() {
    let mut nested = String::new();
    for i in 0..3_000 {
        writeln!(nested, "if a{i} {{").expect("a string takes any text");
    }
    let mut found = Vec::new();
    expr::block(&Fragment::verbatim(nested.as_str(), FileId(0), 0), &mut found);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule.slug(), "expression-limit");

    for piece in
        ["if a ? b :\n", "x = a ?\n", "if (\n", "else\n", "x = [\n", "x = list<", "}\n", "for a in b\n"]
    {
        let text = piece.repeat(60_000 / piece.len());
        let mut found = Vec::new();
        expr::block(&Fragment::verbatim(text.as_str(), FileId(0), 0), &mut found);
        assert!(!found.is_empty(), "{piece}");
    }
    let long = format!("x = {}1", "1 + ".repeat(2_000));
    let mut found = Vec::new();
    expr::block(&Fragment::verbatim(format!("a = 1\n{long}\nb = 2"), FileId(0), 0), &mut found);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule.slug(), "expression-limit");
}
