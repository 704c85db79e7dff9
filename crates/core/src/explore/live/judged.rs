//! Variables that properties read where a node is entered.

use super::{GraphReads, SlotSet};
use crate::model::expr::{Expr, ExprKind};
use crate::model::node::NodeId;

impl GraphReads<'_> {
    /// By node: the variables that are read when the properties are judged there, as they are where a leaf is entered.
    pub(super) fn judged(&self) -> Vec<SlotSet> {
        let conditions: Vec<&Expr> =
            self.graph.properties.iter().flat_map(|property| property.body.conditions()).collect();
        let all = |sets: &mut dyn Iterator<Item = SlotSet>| {
            sets.fold(SlotSet::default(), |all, own| all.with(&own))
        };
        let remembered = all(&mut conditions.iter().map(|one| self.remembered(one)));
        let at = |leaf| all(&mut conditions.iter().map(|one| self.deciding(one, leaf))).with(&remembered);
        self.graph.graph.node_indices().map(at).collect()
    }

    /// The variables on which the value of a condition depends at a leaf.
    fn deciding(&self, expr: &Expr, leaf: NodeId) -> SlotSet {
        if self.graph.settled(expr, leaf).is_some() {
            return SlotSet::default();
        }
        match &expr.kind {
            ExprKind::And(one, other) | ExprKind::Or(one, other) => {
                self.deciding(one, leaf).with(&self.deciding(other, leaf))
            }
            ExprKind::Not(inner) => self.deciding(inner, leaf),
            _ => self.of(expr),
        }
    }

    /// The variables whose values `previous` remembers, which it does at every entry. It stands in no let.
    fn remembered(&self, expr: &Expr) -> SlotSet {
        let mut found = SlotSet::default();
        expr.walk(&mut |part| {
            if let ExprKind::Previous(value) = &part.kind {
                found = std::mem::take(&mut found).with(&self.of(value));
            }
        });
        found
    }
}
