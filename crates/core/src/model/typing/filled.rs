//! The count of what defaults of types fill in.

use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};

use crate::source::Span;

/// The most values that defaults fill in where one record is built.
pub(super) const MAX_FILLED: usize = 30_000;

/// The deepest nesting of what defaults fill in. A default that holds a record is as deep as that one's defaults and
/// one more.
pub(super) const MAX_FILLED_DEPTH: usize = 160;

/// The most values that defaults fill in in all graphs of a model together. Each is typed, kept and compiled by itself.
pub(super) const MAX_FILLED_IN_ALL: usize = 300_000;

/// The number of values that were filled in at each place of a model. Clones share the count.
///
/// An expression is typed several times while facts flow along the edges, and counts once.
#[derive(Debug, Clone, Default)]
pub(super) struct Filled(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    places: FxHashMap<u64, usize>,
    all: usize,
}

impl Filled {
    /// Returns true if more was filled in than may be.
    pub(super) fn is_too_much(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).all > MAX_FILLED_IN_ALL
    }

    /// Counts what is filled in where a record is built, with the uses of the lets on the way there. False if that is
    /// too much in all.
    pub(super) fn admits(&self, span: Span, uses: &[Span], values: usize) -> bool {
        if values == 0 {
            return true;
        }
        let mut place = FxHasher::default();
        (span, uses).hash(&mut place);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Counts { places, all } = &mut *counts;
        // A default that waits for another one has fewer values at first.
        let known = places.entry(place.finish()).or_default();
        *all += values.saturating_sub(*known);
        *known = values.max(*known);
        *all <= MAX_FILLED_IN_ALL
    }
}
