//! The faults of a text, with their places.

use std::ops::Range;

use minijinja::{Environment, Error};

use super::inclusion::Inclusion;
use super::metered::Metered;
use crate::value::Str;

/// A fault of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFault {
    /// The text's name.
    pub text: Str,
    /// The message, as one sentence without a full stop.
    pub message: String,
    /// The line in the text, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The bytes of the text that are meant.
    pub range: Range<usize>,
}

impl std::fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { text, message, line, column, .. } = self;
        write!(f, "text `{text}`, line {line}, column {column}: {message}")
    }
}

impl TemplateFault {
    /// A fault at some bytes of a text.
    #[must_use]
    pub fn new(text: Str, source: &str, range: Range<usize>, message: String) -> Self {
        let before = source.get(..range.start).unwrap_or(source);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            text,
            message,
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            range,
        }
    }
}

/// The fault of a text that is taken in and does not exist.
pub(super) fn missing(name: &Str, source: &str, other: &Inclusion) -> TemplateFault {
    let message = format!("there is no text `{}`", other.name);
    TemplateFault::new(name.clone(), source, other.range.clone(), message)
}

/// The fault of a text that is no template, if it is none.
pub(super) fn syntax_fault(name: &Str, source: &str) -> Option<TemplateFault> {
    let mut environment = Environment::new();
    environment.set_debug(true);
    let metered = Metered::new(source);
    let error = environment.template_from_named_str(name, &metered.text).err()?;
    Some(template_fault(name, source, &metered, &error))
}

/// An error of the template engine, which was given the text as it pays, as a fault of the text as it was written.
#[must_use]
pub(super) fn template_fault(name: &Str, source: &str, metered: &Metered, error: &Error) -> TemplateFault {
    let range = error.range().filter(|range| metered.text.get(range.clone()).is_some());
    let range = range.map(|range| metered.original(range));
    let range = range.filter(|range| source.get(range.clone()).is_some());
    let range = range.unwrap_or_else(|| {
        let start = source
            .split_inclusive('\n')
            .take(error.line().unwrap_or(1).saturating_sub(1))
            .map(str::len)
            .sum();
        start..start
    });
    let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    TemplateFault::new(name.clone(), source, range, message)
}
