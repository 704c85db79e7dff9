//! Variables that properties read where a node is entered.
//!
//! Most properties begin with `in_state(…)`: elsewhere the rest of them decides nothing.

use super::{GraphReads, SlotSet};
use crate::model::expr::{Expr, ExprKind};
use crate::model::node::NodeId;
use crate::value::Value;

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
        if self.settled(expr, leaf).is_some() {
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

    /// The value of a condition, if the leaf alone decides it.
    fn settled(&self, expr: &Expr, leaf: NodeId) -> Option<bool> {
        match &expr.kind {
            ExprKind::Const(Value::Bool(value)) => Some(*value),
            ExprKind::InState(node) => {
                Some(*node == leaf || self.graph.cfg.around(leaf).any(|at| at == *node))
            }
            ExprKind::Not(inner) => self.settled(inner, leaf).map(|value| !value),
            ExprKind::And(one, other) => self.joined((one, other), leaf, false),
            ExprKind::Or(one, other) => self.joined((one, other), leaf, true),
            _ => None,
        }
    }

    /// The same of two conditions, either of which decides both where it is `decisive`.
    fn joined(&self, (one, other): (&Expr, &Expr), leaf: NodeId, decisive: bool) -> Option<bool> {
        let both = [self.settled(one, leaf), self.settled(other, leaf)];
        if both.contains(&Some(decisive)) {
            return Some(decisive);
        }
        (!both.contains(&None)).then_some(!decisive)
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
