//! Some slots, or all of them.

use crate::model::expr::SlotId;

/// More slots than this count as all.
const MAX_SLOTS: usize = 500;

/// Slots that a list writes or a let reads. Of many it is all that are meant: lets and actions that use each other in
/// a long chain would hold them all, each again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FewSlots {
    /// These, sorted.
    Some(Vec<SlotId>),
    /// Any slot.
    All,
}

impl Default for FewSlots {
    fn default() -> Self {
        Self::Some(Vec::new())
    }
}

impl FewSlots {
    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Some(ids) if ids.is_empty())
    }

    /// True if the slot is among them.
    #[must_use]
    pub fn contains(&self, id: SlotId) -> bool {
        match self {
            Self::Some(ids) => ids.binary_search(&id).is_ok(),
            Self::All => true,
        }
    }

    /// Adds a slot.
    pub fn add(&mut self, id: SlotId) {
        let Self::Some(ids) = self else { return };
        let Err(at) = ids.binary_search(&id) else { return };
        if ids.len() < MAX_SLOTS {
            ids.insert(at, id);
        } else {
            *self = Self::All;
        }
    }

    /// Adds others.
    pub fn add_all(&mut self, others: &Self) {
        if self.is_empty() {
            self.clone_from(others);
            return;
        }
        match others {
            Self::Some(ids) => ids.iter().for_each(|id| self.add(*id)),
            Self::All => *self = Self::All,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_all() {
        let mut slots = FewSlots::default();
        let last = u32::try_from(MAX_SLOTS).expect("small");
        (0..last).for_each(|id| slots.add(SlotId(id)));
        assert!(slots.contains(SlotId(7)) && !slots.contains(SlotId(last)));
        let mut both = FewSlots::default();
        both.add(SlotId(last));
        both.add_all(&slots);
        assert_eq!(both, FewSlots::All);
        slots.add_all(&both);
        assert!(slots.contains(SlotId(last)) && !slots.is_empty());
    }
}
