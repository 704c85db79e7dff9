//! The cost of a path: a formula, and a number worked out beside it.
//!
//! The greater of two formulas is no formula, so that a formula is often larger than need be; the number is not.

use super::formula::Formula;

/// A cost. Numbers saturate at [`u64::MAX`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Cost {
    /// With every unknown at its value, or at a value to compare by.
    pub(super) number: u64,
    pub(super) formula: Formula,
}

impl Cost {
    pub(super) const fn of(number: u64) -> Self {
        Self { number, formula: Formula::constant(number) }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.number = self.number.saturating_add(other.number);
        self.formula.add(&other.formula);
    }

    pub(super) fn raise(&mut self, other: &Self) {
        self.number = self.number.max(other.number);
        self.formula.raise(&other.formula);
    }

    /// Takes `other` away, never going below 0. A cost that is too large to be counted stays so.
    pub(super) fn lower(&mut self, other: &Self) {
        if self.number < u64::MAX {
            self.number = self.number.saturating_sub(other.number);
        }
        self.formula.lower(&other.formula);
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        Self { number: self.number.saturating_mul(other.number), formula: self.formula.times(&other.formula) }
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.number == 0 && self.formula == Formula::default()
    }
}
