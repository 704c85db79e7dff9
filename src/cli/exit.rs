//! Exit codes.

use std::process::ExitCode;

/// How a command ends. The numbers are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Ok,
    /// Findings, failed scenarios, or a run that ended in an error outcome.
    Findings,
    /// Wrong usage or input that cannot be read.
    Usage,
    /// A run waits for a person.
    Waiting,
    /// Interrupted.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Ok => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Waiting => 3,
            Exit::Interrupted => 130,
        })
    }
}

impl Exit {
    /// The worse of two: usage before findings before waiting before well.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let rank = |exit: Self| match exit {
            Self::Ok => 0,
            Self::Waiting => 1,
            Self::Findings => 2,
            Self::Usage => 3,
            Self::Interrupted => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}
