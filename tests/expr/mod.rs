//! Reading expressions, statements and types: every input under `inputs/` with its tree or its findings.

mod files;
mod roundtrip;
mod shape;
pub(crate) mod shipped;
mod totality;

use std::fmt::Write as _;

use loopwright::diag::Diagnostic;
use loopwright::source::{FileId, Fragment};
use loopwright::syntax::expr;

/// Why writing into a string cannot fail.
const WRITES: &str = "a string takes any text";

/// Pieces of the language, and of what is none, that meet in strange ways.
const PIECES: &[&str] = &[
    "a",
    "b1",
    "T",
    "if",
    "else",
    "for",
    "in",
    "let",
    "spend",
    "by",
    "emit",
    "fail",
    "is",
    "not",
    "and",
    "1",
    "0x1f",
    "1.5",
    "1m30s",
    "2u",
    "'t'",
    "\"t\"",
    "r'\\'",
    "b'x'",
    "'''x\ny'''",
    "'",
    "\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "list<",
    "int(",
    "enum(",
    "string",
    "..",
    ".",
    ",",
    ":",
    ";",
    "\n",
    " ",
    "#c\n",
    "//",
    "=",
    "==",
    "===",
    "!=",
    "+=",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "&&",
    "||",
    "&",
    "|",
    "?",
    "??",
    "->",
    "é",
    "“",
    "\u{a0}",
    "\\",
    "\\n",
    "@",
    "where",
    "precedes",
    "never",
    "x = ",
    "x.y = 1\n",
    "if a {",
    "} else {",
    "for v in l {",
    "2s",
    "0x1",
    "r'\\d'",
    "# c\n",
    "if ",
    " else ",
    "for v in ",
    "let ",
    "spend ",
    "emit ",
    "fail ",
    "is(",
    "where ",
    "()",
];

/// The texts of an input file. A file with `---` lines holds texts of several lines, any other one text a line.
fn texts(file: &str) -> Vec<&str> {
    if file.contains("\n---\n") {
        file.split("\n---\n").collect()
    } else {
        file.lines().filter(|line| !line.is_empty()).collect()
    }
}

fn finding(text: &str, d: &Diagnostic) -> String {
    let span = d.span();
    let here = &text[span.start as usize..span.end as usize];
    let line = text[..span.start as usize].matches('\n').count() + 1;
    let column = text[..span.start as usize].rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let mut out = format!("  {}[{}] {line}:{column} `{here}`: {}\n", "error", d.rule, d.message);
    for label in &d.labels[1..] {
        writeln!(out, "    also {}: {}", label.span.start, label.text).expect(WRITES);
    }
    for help in &d.help {
        writeln!(out, "    help: {help}").expect(WRITES);
    }
    out
}

fn read(kind: &str, text: &str) -> String {
    let fragment = Fragment::verbatim(text, FileId(0), 0);
    let mut found = Vec::new();
    let tree = match kind {
        "expr" => expr::expression(&fragment, &mut found).map(|e| shape::expr(&e)),
        "spans" => expr::expression(&fragment, &mut found).map(|e| shape::spans(&e, text)),
        "type" => expr::type_expr(&fragment, &mut found).map(|t| shape::ty(&t)),
        "place" => expr::place(&fragment, &mut found).map(|p| shape::place(&p)),
        "field" => expr::field_line(&fragment, &mut found).map(|f| shape::field(&f)),
        "trigger" => expr::trigger(&fragment, &mut found)
            .map(|t| format!("{} {}", t.name.value, t.arg.map_or(String::new(), |a| shape::expr(&a)))),
        "property" => expr::property(&fragment, &mut found).map(|p| shape::property(&p)),
        "let" => expr::let_head(&fragment, &mut found).map(|(name, params)| {
            format!("{} {:?}", name.value, params.iter().map(|p| p.value.as_str()).collect::<Vec<_>>())
        }),
        "block" => Some(shape::block(&expr::block(&fragment, &mut found), "  ")),
        other => panic!("no reader is called {other}"),
    };
    let mut out = String::new();
    for line in tree.iter().flat_map(|t| t.lines()) {
        writeln!(out, "  {line}").expect(WRITES);
    }
    for d in &found {
        out.push_str(&finding(text, d));
    }
    out
}

#[test]
fn inputs_read_as_recorded() {
    insta::glob!("inputs/*.txt", |path| {
        let file = std::fs::read_to_string(path).expect("the input can be read");
        let stem = path.file_stem().and_then(|s| s.to_str()).expect("the file has a name");
        let kind = stem.split('-').next().expect("the name has a first part");
        let mut out = String::new();
        for text in texts(&file) {
            writeln!(out, "{text}\n{}", read(kind, text)).expect(WRITES);
        }
        insta::assert_snapshot!(out);
    });
}
