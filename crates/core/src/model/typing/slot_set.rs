//! A set of slots that is cheap to copy, to join and to compare: every point of the flow has one.

use std::sync::Arc;

use crate::model::expr::SlotId;

/// A set of slots, one bit each.
#[derive(Debug, Clone, Default)]
pub(super) struct SlotSet {
    /// The first 64 slots: most graphs have no more.
    low: u64,
    /// The others.
    high: Option<Arc<Vec<u64>>>,
}

impl SlotSet {
    pub(super) fn is_empty(&self) -> bool {
        self.low == 0 && self.high().iter().all(|word| *word == 0)
    }

    pub(super) fn contains(&self, id: SlotId) -> bool {
        let (word, bit) = place(id);
        match word.checked_sub(1) {
            None => self.low & bit != 0,
            Some(at) => self.high().get(at).is_some_and(|word| word & bit != 0),
        }
    }

    pub(super) fn insert(&mut self, id: SlotId) {
        let (word, bit) = place(id);
        match word.checked_sub(1) {
            None => self.low |= bit,
            Some(_) if self.contains(id) => {}
            Some(at) => {
                let high = Arc::make_mut(self.high.get_or_insert_default());
                if high.len() <= at {
                    high.resize(at + 1, 0);
                }
                high[at] |= bit;
            }
        }
    }

    pub(super) fn remove(&mut self, id: SlotId) {
        let (word, bit) = place(id);
        match (word.checked_sub(1), &mut self.high) {
            (None, _) => self.low &= !bit,
            (Some(at), Some(high)) if high.get(at).is_some_and(|word| word & bit != 0) => {
                Arc::make_mut(high)[at] &= !bit;
            }
            _ => {}
        }
    }

    /// The slots that are in both.
    pub(super) fn meet(&self, other: &Self) -> Self {
        let high = match (&self.high, &other.high) {
            (Some(a), Some(b)) if includes(b, a) => Some(Arc::clone(a)),
            (Some(a), Some(b)) => Some(Arc::new(a.iter().zip(b.iter()).map(|(a, b)| a & b).collect())),
            _ => None,
        };
        Self { low: self.low & other.low, high }
    }

    /// Adds what is in the other.
    pub(super) fn join(&mut self, other: &Self) {
        self.low |= other.low;
        let Some(theirs) = &other.high else { return };
        if includes(theirs, self.high()) {
            self.high = Some(Arc::clone(theirs));
        } else if !includes(self.high(), theirs) {
            let high = Arc::make_mut(self.high.get_or_insert_default());
            high.resize(high.len().max(theirs.len()), 0);
            high.iter_mut().zip(theirs.iter()).for_each(|(own, word)| *own |= word);
        }
    }

    fn high(&self) -> &[u64] {
        self.high.as_deref().map_or(&[], Vec::as_slice)
    }
}

impl PartialEq for SlotSet {
    fn eq(&self, other: &Self) -> bool {
        self.low == other.low && includes(self.high(), other.high()) && includes(other.high(), self.high())
    }
}

impl Eq for SlotSet {}

/// The word of a slot's bit, and the bit.
const fn place(id: SlotId) -> (usize, u64) {
    (id.0 as usize / 64, 1 << (id.0 % 64))
}

/// True if all bits of `few` are set in `many`.
fn includes(many: &[u64], few: &[u64]) -> bool {
    std::ptr::eq(many, few)
        || few.iter().enumerate().all(|(at, word)| word & !many.get(at).copied().unwrap_or(0) == 0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(ids: &BTreeSet<u32>) -> SlotSet {
        let mut set = SlotSet::default();
        for id in ids {
            set.insert(SlotId(*id));
        }
        set
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_is_a_set(
            one in prop::collection::btree_set(0..300_u32, 0..20),
            other in prop::collection::btree_set(0..300_u32, 0..20),
            removed in 0..300_u32,
        ) {
            let (a, b) = (set(&one), set(&other));
            prop_assert_eq!(a.is_empty(), one.is_empty());
            prop_assert_eq!(a == b, one == other);
            prop_assert!((0..300).all(|id| a.contains(SlotId(id)) == one.contains(&id)));
            prop_assert!(a.meet(&b) == set(&(&one & &other)));
            let mut joined = a.clone();
            joined.join(&b);
            prop_assert!(joined == set(&(&one | &other)));
            joined.remove(SlotId(removed));
            prop_assert!(joined == set(&(&(&one | &other) - &BTreeSet::from([removed]))));
        }
    }
}
