//! The YAML front end: what it reads, what it refuses, and that every place is right.

mod shipped;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use loopwright::diag::{self, Diagnostic};
use loopwright::source::{Sources, Span};
use loopwright::syntax::ast::{Expr, ExprKind};
use loopwright::syntax::tree::{BudgetBody, KeyValue, TextBody, Tree};
use loopwright::syntax::{self, read};
use proptest::prelude::*;

fn parse(text: &str) -> (Sources, Tree, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("graph.yaml", text);
    let (tree, findings) = read(&sources, file);
    (sources, tree, findings)
}

fn rules(findings: &[Diagnostic]) -> Vec<&'static str> {
    findings.iter().map(|d| d.rule.slug()).collect()
}

fn every_key() -> String {
    include_str!("yaml/every_key.yaml").to_owned()
}

/// All names of an expression, with their places.
fn names(expr: &Expr, out: &mut Vec<(String, Span)>) {
    match &expr.kind {
        ExprKind::Name(name) => out.push((name.clone(), expr.span)),
        ExprKind::Field(target, field) => {
            names(target, out);
            out.push((field.value.clone(), field.span));
        }
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
            names(a, out);
            names(b, out);
        }
        ExprKind::Unary(_, a) => names(a, out),
        ExprKind::Call { args, .. } | ExprKind::List(args) => args.iter().for_each(|a| names(a, out)),
        ExprKind::Map(entries) => entries.iter().for_each(|(_, v)| names(v, out)),
        _ => {}
    }
}

#[test]
fn every_key_and_short_form_is_read() {
    let (sources, tree, findings) = parse(&every_key());
    assert_eq!(diag::text::render(&findings, &sources, false), "");
    assert!(!tree.unread.has_rest());
    assert_eq!(tree.graph.as_ref().map(|g| g.value.as_str()), Some("every_key"));
    assert_eq!(tree.version.as_ref().map(|v| v.value.as_str()), Some("1.0"));
    assert_eq!(tree.uses.len(), 2);
    assert_eq!(tree.types.len(), 3);
    assert_eq!(tree.lets.iter().map(|l| l.params.len()).collect::<Vec<_>>(), [0, 2, 0, 0]);
    assert_eq!(tree.roles.len(), 3);
    assert!(matches!(tree.budgets[3].body, BudgetBody::Family { .. }));
    assert!(matches!(tree.texts[1].body, TextBody::File(_)));
    assert_eq!(
        tree.start.as_ref().and_then(|s| s.label.as_ref()).map(|l| l.value.as_str()),
        Some("let's go")
    );
    assert_eq!(tree.comments.len(), 1);
    let work = &tree.nodes[0];
    assert_eq!(work.nodes.len(), 5);
    let think = &work.nodes[0];
    assert_eq!(think.entry.as_ref().map(|b| b.statements.len()), Some(2));
    let edges = think.edges.as_ref().expect("think has edges");
    assert_eq!(edges.iter().map(|e| e.on.len()).collect::<Vec<_>>(), [1, 2, 1, 0]);
    assert_eq!(edges[1].action.as_ref().map(|b| b.statements.len()), Some(2));
    let args = &work.nodes[2].keys.iter().find(|(name, _)| name.value == "args").expect("act has args").1;
    assert!(matches!(args, KeyValue::Fields(fields) if fields.len() == 2));
    assert!(
        tree.nodes.iter().find(|n| n.name.value == "plain").expect("a bare node is a node").edges.is_none()
    );
}

#[test]
fn the_fixture_with_every_key_leaves_none_out() {
    let yaml: serde_json::Value = serde_yaml::from_str(&every_key()).expect("the fixture is YAML");
    let mut used = std::collections::BTreeSet::new();
    collect_keys(&yaml, &mut used);
    let mut known = std::collections::BTreeSet::new();
    collect_properties(&syntax::schema(), &mut known);
    let left_out: Vec<_> = known.difference(&used).collect();
    assert!(left_out.is_empty(), "keys no test reads: {left_out:?}");
}

fn collect_keys(value: &serde_json::Value, out: &mut std::collections::BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) => map.iter().for_each(|(key, value)| {
            out.insert(key.clone());
            collect_keys(value, out);
        }),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect_keys(item, out)),
        _ => {}
    }
}

