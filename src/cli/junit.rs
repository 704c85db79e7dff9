//! `--format junit`: what CI servers read. XML has no way to write most of what a terminal obeys, so it is written out as
//! for people.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::screen;
use loopwright_core::app::PlayedFile;
use loopwright_core::scenario::print;
use loopwright_core::source::Sources;

/// One suite per scenario file, one case per scenario; a file that cannot be played is a suite with one error.
pub(super) fn document(all: &[PlayedFile], sources: &Sources) -> Result<String, String> {
    let mut report = Report::new("loopwright");
    for played in all {
        let mut suite = TestSuite::new(&*screen::line(&played.path));
        for finding in &played.findings {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            let (line, column) = sources.line_col(finding.span());
            let place = format!("{}:{line}:{column}", sources.name(finding.span().file));
            status
                .set_type(finding.rule.slug())
                .set_message(&*screen::line(&format!("{place}: {}", finding.message)));
            suite.add_test_case(TestCase::new("load", status));
        }
        for scenario in &played.reports {
            let status = if scenario.passed() {
                TestCaseStatus::success()
            } else {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status
                    .set_message("the run went otherwise than expected")
                    .set_description(&*screen::lines(&print::text(scenario, sources)));
                status
            };
            suite.add_test_case(TestCase::new(&*screen::line(&scenario.name), status));
        }
        report.add_test_suite(suite);
    }
    let text = report.to_string().map_err(|e| format!("the report cannot be written: {e}"))?;
    Ok(if text.ends_with('\n') { text } else { text + "\n" })
}
