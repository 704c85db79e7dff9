//! Versions of the meaning: what a step does with one and the same program.

use std::fmt;

use crate::program::level::MAX_LEVELS;
use crate::value::MAX_DEPTH;

/// A version of what programs mean.
///
/// A rule of the machine that changes what runs do comes with a new version. A run keeps the one it began with: its
/// program's listing names it, and so its digest covers it. New programs are compiled with the newest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Semantics(u32);

impl Semantics {
    /// The first version: listings without a version are of this one.
    pub const FIRST: Self = Self(1);
    /// A call that may reach its tool at most once is repeated only if it never began; graphs that
    /// begin are held to the limits of the state and of a step, and what macros gather to that of a result;
    /// what an expression gives nests no deeper than a value may, and an expression with its lets written out no deeper than
    /// a stack holds.
    const SECOND: Self = Self(2);
    /// Results that a node writes fit the types of their places; `??` takes the place of a key that is not there; a
    /// text may cut slices of a variable that it does not read otherwise.
    const THIRD: Self = Self(3);
    /// The version of new programs.
    pub const NEWEST: Self = Self::THIRD;

    /// All versions, the newest one first.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::FIRST.0..=Self::NEWEST.0).rev().map(Self)
    }

    /// Its number, from 1.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Returns true if `retry` repeats a call that may reach its tool at most once only where it never began. Before,
    /// it did not ask.
    #[must_use]
    pub const fn holds_delivery(self) -> bool {
        self.0 >= Self::SECOND.0
    }

    /// Returns true if the inputs and the state that graphs begin with count to the limit of a run's state, and what is
    /// reported lanes to the limit of what one step may record. Before, only what statements wrote was held to that.
    #[must_use]
    pub const fn bounds_starts(self) -> bool {
        self.0 >= Self::SECOND.0
    }

    /// Returns true if all lists and maps that macros gather at a time are held to what one result may take. Before,
    /// only results of functions were.
    #[must_use]
    pub const fn bounds_macros(self) -> bool {
        self.0 >= Self::SECOND.0
    }

    /// Returns true if a result is written only where it fits the type of its place, with what is missing filled in. Before,
    /// that was so only for what tools answer.
    #[must_use]
    pub const fn fits_results(self) -> bool {
        self.0 >= Self::THIRD.0
    }

    /// Returns true if `??` gives its right side where a key of a map on its left side is not there. Before, only null
    /// counted.
    #[must_use]
    pub const fn coalesces_missing_keys(self) -> bool {
        self.0 >= Self::THIRD.0
    }

    /// Returns true if a text may cut a slice of a variable that it does not read otherwise. Before, that one was undefined.
    #[must_use]
    pub const fn reads_slices(self) -> bool {
        self.0 >= Self::THIRD.0
    }

    /// The number of levels of expressions that may be in progress at a time, those of the lets that are named in them
    /// among them. The first version counted lets alone.
    #[must_use]
    pub const fn most_levels(self) -> u32 {
        if self.0 >= Self::SECOND.0 { MAX_LEVELS } else { u32::MAX }
    }

    /// The depth to which lists and maps may nest in what an expression or a let gives. The first version had no limit:
    /// its runs have one that any stack holds, and that no graph comes near to by accident.
    #[must_use]
    pub const fn deepest(self) -> u32 {
        if self.0 >= Self::SECOND.0 { MAX_DEPTH } else { 256 }
    }
}

impl Default for Semantics {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
