//! One fault in a text, before it is tied to its file.

use crate::diag::{Diagnostic, Rule, rule};
use crate::source::Fragment;

/// A fault at the bytes `start..end` of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::syntax) struct Fault {
    pub start: usize,
    pub end: usize,
    pub rule: Rule,
    pub message: String,
    pub help: Option<String>,
    pub also: Option<(usize, String)>,
}

impl Fault {
    /// A fault of `rule`.
    pub(super) fn new(rule: Rule, at: (usize, usize), message: impl Into<String>) -> Self {
        Self { start: at.0, end: at.1, rule, message: message.into(), help: None, also: None }
    }

    /// A fault of grammar.
    pub(in crate::syntax) fn syntax(at: (usize, usize), message: impl Into<String>) -> Self {
        Self::new(rule::EXPRESSION_SYNTAX, at, message)
    }

    /// Adds how to mend it.
    pub(in crate::syntax) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a related byte.
    pub(super) fn also(mut self, at: usize, text: impl Into<String>) -> Self {
        self.also = Some((at, text.into()));
        self
    }

    /// The same fault in a text of which this text is the part that begins at `base`.
    pub(super) fn shifted(mut self, base: usize) -> Self {
        self.start += base;
        self.end += base;
        if let Some(also) = &mut self.also {
            also.0 += base;
        }
        self
    }

    /// As a finding in the file.
    pub(in crate::syntax) fn diagnostic(self, fragment: &Fragment) -> Diagnostic {
        let mut d = Diagnostic::error(self.rule, fragment.span(self.start, self.end), self.message);
        if let Some((at, text)) = self.also {
            d = d.also(fragment.span(at, at + 1), text);
        }
        if let Some(help) = self.help {
            d = d.help(help);
        }
        d
    }
}
