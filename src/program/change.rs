//! What statements changed: the deltas events carry.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::value::{PathSeg, Str, Value};

/// What one atomic unit changed, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct Changes(Vec<Change>);

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A write that holds.
    Write(Write),
    /// A spend that was made, also one of a unit that failed.
    Spend(Spend),
    /// An `emit`.
    Emit(Box<Emit>),
    /// The `if` branch of this id was taken.
    Branch(u32),
}

impl Changes {
    /// Whether nothing changed.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes they take, what stands in their values and paths left out.
    #[must_use]
    #[inline]
    pub const fn room(&self) -> usize {
        self.0.capacity() * size_of::<Change>()
    }

    /// Appends a change.
    #[inline]
    pub fn push(&mut self, change: Change) {
        self.0.push(change);
    }

    /// The writes in order.
    pub fn writes(&self) -> impl Iterator<Item = &Write> {
        self.0.iter().filter_map(|change| if let Change::Write(write) = change { Some(write) } else { None })
    }

    /// The spends in order.
    pub fn spends(&self) -> impl Iterator<Item = &Spend> {
        self.0.iter().filter_map(|change| if let Change::Spend(spend) = change { Some(spend) } else { None })
    }

    /// The emits in order.
    pub fn emits(&self) -> impl Iterator<Item = &Emit> {
        self.0.iter().filter_map(|change| if let Change::Emit(emit) = change { Some(&**emit) } else { None })
    }

    /// The ids of the `if` branches taken, in order.
    pub fn branches(&self) -> impl Iterator<Item = u32> {
        self.0.iter().filter_map(|change| if let Change::Branch(id) = change { Some(*id) } else { None })
    }

    /// Forgets writes and emits: the unit failed. Spends and branches stay.
    pub fn take_back(&mut self) {
        self.0.retain(|change| matches!(change, Change::Spend(_) | Change::Branch(_)));
    }
}

impl FromIterator<Change> for Changes {
    fn from_iter<I: IntoIterator<Item = Change>>(changes: I) -> Self {
        Self(changes.into_iter().collect())
    }
}

/// A write.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Write {
    /// The variable.
    pub slot: u32,
    /// The way down from it.
    pub path: Path,
    /// `+=` on a list: the value was appended.
    pub append: bool,
    /// The new value, or the appended item.
    pub value: Value,
}

/// The way down from a variable; nearly always there is none, so that it is one pointer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(from = "Box<[PathSeg]>", into = "Box<[PathSeg]>")]
pub struct Path(Option<Box<Box<[PathSeg]>>>);

impl From<Box<[PathSeg]>> for Path {
    #[inline]
    fn from(path: Box<[PathSeg]>) -> Self {
        if path.is_empty() { Self(None) } else { Self(Some(Box::new(path))) }
    }
}

impl From<Path> for Box<[PathSeg]> {
    fn from(path: Path) -> Self {
        path.0.map_or_else(Self::default, |path| *path)
    }
}

impl Deref for Path {
    type Target = [PathSeg];

    fn deref(&self) -> &[PathSeg] {
        self.0.as_ref().map_or(&[], |path| path)
    }
}

/// A spend.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spend {
    /// The budget's index in the frame's graph.
    pub budget: u32,
    /// The key of its family.
    pub key: Option<Box<Str>>,
    /// How much.
    pub amount: i64,
}

/// An `emit`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Emit {
    /// The name.
    pub name: Str,
    /// The payload.
    pub payload: Value,
}

#[cfg(test)]
mod tests {
    use super::Change;

    #[test]
    fn a_change_is_small() {
        // Every step makes some of them: the allocator is fastest for few small pieces.
        assert!(size_of::<Change>() <= 40, "{}", size_of::<Change>());
    }
}
