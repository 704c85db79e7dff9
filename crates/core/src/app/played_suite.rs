//! A scenario file that may not be written yet, played.

use super::suite_fault::SuiteFault;
use crate::diag::Severity;
use crate::model::{LoadError, Loader};
use crate::program::function::Functions;
use crate::scenario::{Report, Suite};
use crate::source::Sources;

/// A scenario file all of whose scenarios pass.
pub(super) struct PlayedSuite {
    pub(super) suite: Suite,
    pub(super) reports: Vec<Report>,
}

impl PlayedSuite {
    /// Plays the file at a path as if it had this text.
    pub(super) fn play(path: &str, text: &str, loader: &mut dyn Loader) -> Result<Self, SuiteFault> {
        let mut sources = Sources::new();
        let read = Suite::load(&mut sources, &mut DraftLoader { loader, path, text }, path);
        let Some(suite) = read.suite else {
            let mut findings = read.findings;
            findings.retain(|found| found.severity == Severity::Error);
            return Err(SuiteFault::Findings(findings, Box::new(sources)));
        };
        let reports: Vec<Report> = suite.play_all().collect();
        if reports.iter().all(Report::passed) {
            Ok(Self { suite, reports })
        } else {
            Err(SuiteFault::Failing(reports, Box::new(sources)))
        }
    }
}

/// A loader in which one file has a text that is not written yet.
struct DraftLoader<'l> {
    loader: &'l mut dyn Loader,
    path: &'l str,
    text: &'l str,
}

impl Loader for DraftLoader<'_> {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        if from.is_none() && path == self.path {
            return Ok((path.to_owned(), self.text.to_owned()));
        }
        self.loader.load(from, path)
    }

    fn functions(&self) -> Functions {
        self.loader.functions()
    }
}
