//! Findings for machines.

use serde_json::{Value, json};

use super::{Diagnostic, Severity};
use crate::source::{Sources, Span};

/// Findings as one array. Each has `rule`, `severity`, `message`, `file`, `line`, `column`, `end` (`line` and
/// `column`, exclusive), `help` (a list of texts) and `related` (places with a `message`). Lines and columns
/// count from 1, columns in characters. Where states are known that show it, they are `witnesses`: `values`, and the `input` and
/// `given` of a scenario that begins there; `definite` if a run that does was found to show it.
#[must_use]
pub fn render(findings: &[Diagnostic], sources: &Sources) -> Value {
    findings.iter().map(|finding| one(finding, sources)).collect()
}

fn one(finding: &Diagnostic, sources: &Sources) -> Value {
    let related = |l: &super::Label| {
        let mut place = place(l.span, sources);
        place["message"] = l.text.as_str().into();
        place
    };
    let mut value = place(finding.span(), sources);
    value["rule"] = finding.rule.slug().into();
    value["severity"] = name(finding.severity).into();
    value["message"] = finding.message.as_str().into();
    value["help"] = finding.help.clone().into();
    value["related"] = finding.labels[1..].iter().map(related).collect();
    if !finding.witnesses.is_empty() {
        value["witnesses"] = finding.witnesses.clone().into();
    }
    value
}

/// A place as findings have it: `file`, `line`, `column`, `end`.
#[must_use]
pub fn place(span: Span, sources: &Sources) -> Value {
    let (line, column) = sources.line_col(span);
    let (end_line, end_column) = sources.line_col(Span { start: span.end, ..span });
    json!({
        "file": sources.name(span.file),
        "line": line,
        "column": column,
        "end": {"line": end_line, "column": end_column},
    })
}

fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}
