//! The fate of mutants.

use crate::diff::Version;

/// The fate of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MutantVerdict {
    /// A scenario fails that passes without the fault.
    Killed {
        /// The scenario file.
        file: String,
        /// The scenario; [`None`] where the file does not fit the mutant at all.
        scenario: Option<String>,
    },
    /// The graph does not check any more: nobody could run it.
    Refused(String),
    /// No run differs.
    Equivalent,
    /// No scenario notices it.
    Survived,
}

impl MutantVerdict {
    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Killed { .. } => "killed",
            Self::Refused(_) => "refused",
            Self::Equivalent => "equivalent",
            Self::Survived => "survived",
        }
    }
}

/// An answer to whether two versions of a graph do the same in every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equivalence {
    /// They do.
    Same,
    /// Some run differs.
    Different,
    /// It is not known.
    Unknown,
}

/// A judge of survivors: the original and the mutant of one scenario file's graph. It is asked last, since it may take long.
pub type EquivalenceJudge<'j> = dyn Fn(&Version<'_>, &Version<'_>) -> Equivalence + Sync + 'j;

/// The numbers of mutants by their fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MutationScore {
    /// Those that scenarios notice.
    pub killed: usize,
    /// Those that `check` refuses.
    pub refused: usize,
    /// Those that differ in no run.
    pub equivalent: usize,
    /// Those that no scenario notices.
    pub survived: usize,
}

impl MutationScore {
    /// Counts a verdict.
    pub const fn count(&mut self, verdict: &MutantVerdict) {
        *match verdict {
            MutantVerdict::Killed { .. } => &mut self.killed,
            MutantVerdict::Refused(_) => &mut self.refused,
            MutantVerdict::Equivalent => &mut self.equivalent,
            MutantVerdict::Survived => &mut self.survived,
        } += 1;
    }

    /// All mutants.
    #[must_use]
    pub const fn all(&self) -> usize {
        self.killed + self.refused + self.equivalent + self.survived
    }

    /// The share of those that scenarios notice among those that they could, in percent and rounded down. None where they
    /// could notice none.
    #[must_use]
    pub fn percent(&self) -> Option<u8> {
        let among = self.killed + self.survived;
        (self.killed * 100).checked_div(among).and_then(|percent| u8::try_from(percent).ok())
    }
}
