//! Maps in insertion order: a short vector while small, persistent structures from then on.

use std::fmt;
use std::slice;
use std::sync::Arc;

use rpds::{RedBlackTreeMapSync, VectorSync};

use super::same_text::same_text;
use super::weight::{Weight, measure};
use super::{Str, Value};

/// The number of entries up to which a map is one vector, searched from the front.
const MAX_PLAIN_ENTRIES: usize = 32;

type MapEntry = (Str, Value);

/// A map from strings to values that keeps the order of insertion. Clones share their entries; writing to a shared map costs
/// O(log n). Records are maps too.
#[derive(Clone, Default)]
pub struct Map {
    /// `None` is the empty map, so that it needs no memory.
    node: Option<Arc<MapNode>>,
}

#[derive(Clone)]
struct MapNode {
    weight: Weight,
    entries: MapEntries,
}

#[derive(Clone)]
enum MapEntries {
    Small(Vec<MapEntry>),
    Large(Large),
}

/// Entries in order with holes where one was removed, and the place of each key. The index is a tree, not a hash table:
/// keys come from outside, and a tree has no bad case and no random seed.
#[derive(Clone)]
struct Large {
    slots: VectorSync<Option<MapEntry>>,
    places: RedBlackTreeMapSync<Str, usize>,
}

