//! The extended state of one running graph.

use serde::{Deserialize, Serialize};

use crate::value::{Str, Value};

/// The memory of one run of one graph: variables, counters, where it is. It is part of the machine's snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Frame {
    /// Index of the graph in the program.
    pub graph: u32,
    /// Variables.
    pub slots: Vec<Value>,
    /// Counters of plain budgets; a meter's entry is unused.
    pub counters: Vec<Counters>,
    /// Counters of families.
    pub families: Vec<FamilyCounters>,
    /// The number of times that each node was entered.
    pub visits: Vec<u32>,
    /// The node the run is in.
    pub node: u32,
    /// Transitions taken.
    pub steps: u64,
    /// `result`.
    pub result: Value,
    /// `error`.
    pub error: Value,
    /// `outcome` of the inner final entered last.
    pub outcome: Value,
}

/// One counter with its limit, fixed at the start (or at the entry of its composite).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Counters {
    /// The amount that was spent.
    pub used: i64,
    /// The limit, at least 0.
    pub limit: i64,
    /// The amount that may be spent past it, at least 0.
    pub grace: i64,
}

impl Counters {
    /// The amount left up to the limit, never below 0.
    #[must_use]
    pub fn left(self) -> i64 {
        self.limit.saturating_sub(self.used).max(0)
    }

    /// Returns true if nothing is left.
    #[must_use]
    pub const fn exhausted(self) -> bool {
        self.used >= self.limit
    }

    /// Returns true if a hard gate lets `amount` through.
    #[must_use]
    pub fn admits(self, amount: i64) -> bool {
        // What cannot be counted any more is past every limit.
        let used = self.used.checked_add(amount);
        used.is_some_and(|used| used <= self.limit.saturating_add(self.grace))
    }
}

/// The counters of a family: for each key one row of meters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct FamilyCounters {
    /// The keys in order.
    pub keys: Vec<Str>,
    /// One row of meters per key.
    pub rows: Vec<Vec<Counters>>,
}
