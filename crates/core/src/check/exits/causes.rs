//! Sets of causes for which a node can be left, `done` aside.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use crate::model::expr::BudgetId;
use crate::program::error::ErrorKind;
use crate::value::Str;

/// Kinds of errors that the language knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ErrorKinds(u32);

impl ErrorKinds {
    pub(super) const fn of(kinds: &[ErrorKind]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < kinds.len() {
            bits |= 1 << kinds[at] as u32;
            at += 1;
        }
        Self(bits)
    }

    pub(super) fn all_that(holds: impl Fn(ErrorKind) -> bool) -> Self {
        ErrorKind::ALL.iter().filter(|kind| holds(**kind)).fold(Self::default(), |all, kind| all.with(*kind))
    }

    pub(super) const fn with(self, kind: ErrorKind) -> Self {
        Self(self.0 | 1 << kind as u32)
    }

    pub(super) const fn has(self, kind: ErrorKind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        ErrorKind::ALL.iter().filter(move |kind| self.has(**kind)).map(|kind| kind.name())
    }
}

/// Causes for which a node can be left.
#[derive(Debug, Clone, Default)]
pub(super) struct Causes {
    /// Errors of these kinds.
    pub(super) kinds: ErrorKinds,
    /// Errors of these kinds that a graph declares.
    pub(super) own: BTreeSet<Str>,
    /// Errors of any kind that a graph declares.
    pub(super) any_own: bool,
    /// A call whose outcome nobody knows.
    pub(super) unknown: bool,
    /// A time-out that hides the outcome of a call: `unknown` and `timeout` answer it, `error` does not.
    pub(super) hidden_timeout: bool,
    /// Spends or charges that these budgets refused, sorted.
    pub(super) exhausted: SmallVec<[BudgetId; 4]>,
}

impl Causes {
    /// Adds an error by its name.
    pub(super) fn add_error(&mut self, kind: &str) {
        match ErrorKind::named(kind) {
            Some(kind) => self.kinds = self.kinds.with(kind),
            None => {
                self.own.insert(kind.into());
            }
        }
    }

    pub(super) fn has_error(&self, kind: &str) -> bool {
        match ErrorKind::named(kind) {
            Some(kind) => self.kinds.has(kind),
            None => self.any_own || self.own.contains(kind),
        }
    }

    pub(super) fn add_budget(&mut self, budget: BudgetId) {
        if let Err(place) = self.exhausted.binary_search(&budget) {
            self.exhausted.insert(place, budget);
        }
    }

    pub(super) fn has_budget(&self, budget: BudgetId) -> bool {
        self.exhausted.binary_search(&budget).is_ok()
    }

    pub(super) fn add(&mut self, more: &Self) {
        self.kinds = self.kinds.or(more.kinds);
        self.own.extend(more.own.iter().cloned());
        self.any_own |= more.any_own;
        self.unknown |= more.unknown;
        self.hidden_timeout |= more.hidden_timeout;
        more.exhausted.iter().for_each(|budget| self.add_budget(*budget));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
            && self.own.is_empty()
            && !self.any_own
            && !self.unknown
            && !self.hidden_timeout
            && self.exhausted.is_empty()
    }
}