impl Map {
    /// The empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { node: None }
    }

    /// The empty map, with room for so many entries and no more while it is small: most maps have few.
    #[must_use]
    pub(crate) fn with_room(entries: usize) -> Self {
        let mut map = Self::new();
        if entries > 0
            && let MapEntries::Small(room) = &mut map.node_mut().entries
        {
            room.reserve_exact(entries.min(MAX_PLAIN_ENTRIES));
        }
        map
    }

    /// The map without room that nobody uses, if it is small and nobody shares it.
    #[must_use]
    pub(crate) fn fitted(mut self) -> Self {
        if let Some(node) = self.node.as_mut().and_then(Arc::get_mut)
            && let MapEntries::Small(entries) = &mut node.entries
        {
            entries.shrink_to_fit();
        }
        self
    }

    /// A record of these fields, whose names are known to differ.
    #[must_use]
    pub(crate) fn from_fields(fields: Vec<(Str, Value)>) -> Self {
        if fields.is_empty() || fields.len() > MAX_PLAIN_ENTRIES {
            return fields.into_iter().collect();
        }
        let mut weight = Weight::EMPTY;
        for (name, value) in &fields {
            weight.add_key(name);
            weight.add(value);
        }
        Self { node: Some(Arc::new(MapNode { weight, entries: MapEntries::Small(fields) })) }
    }

    /// The number of entries.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        match self.entries() {
            None => 0,
            Some(MapEntries::Small(entries)) => entries.len(),
            Some(MapEntries::Large(large)) => large.places.size(),
        }
    }

    /// Returns true if there is no entry.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self.entries()? {
            MapEntries::Small(entries) => {
                entries.iter().find(|(own, _)| same_text(own, key)).map(|(_, value)| value)
            }
            MapEntries::Large(large) => large.get(key),
        }
    }

    /// The value of `key`, looked for first at entry number `hint`. The answer does not depend on the hint, only the
    /// speed does: for a field of a record the hint is its place in the declaration.
    #[must_use]
    #[inline]
    pub fn get_at(&self, hint: usize, key: &str) -> Option<&Value> {
        let entry = match self.entries()? {
            MapEntries::Small(entries) => entries.get(hint),
            MapEntries::Large(large) => large.slots.get(hint).and_then(Option::as_ref),
        };
        match entry {
            Some((own, value)) if same_text(own, key) => Some(value),
            _ => self.get(key),
        }
    }

    /// The value of `key` in a map that is one vector and has it at entry number `hint`: as [`Map::get_at`], but
    /// without a call.
    #[must_use]
    #[inline]
    pub(crate) fn near(&self, hint: usize, key: &str) -> Option<&Value> {
        match self.entries()? {
            MapEntries::Small(entries) => match entries.get(hint) {
                Some((own, value)) if same_text(own, key) => Some(value),
                _ => None,
            },
            MapEntries::Large(_) => None,
        }
    }

    /// Returns true if `key` has a value, be it null.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of `key` and returns the former one. A new key goes to the end; a known one keeps its place.
    pub fn insert(&mut self, key: Str, value: Value) -> Option<Value> {
        let mut value = Some(value);
        let former = self
            .update(&key, |slot| value.take().map_or(Value::Null, |value| std::mem::replace(slot, value)));
        if let Some(value) = value {
            self.push_new(key, value);
        }
        former
    }

    /// Sets the value of `key`, as [`Map::insert`], if the former value is not wanted.
    pub fn set(&mut self, key: impl Into<Str>, value: impl Into<Value>) {
        let _former = self.insert(key.into(), value.into());
    }

    /// Lets `change` write to the value of `key` in place. `None` if there is no such key.
    pub fn update<R>(&mut self, key: &str, change: impl FnOnce(&mut Value) -> R) -> Option<R> {
        if !self.contains_key(key) {
            return None;
        }
        let node = self.node_mut();
        let slot = match &mut node.entries {
            MapEntries::Small(entries) => &mut entries.iter_mut().find(|(own, _)| own.as_str() == key)?.1,
            MapEntries::Large(large) => {
                let place = *large.places.get(key)?;
                &mut large.slots.get_mut(place)?.as_mut()?.1
            }
        };
        let before = measure(slot);
        let result = change(slot);
        if node.weight.replace(before, Some(slot)) {
            node.weight.settle(node.entries.iter().map(|(_, value)| value));
        }
        Some(result)
    }

    /// Takes `key` out and returns its value. The others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        if !self.contains_key(key) {
            return None;
        }
        let node = self.node_mut();
        let value = match &mut node.entries {
            MapEntries::Small(entries) => {
                let place = entries.iter().position(|(own, _)| own.as_str() == key)?;
                entries.remove(place).1
            }
            MapEntries::Large(large) => large.remove(key)?,
        };
        node.weight.drop_key(key);
        if node.weight.replace(measure(&value), None) {
            node.weight.settle(node.entries.iter().map(|(_, value)| value));
        }
        if let MapEntries::Large(large) = &node.entries
            && large.places.size() <= MAX_PLAIN_ENTRIES / 2
        {
            node.entries = MapEntries::Small(large.entries().cloned().collect());
        }
        Some(value)
    }

    /// The entries in order of insertion.
    #[must_use]
    pub fn iter(&self) -> MapIter<'_> {
        self.entries().map_or(MapIter(Iter::Small([].iter())), MapEntries::iter)
    }

    /// The keys in order of insertion.
    #[must_use]
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Str> {
        self.iter().map(|(key, _)| key)
    }

    /// The values in order of insertion.
    #[must_use]
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.iter().map(|(_, value)| value)
    }

    /// The entries by key, in the byte order of the keys.
    pub(super) fn sorted(&self) -> Vec<(&Str, &Value)> {
        let mut entries: Vec<_> = self.iter().collect();
        entries.sort_unstable_by(|one, two| one.0.as_str().cmp(two.0.as_str()));
        entries
    }

    /// Returns true if both are the very same memory. False says nothing.
    #[must_use]
    pub(super) fn same(&self, other: &Self) -> bool {
        match (&self.node, &other.node) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        }
    }

    /// The place of its entries in memory, if it has any: no map with others has it as long as this one is held.
    #[must_use]
    pub(crate) fn address(&self) -> Option<usize> {
        self.node.as_ref().map(|node| Arc::as_ptr(node).addr())
    }

    #[inline]
    pub(super) fn weight(&self) -> Weight {
        self.node.as_ref().map_or(Weight::EMPTY, |node| node.weight)
    }

    #[inline]
    fn entries(&self) -> Option<&MapEntries> {
        self.node.as_ref().map(|node| &node.entries)
    }

    /// Appends an entry whose key is known to be new.
    fn push_new(&mut self, key: Str, value: Value) {
        let node = self.node_mut();
        node.weight.add_key(&key);
        node.weight.add(&value);
        match &mut node.entries {
            MapEntries::Small(entries) if entries.len() < MAX_PLAIN_ENTRIES => entries.push((key, value)),
            MapEntries::Small(entries) => {
                let mut large = Large::from_entries(entries.drain(..));
                large.push(key, value);
                node.entries = MapEntries::Large(large);
            }
            MapEntries::Large(large) => large.push(key, value),
        }
    }

    fn node_mut(&mut self) -> &mut MapNode {
        Arc::make_mut(self.node.get_or_insert_with(|| {
            Arc::new(MapNode { weight: Weight::EMPTY, entries: MapEntries::Small(Vec::new()) })
        }))
    }
}

