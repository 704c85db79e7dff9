//! Exit codes.

use std::process::ExitCode;

use loopwright_core::diag::{Diagnostic, Severity, rule};

/// Exit codes of a command. The numbers are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The command did what was asked, and found no fault.
    Ok,
    /// Findings, failed scenarios, or a run that ended in an error outcome.
    Findings,
    /// Wrong usage or input that cannot be read.
    Usage,
    /// A run waits for a person.
    Waiting,
    /// A signal interrupted the command.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl Exit {
    /// The end of a command with these findings: errors count, warnings and notes do not.
    pub(super) fn of(findings: &[Diagnostic]) -> Self {
        Self::with(findings, Severity::Error)
    }

    /// The end of a command with these findings: those of this severity count, and graver ones.
    pub(super) fn with(findings: &[Diagnostic], least: Severity) -> Self {
        let unreadable = findings.iter().any(|f| f.rule == rule::UNREADABLE_FILE);
        match findings.iter().any(|f| f.severity >= least) {
            _ if unreadable => Self::Usage,
            true => Self::Findings,
            false => Self::Ok,
        }
    }

    /// All ends.
    pub(super) const ALL: [Self; 5] =
        [Self::Ok, Self::Findings, Self::Usage, Self::Waiting, Self::Interrupted];

    /// One line on its meaning.
    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "The command did what was asked and found no fault.",
            Self::Findings => {
                "Findings of `check` that count, a failed scenario, a difference that a command looks for, or a run that ended in failure."
            }
            Self::Usage => "Wrong usage, or a file that cannot be read.",
            Self::Waiting => "The run waits: for a person, or for a time that has not come.",
            Self::Interrupted => "A signal interrupted the command. A stored run can be resumed.",
        }
    }

    /// The number the process ends with.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Waiting => 3,
            Self::Interrupted => 130,
        }
    }

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