fn collect_properties(schema: &serde_json::Value, out: &mut std::collections::BTreeSet<String>) {
    match schema {
        serde_json::Value::Object(map) => {
            // A section is called `properties` too: what holds a schema's own says `additionalProperties` beside it.
            let fixed = map.get("properties").filter(|_| map.contains_key("additionalProperties"));
            out.extend(fixed.and_then(|p| p.as_object()).into_iter().flat_map(|p| p.keys().cloned()));
            map.values().for_each(|value| collect_properties(value, out));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect_properties(item, out)),
        _ => {}
    }
}

/// Every way to write a scalar, with the expression `alpha.first + (beta) == gamma` in it.
const STYLES: &[(&str, &str)] = &[
    ("plain", "let:\n  e: alpha.first + (beta) == gamma\n"),
    ("plain over lines", "let:\n  e: alpha.first\n     + (beta)\n\n     == gamma   # said\n"),
    ("single quotes", "let:\n  e: 'alpha.first + (beta) == gamma'\n"),
    ("single quotes with a quote", "let:\n  e: '[''it'', alpha.first + (beta) == gamma]'\n"),
    ("double quotes", "let:\n  e: \"alpha.first + (beta) == gamma\"\n"),
    (
        "double quotes with escapes",
        "let:\n  e: \"[\\\"\\u00e9\\x41\\\", alpha.first\\t+ (beta) \\\n    == gamma]\"\n",
    ),
    ("double quotes over lines", "let:\n  e: \"alpha.first\n\n    + (beta)\n    == gamma\"\n"),
    ("literal", "let:\n  e: |\n    alpha.first\n      + (beta)\n\n    == gamma\n"),
    ("literal after empty lines", "let:\n  e: |-\n\n\n    alpha.first + (beta) == gamma\n"),
    ("literal with an indentation", "let:\n  e: |2\n      alpha.first +\n    (beta) == gamma\n"),
    ("folded", "let:\n  e: >\n    alpha.first\n    + (beta)\n\n    == gamma\n"),
    ("folded with deeper lines", "let:\n  e: >-\n    alpha.first\n      + (beta)\n    ==\n    gamma\n"),
    ("in braces", "let: {e: alpha.first + (beta) == gamma}\n"),
    ("in brackets", "let: {e: [alpha.first + (beta), beta == gamma]}\n"),
    ("after wide characters", "title: é→😀\nlet:\n  e: \"'é→😀' == alpha.first + (beta) + gamma\"\n"),
    ("line endings CRLF", "let:\r\n  e: |\r\n    alpha.first\r\n    + (beta) == gamma\r\n"),
    ("folded CRLF", "let:\r\n  e: >\r\n    alpha.first\r\n    + (beta)\r\n    == gamma\r\n"),
    ("behind a BOM", "\u{feff}let:\n  e: alpha.first + (beta) == gamma\n"),
];

#[test]
fn names_inside_scalars_of_every_style_have_their_places() {
    for (style, text) in STYLES {
        let (sources, tree, findings) = parse(text);
        assert!(findings.is_empty(), "{style}: {}", diag::text::render(&findings, &sources, false));
        let mut found = Vec::new();
        names(&tree.lets[0].body, &mut found);
        let words: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert!(words.contains(&"alpha") && words.contains(&"gamma"), "{style}: {words:?}");
        for (name, span) in found {
            assert_eq!(sources.slice(span).trim_matches(['(', ')']), name, "{style}");
        }
    }
}

#[test]
fn a_fault_inside_a_block_scalar_is_shown_at_its_line_and_column() {
    let text = "nodes:\n  work:\n    do: |\n      x = 1\n      y = (2 + \n      z = 3\n    next: end\n";
    let (sources, _, findings) = parse(text);
    assert_eq!(rules(&findings), ["expression-syntax"]);
    let (line, _) = sources.line_col(findings[0].span());
    assert!((5..=6).contains(&line), "line {line}");
}

#[test]
fn an_escape_is_underlined_where_it_stands() {
    let (sources, tree, findings) = parse("let:\n  e: \"al\\u0070ha + beta\"\n");
    assert!(findings.is_empty());
    let mut found = Vec::new();
    names(&tree.lets[0].body, &mut found);
    assert_eq!(found[0].0, "alpha");
    assert_eq!(sources.slice(found[0].1), "al\\u0070ha");
    assert_eq!(sources.slice(found[1].1), "beta");
}