impl Large {
    fn from_entries(entries: impl Iterator<Item = MapEntry>) -> Self {
        let mut large = Self { slots: VectorSync::new_sync(), places: RedBlackTreeMapSync::new_sync() };
        entries.for_each(|(key, value)| large.push(key, value));
        large
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.slots.get(*self.places.get(key)?)?.as_ref().map(|(_, value)| value)
    }

    fn push(&mut self, key: Str, value: Value) {
        self.places.insert_mut(key.clone(), self.slots.len());
        self.slots.push_back_mut(Some((key, value)));
    }

    fn remove(&mut self, key: &str) -> Option<Value> {
        let place = *self.places.get(key)?;
        let (_, value) = self.slots.get_mut(place)?.take()?;
        self.places.remove_mut(key);
        // Each removal leaves a hole; closing them all once half are holes costs O(1) per removal.
        if self.slots.len() > 2 * self.places.size() {
            let entries: Vec<MapEntry> = self.entries().cloned().collect();
            *self = Self::from_entries(entries.into_iter());
        }
        Some(value)
    }

    fn entries(&self) -> impl Iterator<Item = &MapEntry> {
        self.slots.iter().flatten()
    }
}

impl MapEntries {
    fn iter(&self) -> MapIter<'_> {
        match self {
            Self::Small(entries) => MapIter(Iter::Small(entries.iter())),
            Self::Large(large) => {
                MapIter(Iter::Large { slots: large.slots.iter(), left: large.places.size() })
            }
        }
    }
}

/// The entries of a [`Map`] in order of insertion.
pub struct MapIter<'a>(Iter<'a>);

enum Iter<'a> {
    Small(slice::Iter<'a, MapEntry>),
    Large { slots: rpds::vector::Iter<'a, Option<MapEntry>, archery::ArcTK>, left: usize },
}

impl<'a> Iterator for MapIter<'a> {
    type Item = (&'a Str, &'a Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = match &mut self.0 {
            Iter::Small(iter) => iter.next()?,
            Iter::Large { slots, left } => {
                let entry = slots.by_ref().flatten().next()?;
                *left -= 1;
                entry
            }
        };
        Some((key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Iter::Small(iter) => iter.size_hint(),
            Iter::Large { left, .. } => (*left, Some(*left)),
        }
    }
}

impl ExactSizeIterator for MapIter<'_> {}

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a Str, &'a Value);
    type IntoIter = MapIter<'a>;

    fn into_iter(self) -> MapIter<'a> {
        self.iter()
    }
}

impl<K: Into<Str>> FromIterator<(K, Value)> for Map {
    /// A key that comes twice keeps its first place and takes its last value.
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Self {
        let mut map = Self::new();
        entries.into_iter().for_each(|(key, value)| map.set(key, value));
        map
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}
