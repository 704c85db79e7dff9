//! Reports as text and as JSON.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::facts::{BrokenProperty, names};
use super::failure::{ScenarioFailure, ScenarioFault};
use super::report::Report;
use crate::diag;
use crate::source::display::line;
use crate::source::{Sources, Span};
use crate::value::{Str, Value};

/// Rows of a path that are shown around its first difference.
const ROWS_BEFORE: usize = 3;
const MAX_ROWS: usize = 12;
/// Longer values are cut in messages, in characters.
const MAX_VALUE_CHARS: usize = 400;
/// Calls that are listed when one is missing.
const MAX_CALLS: usize = 20;

/// A report as text for people: one line if it passed, else every fault with its place.
#[must_use]
pub fn text(report: &Report, sources: &Sources) -> String {
    if report.passed() {
        return format!("ok    {}\n", line(&report.name));
    }
    let mut out = format!("FAIL  {}  ({})\n", line(&report.name), place(report.span, sources));
    for fault in &report.faults {
        let _ = write!(out, "{}", indent(&fault_text(fault, sources)));
    }
    if !report.errors.is_empty() {
        out.push_str("      what failed on the way:\n");
        out.push_str(&indent(diag::text::render(&report.errors, sources, false).trim_end()));
    }
    out
}

/// One fault as text, without its scenario.
#[must_use]
pub fn fault_text(fault: &ScenarioFault, sources: &Sources) -> String {
    let at = place(fault.span, sources);
    match &fault.failure {
        ScenarioFailure::Ended(message) => format!("{message}\n    at {at}\n"),
        ScenarioFailure::Value { what, expected, found } => {
            format!(
                "`{what}` differs: expected {}, found {}\n    at {at}\n",
                show(expected),
                show_or_nothing(found.as_ref())
            )
        }
        ScenarioFailure::Path { what, rows } => path_text(what, rows, &at),
        ScenarioFailure::Fields { what, differences } => {
            let mut out = format!("`{what}` differs:\n    at {at}\n");
            let width = differences.iter().map(|d| d.at.chars().count()).max().unwrap_or(0);
            for difference in differences {
                let (expected, found) =
                    (show(&difference.expected), show_or_nothing(difference.found.as_ref()));
                let field = if difference.at.is_empty() { "" } else { &difference.at };
                let _ = writeln!(out, "    {field:width$}  expected {expected}, found {found}");
            }
            out
        }
        ScenarioFailure::Calls { what, missing, found } => calls_text(what, missing.as_ref(), found, &at),
        ScenarioFailure::Broken(properties) => {
            properties.iter().map(|property| broken_text(property, sources)).collect()
        }
        ScenarioFailure::Unused(answers) => {
            let count = answers.len();
            let (word, were) = if count == 1 { ("answer", "was") } else { ("answers", "were") };
            let mut out = format!("{count} scripted {word} {were} never used:\n");
            for span in answers {
                let _ = writeln!(out, "    {}  {}", place(*span, sources), first_line(sources.slice(*span)));
            }
            out
        }
    }
}

fn path_text(what: &str, rows: &[(Option<Str>, Option<Str>)], at: &str) -> String {
    let first = rows.iter().position(|(a, b)| a != b).unwrap_or(0);
    let from = first.saturating_sub(ROWS_BEFORE);
    let shown = &rows[from..rows.len().min(from + MAX_ROWS)];
    let length = |name: &Option<Str>| name.as_ref().map_or(1, |n| n.chars().count());
    let width = shown.iter().map(|(a, _)| length(a)).max().unwrap_or(1).max("expected".len());
    let mut out = format!("`{what}` differs:\n    at {at}\n");
    let _ = writeln!(out, "            {:width$}  taken", "expected");
    if from > 0 {
        let _ = writeln!(out, "            {from} more before, equal");
    }
    for (number, (expected, taken)) in (from + 1..).zip(shown) {
        let name = |name: &Option<Str>| name.as_ref().map_or_else(|| "-".to_owned(), Str::to_string);
        let mark = if number == first + 1 { '>' } else { ' ' };
        let differs = if expected == taken { "" } else { "  ≠" };
        let _ = writeln!(out, "    {mark} {number:>4}  {:width$}  {}{differs}", name(expected), name(taken));
    }
    let left = rows.len() - (from + shown.len());
    if left > 0 {
        let _ = writeln!(out, "            {left} more");
    }
    out
}

fn broken_text(broken: &BrokenProperty, sources: &Sources) -> String {
    let BrokenProperty { name, span, node, trouble } = broken;
    let what = match trouble {
        None => format!("the property `{name}` does not hold at node `{node}`"),
        Some(trouble) => format!("the property `{name}` cannot be judged at node `{node}`: {trouble}"),
    };
    format!("{what}\n    at {}\n", place(*span, sources))
}

fn calls_text(what: &str, missing: Option<&Value>, found: &[Value], at: &str) -> String {
    let mut out = match missing {
        Some(missing) => {
            format!("`{what}`: this did not happen, or not in this order: {}\n    at {at}\n", show(missing))
        }
        None => format!("`{what}`: none was expected\n    at {at}\n"),
    };
    if found.is_empty() {
        out.push_str("    nothing of the kind happened\n");
        return out;
    }
    out.push_str("    what happened:\n");
    for item in found.iter().take(MAX_CALLS) {
        let _ = writeln!(out, "      {}", show(item));
    }
    if found.len() > MAX_CALLS {
        let _ = writeln!(out, "      {} more", found.len() - MAX_CALLS);
    }
    out
}

/// A report as JSON.
#[must_use]
pub fn json(report: &Report, sources: &Sources) -> Json {
    let facts = &report.facts;
    let faults: Vec<Json> = report
        .faults
        .iter()
        .map(|fault| json!({"at": place(fault.span, sources), "message": fault_text(fault, sources)}))
        .collect();
    json!({
        "name": report.name.as_str(),
        "at": place(report.span, sources),
        "passed": report.passed(),
        "outcome": facts.outcome.as_ref().map(Str::as_str),
        "ok": facts.ok,
        "path": names(&facts.path).to_json(),
        "state": Value::Map(facts.state.clone()).to_json(),
        "budgets": Value::Map(facts.budgets.clone()).to_json(),
        "faults": faults,
        "errors": diag::json::render(&report.errors, sources),
    })
}

/// `file:line:column`.
#[must_use]
pub fn place(span: Span, sources: &Sources) -> String {
    let (line, column) = sources.line_col(span);
    format!("{}:{line}:{column}", sources.name(span.file))
}

fn show(value: &Value) -> String {
    cut(&value.to_json().to_string())
}

fn show_or_nothing(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), show)
}

fn first_line(text: &str) -> String {
    cut(text.lines().next().unwrap_or_default().trim())
}

fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_VALUE_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn indent(text: &str) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "      {line}");
        out
    })
}
