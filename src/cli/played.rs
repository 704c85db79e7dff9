//! The scenarios of a file with what came of them.

use loopwright_core::diag::Diagnostic;
use loopwright_core::scenario::Report;

/// The scenarios of one file, played.
pub(super) struct Played {
    pub(super) path: String,
    pub(super) reports: Vec<Report>,
    /// Errors that keep the file from being played.
    pub(super) findings: Vec<Diagnostic>,
    /// Findings about scenarios that can be played all the same.
    pub(super) hints: Vec<Diagnostic>,
}
