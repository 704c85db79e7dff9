//! The reasons why something was not drawn.

use crate::cli::Exit;
use loopwright_core::diag::Diagnostic;
use loopwright_core::source::Sources;

/// A drawing that is not made.
pub(super) enum Trouble {
    /// The command line names something that does not exist.
    Usage(String),
    /// The graph has errors.
    Findings(Vec<Diagnostic>, Box<Sources>),
    /// It was reported already; the command ends so.
    Reported(Exit),
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self::Usage(message)
    }
}
