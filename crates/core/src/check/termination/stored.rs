//! The values that integers in the state have in any run, by what is ever written to them.

use super::change::{Relation, answered, relation};
use super::declared::Declared;
use super::linear::{Linear, Term, is_exact, values};
use super::range::Range;
use crate::model::expr::{Block, Expr, Place, SlotId, SlotKind, StatementKind};
use crate::model::typing::{Path, Root};

/// The values of every slot; one that holds no integer has none that are known.
pub(super) struct StoredValues(Vec<Range>);

impl StoredValues {
    pub(super) fn of(declared: Declared<'_>) -> Self {
        let graph = declared.graph;
        let first = graph.slots.iter().map(|slot| match (&slot.kind, &slot.init) {
            (SlotKind::State | SlotKind::Inner(_), Some(init)) if is_exact(&slot.ty.kind) => {
                values(declared, init)
            }
            _ => Range::default(),
        });
        let mut own = Self(first.collect());
        for node in graph.graph.node_weights() {
            own.block(declared, &node.entry);
            own.block(declared, &node.then);
            for place in answered(node) {
                own.0[place.slot.0 as usize] = Range::default();
            }
        }
        graph.graph.edge_weights().for_each(|edge| own.block(declared, &edge.action));
        graph.actions.iter().for_each(|action| own.block(declared, &action.body));
        own
    }

    pub(super) fn of_slot(&self, slot: SlotId) -> Range {
        self.0.get(slot.0 as usize).copied().unwrap_or_default()
    }

    fn block(&mut self, declared: Declared<'_>, block: &Block) {
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            for statement in &block.statements {
                match &statement.kind {
                    StatementKind::Assign { place, add, value } => {
                        self.assigned(declared, place, *add, value);
                    }
                    StatementKind::For(_, _, body) => open.push(body),
                    StatementKind::If(arms, otherwise) => {
                        open.extend(arms.iter().map(|(_, body)| body).chain(otherwise));
                    }
                    _ => {}
                }
            }
        }
    }

    fn assigned(&mut self, declared: Declared<'_>, place: &Place, add: bool, value: &Expr) {
        let path = Path::root(Root::Slot(place.slot));
        let known = self.of_slot(place.slot);
        if relation(place, &path) != Relation::Same || known == Range::default() {
            self.0[place.slot.0 as usize] = Range::default();
            return;
        }
        let step = if add {
            Some(values(declared, value))
        } else {
            let own = Linear::term(Term::Int(path));
            let change = Linear::of(declared, value).and_then(|new| new.plus(&own, -1));
            change.filter(|change| change.terms.is_empty()).map(|change| Range::of(change.constant))
        };
        self.0[place.slot.0 as usize] = match step {
            Some(step) => Range {
                least: known.least.filter(|_| step.least.is_some_and(|n| n >= 0)),
                most: known.most.filter(|_| step.most.is_some_and(|n| n <= 0)),
            },
            None => known.or(values(declared, value)),
        };
    }
}