#[test]
fn findings_come_in_order_of_the_text_and_all_at_once() {
    let text =
        "graph: g\nstat: 1\nnodes:\n  a: {kind: modl}\n  b: {next: {when: x +}}\n  c: {nxt: b}\n  a: {}\n";
    let (sources, _, findings) = parse(text);
    let lines: Vec<_> = findings.iter().map(|d| sources.line_col(d.span()).0).collect();
    assert_eq!(
        rules(&findings),
        [
            "unknown-key",
            "unknown-kind",
            "missing-key",
            "expression-syntax",
            "unknown-key",
            "yaml-duplicate-key"
        ]
    );
    assert!(lines.is_sorted(), "{lines:?}");
}

#[test]
fn json_says_the_same_as_text() {
    let (sources, _, findings) = parse("graph: g\nstat: é\nnodes:\n  a: {kind: modl}\n  a: {}\n");
    insta::assert_json_snapshot!(diag::json::render(&findings, &sources));
}

#[test]
fn colour_is_only_on_demand() {
    let (sources, _, findings) = parse("stat: 1\n");
    assert!(!diag::text::render(&findings, &sources, false).contains('\u{1b}'));
    assert!(diag::text::render(&findings, &sources, true).contains("\u{1b}["));
}

/// Inputs made to hurt, each with the rules it must be refused by.
fn hostile() -> Vec<(&'static str, String, &'static [&'static str])> {
    let aliases = (1..30).fold("a0: &a0 x\n".to_owned(), |mut text, i| {
        let _ = writeln!(text, "a{i}: &a{i} [*a{0}, *a{0}]", i - 1);
        text
    });
    vec![
        ("20,000 brackets", "[".repeat(20_000), &["too-deep"]),
        ("20,000 braces", "{a: ".repeat(20_000), &["too-deep"]),
        ("20,000 dashes", "- ".repeat(20_000), &["too-deep"]),
        ("brackets in a key", format!("graph: g\n? {}\n", "[".repeat(20_000)), &["too-deep"]),
        ("a 5 MB file", "a: b\n".repeat(1_000_001), &["too-large"]),
        ("5 MB of comments", "# x\n".repeat(1_300_000), &["too-large"]),
        ("a long line", format!("graph: {}", "a-".repeat(1_000_000)), &["invalid-name"]),
        ("an alias bomb", aliases, &["unknown-key", "yaml-alias"]),
        ("a NUL", "graph: a\0b\n".to_owned(), &["control-character"]),
        ("lone carriage returns", "graph: a\rstart: b\r".to_owned(), &["control-character"]),
        ("an escape sequence of terminals", "title: \u{1b}[31mred\n".to_owned(), &["control-character"]),
        ("100,000 parentheses", format!("let: {{a: \"{}\"}}\n", "(".repeat(100_000)), &["expression-limit"]),
        ("a second document", "graph: a\n---\ngraph: b\n".to_owned(), &["yaml-documents"]),
        ("a text only", "hello".to_owned(), &["wrong-form"]),
        ("a broken escape", "title: \"\\q\"\n".to_owned(), &["yaml-syntax"]),
        (
            "a long value that needs quotes",
            format!("title: {}: b\n", "x".repeat(1_000_000)),
            &["yaml-syntax"],
        ),
        (
            "a long key twice",
            format!("? {0}\n: 1\n? {0}\n: 2\n", "k".repeat(500_000)),
            &["unknown-key", "yaml-duplicate-key"],
        ),
        ("an open quote", format!("title: \"{}", "x\n".repeat(100_000)), &["yaml-syntax"]),
    ]
}

#[test]
fn hostile_input_is_refused_at_once() {
    for (what, text, wanted) in hostile() {
        let start = Instant::now();
        let (sources, _, findings) = parse(&text);
        let mut found = rules(&findings);
        found.sort_unstable();
        found.dedup();
        let said = diag::text::render(&findings, &sources, false);
        assert!(said.len() < 100_000, "{what} is answered with {} bytes", said.len());
        assert_eq!(found, wanted, "{what}: {said}");
        // Generous: this runs without optimisation, on machines that do other things too.
        assert!(start.elapsed() < Duration::from_secs(10), "{what} took {:?}", start.elapsed());
    }
}

#[test]
fn one_fault_of_nesting_is_one_finding() {
    let (_, _, findings) = parse(&"[".repeat(20_000));
    assert_eq!(findings.len(), 1);
}

#[test]
fn empty_files_and_byte_order_marks_are_no_fault() {
    for text in ["", "\n", "# nothing\n", "\u{feff}", "\u{feff}graph: a\n", "---\ngraph: a\n...\n"] {
        let (sources, _, findings) = parse(text);
        assert!(findings.is_empty(), "{text:?}: {}", diag::text::render(&findings, &sources, false));
    }
}

#[test]
fn what_was_read_before_a_fault_is_still_judged() {
    let (_, tree, findings) = parse("graph: g\nstat: 1\nnodes:\n  a: {next: [b}\n");
    assert!(tree.unread.has_rest());
    assert_eq!(rules(&findings), ["unknown-key", "yaml-syntax"]);
}

#[test]
fn the_schema_takes_every_key_and_no_other() {
    let validator = jsonschema::validator_for(&syntax::schema()).expect("the schema is a schema");
    let value = |text: &str| -> serde_json::Value { serde_yaml::from_str(text).expect("the text is YAML") };
    for text in [every_key(), include_str!("check/good-mini.yaml").to_owned()] {
        let errors: Vec<_> =
            validator.iter_errors(&value(&text)).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    for text in [
        "grph: g",
        "nodes: {a: {knd: final}}",
        "nodes: {a: {kind: robot}}",
        "nodes: {a: {kind: tool, prompt: p}}",
        "nodes: {a: {next: [{when: x}]}}",
        "nodes: {a: {next: [{to: b, wen: x}]}}",
        "budgets: {b: {grace: 1}}",
        "nodes: {a-b: {}}",
        "views: {v: {as: picture}}",
    ] {
        assert!(!validator.is_valid(&value(text)), "the schema takes {text}");
        assert!(!parse(text).2.is_empty(), "the reader takes {text}");
    }
}

/// Pieces that YAML and graph files are made of.
const PIECES: &[&str] = &[
    "graph",
    "nodes",
    "state",
    "let",
    "budgets",
    "types",
    "next",
    "when",
    "do",
    "to",
    "on",
    "kind",
    "final",
    "model",
    "args",
    "a",
    "b1",
    "open ",
    "x = 1",
    "f(a, b)",
    "1m30s",
    ": ",
    ":",
    "\n",
    "\n  ",
    "\n    ",
    "\n      ",
    "\n- ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    ",",
    "'",
    "''",
    "\"",
    "\\",
    "\\n",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\x4",
    "|",
    ">",
    "|2-",
    ">+",
    "&a ",
    "*a",
    "!t ",
    "!",
    "#",
    " # c",
    "\t",
    "\r\n",
    "\r",
    "\u{feff}",
    "é",
    "😀",
    "\u{202e}",
    "\0",
    "<<: ",
    "? ",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "@",
    "`",
    "~",
    "null",
    "(",
    ")",
    "==",
    "&&",
    " ",
    "  ",
    "0",
    "-1",
];

fn yamlish() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Reads a text and prints what is said of it; every place must lie in the file.
fn survives(text: &str) {
    let (sources, _, findings) = parse(text);
    for finding in &findings {
        for label in &finding.labels {
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert!(text.get(start..end).is_some(), "{} points at {start}..{end} of {text:?}", finding.rule);
        }
    }
    let said = diag::text::render(&findings, &sources, true);
    let values = diag::json::render(&findings, &sources);
    assert_eq!(values.as_array().map(Vec::len), Some(findings.len()));
    assert!(findings.is_empty() == said.is_empty());
}

proptest! {
    // Enough for every run; `PROPTEST_CASES` asks for more.
    #![proptest_config(ProptestConfig { cases: cases(400), ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in yamlish()) {
        survives(&text);
    }

    #[test]
    fn no_damage_to_a_good_file_makes_it_panic(at in 0usize..6_000, cut in 0usize..12, piece in proptest::sample::select(PIECES)) {
        let good = every_key();
        let at = (0..=at.min(good.len())).rev().find(|i| good.is_char_boundary(*i)).unwrap_or(0);
        let end = (at..=(at + cut).min(good.len())).rev().find(|i| good.is_char_boundary(*i)).unwrap_or(at);
        survives(&format!("{}{piece}{}", &good[..at], &good[end..]));
    }
}
