//! The effect of a statement list on facts.

use std::collections::BTreeSet;

use super::facts::{Facts, Path, Root};
use super::few_slots::FewSlots;
use crate::model::expr::SlotId;
use crate::value::Str;

/// A list that writes to more fields than this, with the actions it runs, counts as writing to the whole of what they
/// lie in.
const MAX_WRITTEN_FIELDS: usize = 32;

/// A write that makes facts uncertain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The place that is written.
    pub path: Path,
    /// True if only what lies below the path is written: an element whose index is computed.
    pub below: bool,
}

impl Write {
    /// The slot that is written, if it is written as a whole.
    fn slot(&self) -> Option<SlotId> {
        match self.path.root {
            Root::Slot(id) if self.path.fields.is_empty() && !self.below => Some(id),
            _ => None,
        }
    }
}

/// The places that a statement list writes, each once. Many places are taken for more than they are.
#[derive(Debug, Clone, Default)]
pub struct Writes {
    /// Slots that are written as a whole.
    pub(super) slots: FewSlots,
    /// Places inside of slots.
    pub(super) fields: Vec<Write>,
}

impl Writes {
    /// Adds a write.
    pub fn add(&mut self, write: &Write) {
        if self.slots == FewSlots::All || self.fields.contains(write) {
            return;
        }
        match (write.slot(), write.path.root) {
            (None, Root::Slot(_)) if self.fields.len() < MAX_WRITTEN_FIELDS => {
                self.fields.push(write.clone());
            }
            (None, Root::Slot(id)) | (Some(id), _) => self.slots.add(id),
            (None, _) => {}
        }
        self.settle();
    }

    /// Adds all writes of another list.
    pub fn add_all(&mut self, others: &Self) {
        self.slots.add_all(&others.slots);
        self.settle();
        others.fields.iter().for_each(|write| self.add(write));
    }

    fn settle(&mut self) {
        if self.slots == FewSlots::All {
            self.fields.clear();
        }
    }
}

/// The effect of a statement list: the places it writes, the facts after it.
#[derive(Debug, Clone, Default)]
pub struct Effect {
    /// The writes.
    pub writes: Writes,
    /// True if a budget is spent.
    pub spends: bool,
    /// The kinds that its `fail` statements name.
    pub fails: BTreeSet<Str>,
    /// The facts after it, whatever was known before.
    pub after: Facts,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(id: u32) -> Write {
        Write { path: Path::root(Root::Slot(SlotId(id))), below: false }
    }

    fn field(id: u32, name: &str) -> Write {
        let mut write = slot(id);
        write.path.fields.push(Str::from(name));
        write
    }

    #[test]
    fn a_place_is_kept_once() {
        let mut writes = Writes::default();
        for write in [slot(2), field(1, "a"), slot(1), slot(2), field(1, "a"), field(1, "b")] {
            writes.add(&write);
        }
        let mut both = writes.clone();
        both.add_all(&writes);
        for writes in [writes, both] {
            assert_eq!(writes.slots, FewSlots::Some(vec![SlotId(1), SlotId(2)]));
            assert_eq!(writes.fields, [field(1, "a"), field(1, "b")]);
        }
    }

    #[test]
    fn many_places_are_taken_for_more() {
        let mut writes = Writes::default();
        for i in 0..=u32::try_from(MAX_WRITTEN_FIELDS).expect("small") {
            writes.add(&field(7, &i.to_string()));
        }
        assert_eq!(
            (writes.fields.len(), &writes.slots),
            (MAX_WRITTEN_FIELDS, &FewSlots::Some(vec![SlotId(7)]))
        );
        (0..1_000).for_each(|i| writes.add(&slot(i)));
        assert!(writes.slots == FewSlots::All && writes.fields.is_empty());
    }
}
