//! What statements changed: the deltas events carry.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::value::{PathSeg, Str, Value};

/// What one atomic unit changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Changes {
    /// Writes that hold, in order.
    #[serde(default, skip_serializing_if = "SmallVec::is_empty")]
    pub writes: SmallVec<[Write; 1]>,
    /// Spends that were made, also those of a unit that failed.
    #[serde(default, skip_serializing_if = "SmallVec::is_empty")]
    pub spends: SmallVec<[Spend; 1]>,
    /// `emit`s.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emits: Vec<Emit>,
    /// Ids of the `if` branches taken.
    #[serde(default, skip_serializing_if = "SmallVec::is_empty")]
    pub branches: SmallVec<[u32; 4]>,
}

impl Changes {
    /// The bytes they take, roughly: the values with all in them.
    #[must_use]
    pub fn size(&self) -> usize {
        let write = |write: &Write| {
            size_of::<Write>() + write.path.len() * size_of::<PathSeg>() + write.value.size_estimate()
        };
        let emit = |emit: &Emit| size_of::<Emit>() + emit.payload.size_estimate();
        let parts = self.writes.iter().map(write).chain(self.emits.iter().map(emit));
        let fixed = self.spends.len() * size_of::<Spend>() + self.branches.len() * size_of::<u32>();
        parts.fold(fixed, usize::saturating_add)
    }
}

/// A write.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Write {
    /// The variable.
    pub slot: u32,
    /// The way down from it.
    pub path: Box<[PathSeg]>,
    /// `+=` on a list: the value was appended.
    pub append: bool,
    /// The new value, or the appended item.
    pub value: Value,
}

/// A spend.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spend {
    /// The budget's index in the frame's graph.
    pub budget: u32,
    /// The key of its family.
    pub key: Option<Str>,
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
