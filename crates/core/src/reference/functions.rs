//! Operators, functions, and the calls that the language itself gives a meaning.

use super::part::{ReferencePart, cell};
use crate::model::typing::{FORMS, LanguageCall, MACROS, QUERIES};
use crate::program::function::{Cost, FunctionRow, TOPICS};

const PAGE: &str = "functions.md";

pub(super) fn parts() -> Vec<ReferencePart> {
    let mut library = ReferencePart::new(PAGE, "functions");
    for topic in &TOPICS {
        library.write(&format!("{}## {}\n", if library.text.is_empty() { "" } else { "\n" }, topic.title));
        library.table(&["form", "gives", "example", "cost"]);
        for row in topic.rows {
            library.entry("function", &row.name, line(row));
        }
    }
    vec![
        library,
        calls("queries", "question to the run", QUERIES),
        calls("macros", "macro", MACROS),
        calls("forms", "form", FORMS),
    ]
}

fn line(row: &FunctionRow) -> String {
    let forms: Vec<String> = row.forms().iter().map(|form| format!("`{}`", cell(form))).collect();
    let cost = match row.cost {
        Cost::Fixed => "fixed",
        Cost::Data => "data",
        Cost::Sorting => "sorted",
        Cost::Matching => "matched",
    };
    let (expression, gives) = row.example;
    format!("| {} | {} | `{}` is `{}` | {cost} |", forms.join("<br>"), row.doc, cell(expression), cell(gives))
}

fn calls(name: &str, kind: &'static str, calls: &[LanguageCall]) -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, name);
    let has_examples = calls.iter().any(|call| call.example.is_some());
    part.table(if has_examples { &["form", "gives", "example"] } else { &["form", "gives"] });
    for call in calls {
        let forms: Vec<String> = call.forms.iter().map(|form| format!("`{form}`")).collect();
        let example = call.example.map_or(String::new(), |(expression, gives)| {
            format!(" `{}` is `{}` |", cell(expression), cell(gives))
        });
        part.entry(kind, call.name, format!("| {} | {} |{example}", forms.join("<br>"), call.doc));
    }
    part
}
