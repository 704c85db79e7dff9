//! The faults of one configuration file.

use std::ops::Range;

use crate::diag::{Diagnostic, Rule, rule};
use crate::source::{FileId, Span};

/// The faults found so far.
pub(super) struct Faults {
    file: FileId,
    found: Vec<Diagnostic>,
}

/// A fault that was just said and may be given a hint.
pub(super) struct ReportedFault<'a>(&'a mut Diagnostic);

impl Faults {
    pub(super) const fn new(file: FileId) -> Self {
        Self { file, found: Vec::new() }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// A place of the file.
    pub(super) fn span(&self, place: Range<usize>) -> Span {
        Span::new(self.file, place.start, place.end)
    }

    /// A value that is not what was wanted.
    pub(super) fn say(&mut self, place: Range<usize>, message: impl Into<String>) -> ReportedFault<'_> {
        self.push(rule::CONFIG_VALUE, place, message.into())
    }

    /// A key nobody asks for.
    pub(super) fn unknown(&mut self, place: Range<usize>, message: impl Into<String>) -> ReportedFault<'_> {
        self.push(rule::CONFIG_KEY, place, message.into())
    }

    /// Text that is no TOML.
    pub(super) fn syntax(&mut self, place: Range<usize>, message: &str) {
        let lines = message.lines().collect::<Vec<_>>().join("; ");
        self.push(rule::CONFIG_SYNTAX, place, format!("this is not valid TOML: {lines}"));
    }

    fn push(&mut self, rule: Rule, place: Range<usize>, message: String) -> ReportedFault<'_> {
        let span = self.span(place);
        self.found.push(Diagnostic::error(rule, span, message));
        ReportedFault(self.found.last_mut().expect("one was just pushed"))
    }

    /// All of them, in the order of their places.
    pub(super) fn sorted(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|fault| (fault.span().start, fault.span().end));
        self.found
    }
}

impl ReportedFault<'_> {
    /// Adds a hint.
    pub(super) fn help(self, text: impl Into<String>) -> Self {
        self.0.help.push(text.into());
        self
    }

    /// Adds a hint if there is one.
    pub(super) fn help_if(self, text: Option<String>) -> Self {
        self.0.help.extend(text);
        self
    }
}
