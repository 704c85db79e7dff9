//! Findings about a graph file: one [`Diagnostic`] per fault, with its rule, place and hint.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod json;
pub mod rule;
mod suggest;
mod suggestion;
pub mod text;

pub use rule::Rule;
pub use suggest::{did_you_mean, nearest, nearest_of_unsorted};
pub use suggestion::{EditKind, SuggestedEdit, Suggestion};

use crate::source::Span;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// Said for information; never changes the exit code.
    Note,
    /// The graph runs, but probably not as meant.
    Warning,
    /// The graph does not run.
    Error,
}

/// A place a finding points at and what is to be reported there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Label {
    /// The place in the text.
    pub span: Span,
    /// Said under the caret; may be empty.
    pub text: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The rule that speaks.
    pub rule: Rule,
    /// The severity.
    pub severity: Severity,
    /// One sentence: what was found, what was wanted.
    pub message: String,
    /// The first label is the primary place, the others are related ones.
    pub labels: Vec<Label>,
    /// The hints to mend it, one a line.
    pub help: Vec<String>,
    /// The changes of the text that some of the hints name.
    pub suggestions: Vec<Suggestion>,
    /// States that show it, for machines: each has `values`, and `input` and `given` as a scenario has them.
    pub witnesses: Vec<serde_json::Value>,
}

impl Diagnostic {
    /// An error of `rule` at `span`.
    #[must_use]
    pub fn error(rule: Rule, span: Span, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Error, span, message)
    }

    /// A warning of `rule` at `span`.
    #[must_use]
    pub fn warning(rule: Rule, span: Span, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Warning, span, message)
    }

    /// A note of `rule` at `span`.
    #[must_use]
    pub fn note(rule: Rule, span: Span, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Note, span, message)
    }

    fn new(rule: Rule, severity: Severity, span: Span, message: impl Into<String>) -> Self {
        let labels = vec![Label { span, text: String::new() }];
        Self {
            rule,
            severity,
            message: message.into(),
            labels,
            help: Vec::new(),
            suggestions: Vec::new(),
            witnesses: Vec::new(),
        }
    }

    /// Says `text` under the primary caret.
    #[must_use]
    pub fn caret(mut self, text: impl Into<String>) -> Self {
        self.labels[0].text = text.into();
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds a hint with the one edit that it names.
    #[must_use]
    pub fn suggest(
        mut self,
        hint: impl Into<String>,
        span: Span,
        kind: EditKind,
        text: impl Into<String>,
    ) -> Self {
        let title = hint.into();
        let edits = vec![SuggestedEdit { span, text: text.into(), kind }];
        self.suggestions.push(Suggestion { title: title.clone(), edits });
        self.help(title)
    }

    /// Adds a change of the text that belongs to hints that are there.
    #[must_use]
    pub fn suggestion(mut self, title: impl Into<String>, edits: Vec<SuggestedEdit>) -> Self {
        self.suggestions.push(Suggestion { title: title.into(), edits });
        self
    }

    /// Adds the hint "did you mean `near`?" if something is near; see [`nearest`].
    #[must_use]
    pub fn meant(self, near: Option<&str>) -> Self {
        match near {
            Some(near) => {
                // A function may be shown as it is called.
                let name = near.trim_start_matches('.').trim_end_matches("()").to_owned();
                let span = self.span();
                self.suggest(did_you_mean(&format!("`{near}`")), span, EditKind::Name, name)
            }
            None => self,
        }
    }

    /// Adds the hint "did you mean `near`?", or the hint `otherwise` if nothing is near.
    #[must_use]
    pub fn meant_or(self, near: Option<&str>, otherwise: impl Into<String>) -> Self {
        if near.is_some() { self.meant(near) } else { self.help(otherwise) }
    }

    /// The primary place.
    #[must_use]
    pub fn span(&self) -> Span {
        self.labels[0].span
    }
}
