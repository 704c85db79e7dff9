//! The reasons why something was not drawn.

use crate::cli::Exit;
use crate::diag::Diagnostic;
use crate::source::Sources;

/// A drawing that is not made.
pub(super) enum Trouble {
    /// What was asked for is not there.
    Usage(String),
    /// The graph has errors.
    Findings(Vec<Diagnostic>, Box<Sources>),
    /// It was said already; the command ends so.
    Said(Exit),
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self::Usage(message)
    }
}
