//! Mutants for people and for machines.

use serde_json::{Value, json};

use super::mutant::Mutant;
use super::verdict::{MutantVerdict, MutationScore};
use crate::diag;
use crate::source::{Sources, Span};

/// More lines of one change than these are left out.
const MAX_LINES: usize = 12;

/// The lines of a change: those of the file, and those in their place. What is dropped has none in its place.
#[must_use]
pub fn lines(mutant: &Mutant, sources: &Sources) -> (Vec<String>, Vec<String>) {
    let edits = &mutant.mutation.edits;
    let spans = edits.iter().map(|(span, _)| *span);
    let Some(whole) = spans.reduce(Span::to) else { return (Vec::new(), Vec::new()) };
    let text = sources.text(whole.file);
    let start = text[..whole.start as usize].rfind('\n').map_or(0, |at| at + 1);
    // A block ends with the end of its line.
    let last = text[..whole.end as usize].trim_end().len().max(whole.start as usize);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at);
    let before = split(&text[start..end]);
    if edits.iter().all(|(_, new)| new.is_empty()) {
        return (before, Vec::new());
    }
    let (mut after, mut at) = (String::new(), start);
    for (span, new) in edits {
        after.push_str(text.get(at..span.start as usize).unwrap_or_default());
        after.push_str(new);
        at = span.end as usize;
    }
    after.push_str(text.get(at..end).unwrap_or_default());
    without_shared(before, split(&after))
}

/// Without the lines at both ends that are the same.
fn without_shared(mut before: Vec<String>, mut after: Vec<String>) -> (Vec<String>, Vec<String>) {
    let same = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    before.drain(..same);
    after.drain(..same);
    while before.last().is_some_and(|last| Some(last) == after.last()) {
        before.pop();
        after.pop();
    }
    (before, after)
}

/// The lines of a text without the indentation that all of them have.
fn split(text: &str) -> Vec<String> {
    let full = text.lines().filter(|line| !line.trim().is_empty());
    let indent = full.map(|line| line.len() - line.trim_start().len()).min().unwrap_or_default();
    let mut lines: Vec<String> =
        text.lines().map(|line| line.get(indent..).unwrap_or_default().trim_end().to_owned()).collect();
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES - 1);
        lines.push("…".to_owned());
    }
    lines
}

/// A mutant with its fate: `file`, `line`, `column`, `end`, `operator`, `message`, `before`, `after`, `verdict`, and
/// `killed_by` or `refused_by`.
#[must_use]
pub fn json(mutant: &Mutant, verdict: &MutantVerdict, sources: &Sources) -> Value {
    let (before, after) = lines(mutant, sources);
    let mut value = diag::json::place(mutant.span(), sources);
    value["operator"] = mutant.operator().name().into();
    value["message"] = mutant.message().into();
    value["before"] = before.into();
    value["after"] = after.into();
    value["verdict"] = verdict.name().into();
    match verdict {
        MutantVerdict::Killed { file, scenario } => {
            value["killed_by"] = json!({"file": file, "scenario": scenario});
        }
        MutantVerdict::Refused(fault) => value["refused_by"] = fault.as_str().into(),
        MutantVerdict::Equivalent | MutantVerdict::Survived => {}
    }
    value
}

/// The counts, on one line.
#[must_use]
pub fn counts(score: &MutationScore) -> String {
    let all = score.all();
    let noun = if all == 1 { "mutant" } else { "mutants" };
    let survive = if score.survived == 1 { "survives" } else { "survive" };
    let percent =
        score.percent().map_or_else(|| "no score".to_owned(), |percent| format!("score {percent} %"));
    format!(
        "{all} {noun}: {} killed, {} refused, {} equivalent, {} {survive}  {percent}",
        score.killed, score.refused, score.equivalent, score.survived
    )
}
