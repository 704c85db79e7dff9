//! Lists: a plain vector while small, a persistent vector from then on.

use std::fmt;
use std::ops::Range;
use std::slice;
use std::sync::Arc;

use rpds::VectorSync;

use super::Value;
use super::weight::{Weight, measure};

/// The number of elements up to which a list is one plain vector, copied whole when a shared one is written.
const MAX_PLAIN_ELEMENTS: usize = 64;

/// A list of values. Clones share their elements; writing to a shared list costs O(log n).
#[derive(Clone, Default)]
pub struct List {
    /// `None` is the empty list, so that it needs no memory.
    node: Option<Arc<ListNode>>,
}

#[derive(Clone)]
struct ListNode {
    weight: Weight,
    items: Items,
}

#[derive(Clone)]
enum Items {
    Small(Vec<Value>),
    Large(VectorSync<Value>),
}

impl List {
    /// The empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { node: None }
    }

    /// The number of elements.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        match self.items() {
            None => 0,
            Some(Items::Small(items)) => items.len(),
            Some(Items::Large(items)) => items.len(),
        }
    }

    /// Returns true if there is no element.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`, counted from 0.
    #[must_use]
    #[inline]
    pub fn get(&self, index: usize) -> Option<&Value> {
        match self.items()? {
            Items::Small(items) => items.get(index),
            Items::Large(items) => items.get(index),
        }
    }

    /// The element at `index` of a list that is one plain vector: as [`List::get`], but without a call.
    #[must_use]
    #[inline]
    pub(crate) fn near(&self, index: usize) -> Option<&Value> {
        match self.items()? {
            Items::Small(items) => items.get(index),
            Items::Large(_) => None,
        }
    }

    /// The list without room that nobody uses, if it is small and nobody shares it.
    #[must_use]
    pub(crate) fn fitted(mut self) -> Self {
        if let Some(Items::Small(items)) = self.node.as_mut().and_then(Arc::get_mut).map(|n| &mut n.items) {
            items.shrink_to_fit();
        }
        self
    }

    /// The last element.
    #[must_use]
    pub fn last(&self) -> Option<&Value> {
        self.len().checked_sub(1).and_then(|index| self.get(index))
    }

    /// The elements at places that are there, counted from 0. Of all places it is the list itself.
    #[must_use]
    pub(crate) fn slice(&self, places: Range<usize>) -> Self {
        if places == (0..self.len()) {
            return self.clone();
        }
        let mut part = Vec::with_capacity(places.len().min(self.len()));
        part.extend(places.filter_map(|at| self.get(at)).cloned());
        part.into()
    }

    /// Appends an element.
    pub fn push(&mut self, value: Value) {
        let node = self.node_mut();
        node.weight.add(&value);
        match &mut node.items {
            Items::Small(items) if items.len() < MAX_PLAIN_ELEMENTS => items.push(value),
            Items::Small(items) => {
                let mut large: VectorSync<Value> = items.drain(..).collect();
                large.push_back_mut(value);
                node.items = Items::Large(large);
            }
            Items::Large(items) => items.push_back_mut(value),
        }
    }

    /// Takes the last element off. It undoes a [`List::push`] without a copy of the list.
    pub fn pop(&mut self) -> Option<Value> {
        let last = self.last()?.clone();
        let node = self.node_mut();
        let settle = node.weight.replace(measure(&last), None);
        match &mut node.items {
            Items::Small(items) => {
                items.pop();
            }
            Items::Large(items) => {
                items.drop_last_mut();
            }
        }
        if settle {
            match &node.items {
                Items::Small(items) => node.weight.settle(items.iter()),
                Items::Large(items) => node.weight.settle(items.iter()),
            }
        }
        Some(last)
    }

    /// Replaces the element at `index`. False, and no change, if there is none.
    pub fn set(&mut self, index: usize, value: Value) -> bool {
        self.update(index, |slot| *slot = value).is_some()
    }

    /// Lets `change` write to the element at `index` in place. `None` if there is no such element.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut Value) -> R) -> Option<R> {
        if index >= self.len() {
            return None;
        }
        let node = self.node_mut();
        let slot = match &mut node.items {
            Items::Small(items) => items.get_mut(index)?,
            Items::Large(items) => items.get_mut(index)?,
        };
        let before = measure(slot);
        let result = change(slot);
        if node.weight.replace(before, Some(slot)) {
            node.weight.settle(node.items.iter());
        }
        Some(result)
    }

    /// The elements in order.
    #[must_use]
    pub fn iter(&self) -> ListIter<'_> {
        self.items().map_or(ListIter(Iter::Small([].iter())), Items::iter)
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

    #[inline]
    pub(super) fn weight(&self) -> Weight {
        self.node.as_ref().map_or(Weight::EMPTY, |node| node.weight)
    }

    #[inline]
    fn items(&self) -> Option<&Items> {
        self.node.as_ref().map(|node| &node.items)
    }

    fn node_mut(&mut self) -> &mut ListNode {
        Arc::make_mut(self.node.get_or_insert_with(|| {
            Arc::new(ListNode { weight: Weight::EMPTY, items: Items::Small(Vec::new()) })
        }))
    }
}

impl Items {
    fn iter(&self) -> ListIter<'_> {
        match self {
            Self::Small(items) => ListIter(Iter::Small(items.iter())),
            Self::Large(items) => ListIter(Iter::Large(items.iter())),
        }
    }
}

/// The elements of a [`List`] in order.
pub struct ListIter<'a>(Iter<'a>);

enum Iter<'a> {
    Small(slice::Iter<'a, Value>),
    Large(rpds::vector::Iter<'a, Value, archery::ArcTK>),
}

impl<'a> Iterator for ListIter<'a> {
    type Item = &'a Value;

    #[inline]
    fn next(&mut self) -> Option<&'a Value> {
        match &mut self.0 {
            Iter::Small(iter) => iter.next(),
            Iter::Large(iter) => iter.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Iter::Small(iter) => iter.size_hint(),
            Iter::Large(iter) => iter.size_hint(),
        }
    }
}

impl DoubleEndedIterator for ListIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Iter::Small(iter) => iter.next_back(),
            Iter::Large(iter) => iter.next_back(),
        }
    }
}

impl ExactSizeIterator for ListIter<'_> {}

impl<'a> IntoIterator for &'a List {
    type Item = &'a Value;
    type IntoIter = ListIter<'a>;

    fn into_iter(self) -> ListIter<'a> {
        self.iter()
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> Self {
        if items.is_empty() {
            return Self::new();
        }
        let mut weight = Weight::EMPTY;
        for item in &items {
            weight.add(item);
        }
        let items = if items.len() <= MAX_PLAIN_ELEMENTS {
            let mut items = items;
            // Of many short lists, most of the memory would be room that nobody uses.
            items.shrink_to_fit();
            Items::Small(items)
        } else {
            Items::Large(items.into_iter().collect())
        };
        Self { node: Some(Arc::new(ListNode { weight, items })) }
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        items.into_iter().collect::<Vec<_>>().into()
    }
}

impl Extend<Value> for List {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}
