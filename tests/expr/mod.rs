//! Reading expressions, statements and types: every input under `inputs/` with its tree or its findings.

mod roundtrip;
mod shape;
mod totality;

use loopwright::diag::Diagnostic;
use loopwright::source::{FileId, Fragment};
use loopwright::syntax::expr;

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
        out.push_str(&format!("    also {}: {}\n", label.span.start, label.text));
    }
    for help in &d.help {
        out.push_str(&format!("    help: {help}\n"));
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
        out.push_str(&format!("  {line}\n"));
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
            out.push_str(&format!("{text}\n{}\n", read(kind, text)));
        }
        insta::assert_snapshot!(out);
    });
}
