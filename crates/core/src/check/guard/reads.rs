//! The places that the values of subjects are read from.

use super::subject::SubjectKey;
use super::term::{Head, Terms};
use crate::model::Graph;
use crate::model::expr::{BudgetId, SlotId};

/// The places that a subject reads.
#[derive(Debug, Clone, Default)]
pub(super) struct Reads {
    pub(super) slots: Vec<SlotId>,
    pub(super) budgets: Vec<BudgetId>,
    /// True for what changes without a statement: steps, visits, the clock, errors and results.
    pub(super) changes: bool,
}

impl Reads {
    /// The places that the value of a subject is read from.
    pub(super) fn of(graph: &Graph, terms: &Terms, key: SubjectKey) -> Self {
        let mut reads = Self::default();
        let mut open = match key {
            SubjectKey::One(id) => vec![id],
            SubjectKey::Pair(a, b) => vec![a, b],
        };
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let term = terms.get(id);
            open.extend(term.parts.iter().copied());
            match term.head {
                Head::Slot(slot) => reads.slots.push(*slot),
                Head::Budget(_, budget) => reads.budgets.push(*budget),
                Head::InFamily(family) => {
                    reads.budgets.extend(&graph.families[family.0 as usize].meters);
                }
                // A text may read anything.
                Head::Render(_) | Head::Unknown(_) => {
                    reads.changes = true;
                    reads.slots.extend((0..).zip(&graph.slots).map(|(slot, _)| SlotId(slot)));
                    reads.budgets.extend((0..).zip(&graph.budgets).map(|(id, _)| BudgetId(id)));
                }
                Head::Special(_)
                | Head::Step
                | Head::RolledBack
                | Head::Visits(_)
                | Head::InState(_)
                | Head::Now
                | Head::Previous => reads.changes = true,
                _ => {}
            }
        }
        reads
    }
}
