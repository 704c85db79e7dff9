//! Sets of variables, and of single fields of them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::model::expr::SlotId;
use crate::value::{Str, Value};

/// Variables of a graph, and fields of records in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::explore) struct SlotSet(BTreeMap<SlotId, SlotParts>);

/// The part of a variable that is in a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::explore) enum SlotParts {
    /// All of it.
    Whole,
    /// These fields, in order.
    Fields(Vec<Str>),
    /// The number of its items.
    Size,
}

impl SlotSet {
    pub(super) fn insert(&mut self, slot: SlotId) {
        self.0.insert(slot, SlotParts::Whole);
    }

    pub(super) fn insert_field(&mut self, slot: SlotId, name: &Str) {
        self.insert_parts(slot, &SlotParts::Fields(vec![name.clone()]));
    }

    /// Adds the size of a list.
    pub(super) fn insert_size(&mut self, slot: SlotId) {
        self.insert_parts(slot, &SlotParts::Size);
    }

    fn insert_parts(&mut self, slot: SlotId, parts: &SlotParts) {
        match self.0.entry(slot) {
            Entry::Vacant(place) => {
                place.insert(parts.clone());
            }
            Entry::Occupied(mut own) => own.get_mut().add(parts),
        }
    }

    pub(super) fn remove(&mut self, slot: SlotId) {
        self.0.remove(&slot);
    }

    /// The parts of a variable that are in the set.
    pub(in crate::explore) fn parts(&self, slot: SlotId) -> Option<&SlotParts> {
        self.0.get(&slot)
    }

    pub(super) fn with(mut self, other: &Self) -> Self {
        for (slot, parts) in &other.0 {
            self.insert_parts(*slot, parts);
        }
        self
    }

    /// The variables, and the parts of them.
    pub(in crate::explore) fn iter(&self) -> impl Iterator<Item = (SlotId, &SlotParts)> {
        self.0.iter().map(|(slot, parts)| (*slot, parts))
    }
}

impl SlotParts {
    pub(super) fn add(&mut self, more: &Self) {
        match (&mut *self, more) {
            (Self::Size, Self::Size) | (Self::Whole, _) => {}
            (Self::Fields(names), Self::Fields(more)) => {
                for name in more {
                    if let Err(place) = names.binary_search(name) {
                        names.insert(place, name.clone());
                    }
                }
            }
            _ => *self = Self::Whole,
        }
    }

    /// The parts of a value by name. A value that is no map is a part of its own.
    pub(in crate::explore) fn of<'v>(&'v self, value: &'v Value) -> SeenParts<'v> {
        match (self, value) {
            (Self::Fields(names), Value::Map(map)) => {
                SeenParts::Fields(names.iter().map(|name| (name, map.get(name))).collect())
            }
            (Self::Size, Value::List(list)) => SeenParts::Size(list.len()),
            _ => SeenParts::Whole(value),
        }
    }
}

/// The parts of a value that are in a set.
#[derive(Debug)]
pub(in crate::explore) enum SeenParts<'v> {
    Whole(&'v Value),
    Fields(Vec<(&'v Str, Option<&'v Value>)>),
    Size(usize),
}
