//! Findings with the places that an editor knows.

use std::collections::BTreeMap;

use ls_types::{
    Diagnostic as LspDiagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Range,
};

use super::file_names::FileNames;
use super::text_index::{ColumnUnit, TextIndex};
use crate::diag::{Diagnostic, Rule, Severity};
use crate::source::display::line;
use crate::source::{FileId, Sources, Span};

/// The name under which an editor shows who found something.
const SOURCE: &str = "loopwright";

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilePlace {
    /// The name of the file.
    pub file: String,
    /// The lines and columns.
    pub range: Range,
}

/// A finding that needs no texts: equal ones of several graphs are one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlacedFinding {
    /// The rule.
    pub rule: Rule,
    /// The severity.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// The places, the primary one first, each with its text.
    pub labels: Vec<(FilePlace, String)>,
    /// The hints.
    pub help: Vec<String>,
}

impl PlacedFinding {
    /// The primary place.
    #[must_use]
    pub fn place(&self) -> &FilePlace {
        &self.labels[0].0
    }

    /// True if one of its places lies in the file.
    pub(super) fn touches(&self, file: &str) -> bool {
        self.labels.iter().any(|(place, _)| place.file == file)
    }

    /// The same for a client. One that shows no related places gets the hints within the message.
    pub(super) fn diagnostic(&self, names: &FileNames, with_related: bool) -> LspDiagnostic {
        let mut message = line(&self.message).into_owned();
        let mut related = Vec::new();
        let mut add = |place: &FilePlace, text: &str| {
            if with_related {
                let uri = names.uri(&place.file);
                related.extend(uri.map(|uri| DiagnosticRelatedInformation {
                    location: Location { uri, range: place.range },
                    message: line(text).into_owned(),
                }));
            } else {
                message.push('\n');
                message.push_str(&line(text));
            }
        };
        for (place, text) in self.labels.iter().filter(|(_, text)| !text.is_empty()) {
            add(place, text);
        }
        for text in &self.help {
            add(self.place(), &format!("help: {text}"));
        }
        LspDiagnostic {
            range: self.place().range,
            severity: Some(match self.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
                Severity::Note => DiagnosticSeverity::INFORMATION,
            }),
            code: Some(NumberOrString::String(self.rule.slug().to_owned())),
            source: Some(SOURCE.to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..LspDiagnostic::default()
        }
    }
}

/// Gives findings their places.
#[derive(Debug)]
pub struct FindingPlaces<'s> {
    sources: &'s Sources,
    unit: ColumnUnit,
    files: BTreeMap<FileId, TextIndex<'s>>,
}

impl<'s> FindingPlaces<'s> {
    pub(super) const fn new(sources: &'s Sources, unit: ColumnUnit) -> Self {
        Self { sources, unit, files: BTreeMap::new() }
    }

    /// With columns counted in units of UTF-16.
    #[must_use]
    pub fn utf16(sources: &'s Sources) -> Self {
        Self::new(sources, ColumnUnit::Utf16)
    }

    /// The finding with its places.
    pub fn placed(&mut self, finding: &Diagnostic) -> PlacedFinding {
        PlacedFinding {
            rule: finding.rule,
            severity: finding.severity,
            message: finding.message.clone(),
            labels: finding.labels.iter().map(|l| (self.place(l.span), l.text.clone())).collect(),
            help: finding.help.clone(),
        }
    }

    pub(super) fn place(&mut self, span: Span) -> FilePlace {
        let index = self
            .files
            .entry(span.file)
            .or_insert_with(|| TextIndex::new(self.sources.text(span.file), self.unit));
        let range = index.range(span.start as usize, span.end as usize);
        FilePlace { file: self.sources.name(span.file).to_owned(), range }
    }
}
