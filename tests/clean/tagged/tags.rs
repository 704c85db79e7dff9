//! Tags of values: which sources something in a value came from, as a run really goes.

use std::collections::BTreeMap;

use loopwright::value::Str;

/// A set of sources, two bits each: the lower half holds those that a value is made of, the upper half those that decided about it.
pub(super) type Sources = u64;

/// The most sources of a graph.
pub(super) const MAX_SOURCES: usize = 32;

/// What a value has that all these sources decided about.
pub(super) const fn deciding(sources: Sources) -> Sources {
    (sources | sources >> MAX_SOURCES) << MAX_SOURCES
}

/// The sources of a decision: what it is made of, and what decided about that.
pub(super) const fn of_decision(sources: Sources) -> Sources {
    (sources | sources >> MAX_SOURCES) & ((1 << MAX_SOURCES) - 1)
}

/// Values deeper than this are tagged as a whole.
const MAX_DEPTH: usize = 8;

/// A step down into a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TagStep {
    Key(Str),
    /// Any item of a list, or any value of a map.
    Item,
}

/// The tags of a value and of what lies in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tags {
    pub(super) own: Sources,
    below: BTreeMap<TagStep, Tags>,
}

impl Tags {
    pub(super) fn of(own: Sources) -> Self {
        Self { own, below: BTreeMap::new() }
    }

    /// All tags in it.
    pub(super) fn all(&self) -> Sources {
        self.below.values().fold(self.own, |all, inner| all | inner.all())
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.own |= other.own;
        for (step, tags) in &other.below {
            self.below.entry(step.clone()).or_default().merge(tags);
        }
    }

    pub(super) fn merged(mut self, other: &Self) -> Self {
        self.merge(other);
        self
    }

    /// The tags of what lies below.
    pub(super) fn child(&self, step: &TagStep) -> Self {
        let mut found = Self::of(self.own);
        for (own, tags) in &self.below {
            if own == step || *own == TagStep::Item || *step == TagStep::Item {
                found.merge(tags);
            }
        }
        found
    }

    /// True for what surely is a map or record.
    pub(super) fn has_keys(&self) -> bool {
        self.below.keys().any(|step| matches!(step, TagStep::Key(_)))
    }

    /// A value that holds this one at a step.
    pub(super) fn inside(self, step: TagStep) -> Self {
        Self { own: 0, below: BTreeMap::from([(step, self)]) }.pruned(0)
    }

    /// Writes below. A field that is known takes the place of what was there.
    pub(super) fn put(&mut self, steps: &[TagStep], value: Self) {
        match steps {
            [] => *self = value,
            [TagStep::Item, rest @ ..] => {
                let inner = self.below.entry(TagStep::Item).or_default();
                let mut new = inner.clone();
                new.put(rest, value);
                inner.merge(&new);
            }
            [step, rest @ ..] => self.below.entry(step.clone()).or_default().put(rest, value),
        }
        *self = std::mem::take(self).pruned(0);
    }

    fn pruned(self, depth: usize) -> Self {
        if depth == MAX_DEPTH {
            return Self::of(self.all());
        }
        let below = self.below.into_iter().map(|(step, tags)| (step, tags.pruned(depth + 1)));
        Self { own: self.own, below: below.filter(|(_, tags)| *tags != Self::default()).collect() }
    }
}
