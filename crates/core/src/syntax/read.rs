//! One file's text to its tree.

use super::tree::Tree;
use super::yaml::{Document, MAX_FINDINGS};
use super::{Syntax, dsl, lower, names, yaml};
use crate::diag::{Diagnostic, Severity, rule};
use crate::source::{FileId, Sources, Span};

/// Reads a file. The syntax follows from the name: `.loop` is the loop DSL, anything else is YAML.
///
/// All faults of the file come in one list, in order of the text, each with its place. The tree holds what could be
/// read; where [`Unread::has_rest`](super::tree::Unread::has_rest) is true of it, the rest of the file was not looked
/// at. After 200 faults the rest is left for the next time.
#[must_use]
pub fn read(sources: &Sources, file: FileId) -> (Tree, Vec<Diagnostic>) {
    let (_, tree, found) = read_document(sources, file);
    (tree, found)
}

/// Reads a file; also gives the document the tree was made of.
pub(super) fn read_document(sources: &Sources, file: FileId) -> (Document<'_>, Tree, Vec<Diagnostic>) {
    let mut out = Vec::new();
    let text = sources.text(file);
    let dsl = Syntax::of(sources.name(file)) == Syntax::Loop;
    let document = if dsl { dsl::parse(text, file, &mut out) } else { yaml::parse(text, file, &mut out) };
    let before: Vec<_> = if dsl { out.iter().map(Diagnostic::span).collect() } else { Vec::new() };
    if text.len() <= yaml::MAX_BYTES {
        hidden_characters(text, file, &mut out);
    }
    let syntax = if dsl { lower::Syntax::Dsl(before) } else { lower::Syntax::Yaml };
    let known = out.len();
    let tree = lower::lower(&document, text, file, syntax, &mut out);
    follow_on(&mut out, known);
    let has_error = out.iter().any(|d| d.severity == Severity::Error);
    if let Some(at) = document.refused.filter(|_| !has_error) {
        out.push(Diagnostic::error(rule::LOOP_SYNTAX, at, "this is not allowed here"));
    }
    out.sort_by_key(|d| d.span().start);
    cap(&mut out);
    (document, tree, out)
}

/// Drops what is reported, from finding `known` on, of a value whose own syntax is at fault: what a list that is never
/// closed should have been is not the question.
fn follow_on(out: &mut Vec<Diagnostic>, known: usize) {
    let reported = out.split_off(known);
    let faulty = |span: Span| out.iter().any(|d| d.rule == rule::YAML_SYNTAX && d.span().start == span.start);
    let reported: Vec<_> =
        reported.into_iter().filter(|d| d.rule != rule::WRONG_FORM || !faulty(d.span())).collect();
    out.extend(reported);
}

fn hidden_characters(text: &str, file: FileId, out: &mut Vec<Diagnostic>) {
    let Some((at, c)) = names::hidden(text) else { return };
    let span = Span::new(file, at, at + c.len_utf8());
    let message = format!("an invisible character is here: U+{:04X}", u32::from(c));
    let found = Diagnostic::warning(rule::HIDDEN_CHARACTER, span, message);
    out.push(found.help("remove it, or write it as an escape in double quotes"));
}

/// Keeps the first findings and says that there were more.
fn cap(out: &mut Vec<Diagnostic>) {
    if out.len() < MAX_FINDINGS {
        return;
    }
    out.truncate(MAX_FINDINGS);
    let last = out[MAX_FINDINGS - 1].span();
    let message = format!("the file has more than {} faults; the others are not listed", MAX_FINDINGS - 1);
    out[MAX_FINDINGS - 1] =
        Diagnostic::error(rule::TOO_MANY_FINDINGS, last, message).help("fix the first ones and check again");
}
