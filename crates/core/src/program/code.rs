//! Statements as a flat table.

use super::op::{Counter, OpId};

/// A range of [`Program::codes`](super::Program::codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Block {
    /// First statement.
    pub start: u32,
    /// The number of them.
    pub len: u32,
}

impl Block {
    /// Returns true if there is nothing to run.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Code {
    /// `slot.path = value` or `+=`.
    Assign {
        /// The variable.
        slot: u32,
        /// The way down.
        steps: Box<[Step]>,
        /// `+=`.
        add: bool,
        /// The operation that gives the value.
        value: OpId,
    },
    /// `let local = value`.
    Let(u32, OpId),
    /// `spend counter by amount`; no amount is 1.
    Spend(Counter, Option<OpId>),
    /// `emit name payload`.
    Emit(u32, Option<OpId>),
    /// `if`: each arm has a branch id, counted up from `branch`; the otherwise has the last one.
    If {
        /// The id of the first branch.
        branch: u32,
        /// Conditions and what they guard.
        arms: Box<[(OpId, Block)]>,
        /// The `else`; empty when there is none.
        otherwise: Block,
    },
    /// An action of the frame's graph.
    Call(u32),
    /// `for local in list`.
    For(LoopPlaces, OpId, Block),
    /// `fail kind message`.
    Fail(u32, Option<OpId>),
}

/// The locals of a `for`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopPlaces {
    /// The item's index, from 0.
    pub index: Option<u32>,
    /// The item.
    pub item: u32,
}

/// A step of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A record's field: its name and position.
    Field(u32, u32),
    /// A list's index or map's key.
    Index(OpId),
}
