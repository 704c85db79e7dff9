//! Sets of variables.

use smallvec::SmallVec;

use crate::model::expr::SlotId;

/// A set of variables of a graph.
#[derive(Debug, Clone, Default)]
pub(in crate::explore) struct SlotSet(SmallVec<[u64; 2]>);

impl SlotSet {
    pub(super) fn insert(&mut self, slot: SlotId) {
        let (word, bit) = place(slot.0);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    pub(super) fn remove(&mut self, slot: SlotId) {
        let (word, bit) = place(slot.0);
        if let Some(own) = self.0.get_mut(word) {
            *own &= !bit;
        }
    }

    pub(in crate::explore) fn has(&self, slot: SlotId) -> bool {
        let (word, bit) = place(slot.0);
        self.0.get(word).is_some_and(|own| own & bit != 0)
    }

    pub(super) fn with(mut self, other: &Self) -> Self {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            *own |= more;
        }
        self
    }
}

impl PartialEq for SlotSet {
    fn eq(&self, other: &Self) -> bool {
        let most = self.0.len().max(other.0.len());
        let word = |set: &Self, at: usize| set.0.get(at).copied().unwrap_or_default();
        (0..most).all(|at| word(self, at) == word(other, at))
    }
}

impl Eq for SlotSet {}

const fn place(slot: u32) -> (usize, u64) {
    ((slot / 64) as usize, 1 << (slot % 64))
}
