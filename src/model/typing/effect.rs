//! What a statement list does to what is known.

use super::facts::{Facts, Path};

/// A write that makes facts uncertain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Where to.
    pub path: Path,
    /// Whether only what lies below the path is written: an element whose index is computed.
    pub below: bool,
}

/// What a statement list does: where it writes, what is known behind it.
#[derive(Debug, Clone, Default)]
pub struct Effect {
    /// The writes, in no particular order.
    pub writes: Vec<Write>,
    /// Whether a budget is spent.
    pub spends: bool,
    /// What is known behind it, whatever was known before.
    pub after: Facts,
}
