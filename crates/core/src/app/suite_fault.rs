//! Reasons for which scenarios are not added to a file.

use thiserror::Error;

use crate::diag::Diagnostic;
use crate::scenario::{ListRefusal, Report};
use crate::source::Sources;

/// A reason for which scenarios are not added to a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SuiteFault {
    /// The file cannot be played.
    #[error("the scenario file cannot be played")]
    Findings(Vec<Diagnostic>, Box<Sources>),
    /// Scenarios of the file fail.
    #[error("scenarios of the file fail: mend or remove them first")]
    Failing(Vec<Report>, Box<Sources>),
    /// The file is for another graph.
    #[error("the file is for another graph, `{0}`")]
    OtherGraph(String),
    /// The defaults of the file begin every run in the middle.
    #[error(
        "`given` under `defaults` begins every run in the middle: move it into the scenarios that need it"
    )]
    Midway,
    /// The layout of the file has no place for more.
    #[error(transparent)]
    Layout(#[from] ListRefusal),
    /// A scenario does not come out in the file as it did in the search.
    #[error("this is a fault of loopwright itself: {0}")]
    Internal(String),
}
