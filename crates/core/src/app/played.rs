//! The scenarios of a file with what came of them.

use crate::diag::{self, Diagnostic, Severity, rule};
use crate::model::Loader;
use crate::scenario::{Coverage, Report, Scenario, Suite, print};
use crate::source::Sources;

/// The scenarios of files that are played, and how.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlayOrder<'a> {
    /// True if each run is rebuilt at each step.
    pub rebuilds: bool,
    /// Those alone whose names have this text in them.
    pub name: Option<&'a str>,
    /// True if the first that fails is the last one.
    pub fail_fast: bool,
}

impl PlayOrder<'_> {
    fn wants(&self, scenario: &Scenario) -> bool {
        self.name.is_none_or(|text| scenario.name.value.contains(text))
    }
}

/// The scenarios of one file, played.
#[derive(Debug)]
pub struct PlayedFile {
    /// The path of the file.
    pub path: String,
    /// The reports, in order of the text.
    pub reports: Vec<Report>,
    /// Errors that keep the file from being played.
    pub findings: Vec<Diagnostic>,
    /// Findings about scenarios that can be played all the same.
    pub hints: Vec<Diagnostic>,
}

impl PlayedFile {
    /// Plays the scenarios of a file that are wanted, and counts what they took.
    pub fn play(
        path: String,
        sources: &mut Sources,
        loader: &mut dyn Loader,
        coverage: &mut Coverage,
        order: PlayOrder<'_>,
    ) -> Self {
        let suite = Suite::load(sources, loader, &path);
        let mut findings = suite.findings;
        // What `check` says of graphs is not said again.
        let hints = findings.extract_if(.., |f| f.severity != Severity::Error);
        let hints = hints.filter(|f| f.rule == rule::MISSING_KEY).collect();
        let mut reports = Vec::new();
        if let Some(suite) = suite.suite {
            let keys = suite.cover(coverage, sources);
            for scenario in suite.file.scenarios.iter().filter(|scenario| order.wants(scenario)) {
                let report =
                    if order.rebuilds { suite.play_rebuilding(scenario) } else { suite.play(scenario) };
                coverage.count(&keys, &suite.program, &report.run.events);
                let stops = order.fail_fast && !report.passed();
                reports.push(report);
                if stops {
                    break;
                }
            }
        }
        Self { path, reports, findings, hints }
    }

    /// True if every scenario passed and nothing kept the file from being played.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.findings.is_empty() && self.reports.iter().all(Report::passed)
    }

    /// The file as JSON: `file`, `findings`, `scenarios`.
    #[must_use]
    pub fn json(&self, sources: &Sources) -> serde_json::Value {
        let reports: Vec<_> = self.reports.iter().map(|report| print::json(report, sources)).collect();
        serde_json::json!({
            "file": self.path,
            "findings": diag::json::render(&self.findings, sources),
            "scenarios": reports,
        })
    }
}
