//! The answers of conditions: for one class, and for all states.

use crate::decide::Diagram;

/// The states in which a condition is true and those in which it is false. In others it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Truth {
    pub(super) yes: Diagram,
    pub(super) no: Diagram,
}

impl Truth {
    pub(super) const YES: Self = Self { yes: Diagram::ALL, no: Diagram::NONE };
    pub(super) const NO: Self = Self { yes: Diagram::NONE, no: Diagram::ALL };
    pub(super) const FAILED: Self = Self { yes: Diagram::NONE, no: Diagram::NONE };
    pub(super) const UNKNOWN: Self = Self { yes: Diagram::ALL, no: Diagram::ALL };

    pub(super) const fn swapped(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }

    pub(super) const fn of(truth: bool) -> Self {
        if truth { Self::YES } else { Self::NO }
    }
}

/// The answer of a condition for all values of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    Failed,
    /// It differs within the class.
    Either,
}

impl From<bool> for Answer {
    fn from(truth: bool) -> Self {
        if truth { Self::Yes } else { Self::No }
    }
}
