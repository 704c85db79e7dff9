//! Findings for people: the source line, a caret under the fault, what to do.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Label, Severity};
use crate::source::display::{in_place, line};
use crate::source::{FileId, Sources, Span};

/// Longer lines are not shown: nobody reads them, and a caret somewhere in them says nothing.
const MAX_SHOWN_LINE: usize = 500;

/// Findings one below the other, each ended by an empty line. `colour` adds terminal colours; nothing else is in the text
/// that a terminal obeys. In a line of a file one sign is printed for each character that is not printed as it is, so that the
/// carets point right; everywhere else such characters are written out.
#[must_use]
pub fn render(findings: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for finding in findings {
        text.push_str(&renderer.render(&[group(finding, sources)]));
        text.push_str("\n\n");
    }
    text
}

/// Counts the findings of each severity, in words: `2 errors, 1 warning`. Empty for none.
#[must_use]
pub fn summary(findings: &[Diagnostic]) -> String {
    let count = |severity| findings.iter().filter(|d| d.severity == severity).count();
    let say = |n: usize, word: &str| match n {
        0 => None,
        1 => Some(format!("1 {word}")),
        n => Some(format!("{n} {word}s")),
    };
    let parts = [
        say(count(Severity::Error), "error"),
        say(count(Severity::Warning), "warning"),
        say(count(Severity::Note), "note"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn group<'a>(finding: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(line(&finding.message)).id(finding.rule.slug()));
    for file in files(finding) {
        group = group.element(snippet(finding, file, sources));
    }
    group.elements(finding.help.iter().map(|text| Element::Message(Level::HELP.message(line(text)))))
}

/// The files of a finding's labels, the primary one first.
fn files(finding: &Diagnostic) -> Vec<FileId> {
    let mut files = Vec::new();
    for label in &finding.labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    files
}

/// The lines of one file that a finding's labels are in.
fn snippet<'a>(finding: &'a Diagnostic, file: FileId, sources: &'a Sources) -> Element<'a> {
    let text = sources.text(file);
    let labels = || finding.labels.iter().enumerate().filter(move |(_, l)| l.span.file == file);
    let first = labels().map(|(_, l)| l.span.start as usize).min().unwrap_or(0);
    let last = labels().map(|(_, l)| l.span.end as usize).max().unwrap_or(0);
    let from = boundary(text, first);
    let start = text[..from].rfind('\n').map_or(0, |i| i + 1);
    let to = boundary(text, last);
    let end = text[to..].find('\n').map_or(text.len(), |i| to + i);
    let primary = labels().next().map_or(Span { file, ..Span::default() }, |(_, l)| l.span);
    let (row, column) = sources.line_col(primary);
    let name = line(sources.name(file));
    // Of a file that is empty, or is not there, is nothing to show.
    if text.is_empty() || text[start..end].split('\n').any(|l| l.len() > MAX_SHOWN_LINE) {
        return Origin::path(name).line(row).char_column(column).into();
    }
    let excerpt = in_place(&text[start..end]);
    // Another sign may have another length. What a sign is depends on what is after it, never before.
    let length = excerpt.len();
    let place = |byte: usize| length - in_place(&text[byte.min(end)..end]).len();
    let annotation = |i: usize, label: &'a Label| {
        let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let from = boundary(text, label.span.start as usize).max(start);
        let to = boundary(text, label.span.end as usize).max(from);
        let text_of_label = (!label.text.is_empty()).then(|| line(&label.text));
        kind.span(place(from)..place(to)).label(text_of_label)
    };
    let (top, _) = sources.line_col(Span::new(file, start, start));
    Snippet::source(excerpt)
        .line_start(top)
        .path(name)
        .annotations(labels().map(|(i, l)| annotation(i, l)))
        .into()
}

/// The byte, or the nearest one before it where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
