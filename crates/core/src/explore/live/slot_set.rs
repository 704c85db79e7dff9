//! Sets of variables, and of single fields of them.

use std::collections::BTreeMap;

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
}

impl SlotSet {
    pub(super) fn insert(&mut self, slot: SlotId) {
        self.0.insert(slot, SlotParts::Whole);
    }

    pub(super) fn insert_field(&mut self, slot: SlotId, name: &Str) {
        self.0.entry(slot).or_insert_with(|| SlotParts::Fields(Vec::new())).add(std::slice::from_ref(name));
    }

    pub(super) fn remove(&mut self, slot: SlotId) {
        self.0.remove(&slot);
    }

    pub(super) fn has(&self, slot: SlotId) -> bool {
        self.0.contains_key(&slot)
    }

    pub(super) fn with(mut self, other: &Self) -> Self {
        for (slot, parts) in &other.0 {
            match parts {
                SlotParts::Whole => self.insert(*slot),
                SlotParts::Fields(names) => {
                    self.0.entry(*slot).or_insert_with(|| SlotParts::Fields(Vec::new())).add(names);
                }
            }
        }
        self
    }

    /// The variables, and the parts of them.
    pub(in crate::explore) fn iter(&self) -> impl Iterator<Item = (SlotId, &SlotParts)> {
        self.0.iter().map(|(slot, parts)| (*slot, parts))
    }
}

impl SlotParts {
    fn add(&mut self, more: &[Str]) {
        let Self::Fields(names) = self else { return };
        for name in more {
            if let Err(place) = names.binary_search(name) {
                names.insert(place, name.clone());
            }
        }
    }

    /// The parts of a value by name. A value that is no map is a part of its own.
    pub(in crate::explore) fn of<'v>(&'v self, value: &'v Value) -> SeenParts<'v> {
        match (self, value) {
            (Self::Fields(names), Value::Map(map)) => {
                SeenParts::Fields(names.iter().map(|name| (name, map.get(name))).collect())
            }
            _ => SeenParts::Whole(value),
        }
    }
}

/// The parts of a value that are in a set.
#[derive(Debug, Hash)]
pub(in crate::explore) enum SeenParts<'v> {
    Whole(&'v Value),
    Fields(Vec<(&'v Str, Option<&'v Value>)>),
}

impl<'v> SeenParts<'v> {
    /// The values, in order.
    pub(in crate::explore) fn values(&self) -> impl Iterator<Item = &'v Value> {
        let (whole, fields) = match self {
            Self::Whole(value) => (Some(*value), &[][..]),
            Self::Fields(fields) => (None, fields.as_slice()),
        };
        whole.into_iter().chain(fields.iter().filter_map(|(_, value)| *value))
    }
}
