//! Variables that properties read where a node is entered.
//!
//! Most properties begin with `in_state(…)`: elsewhere the rest of them decides nothing.

use super::{GraphReads, SlotSet};
use crate::model::expr::{Expr, ExprKind};
use crate::model::graph::PropertyBody;
use crate::model::node::NodeId;
use crate::value::Value;

impl GraphReads<'_> {
    /// The variables that are read when the properties are judged at the entry of a leaf.
    pub(super) fn judged_at(&self, leaf: NodeId) -> SlotSet {
        let mut all = SlotSet::default();
        for property in &self.graph.properties {
            let both = match &property.body {
                PropertyBody::Never(one) | PropertyBody::Always(one) | PropertyBody::Eventually(one) => {
                    [Some(one), None]
                }
                PropertyBody::Precedes(one, other) => [Some(one), Some(other)],
            };
            for expr in both.into_iter().flatten() {
                all = all.with(&self.deciding(expr, leaf)).with(&self.remembered(expr));
            }
        }
        all
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

    /// What `previous` gives is noted at every entry.
    fn remembered(&self, expr: &Expr) -> SlotSet {
        let mut found = SlotSet::default();
        expr.walk(&mut |part| match &part.kind {
            ExprKind::Previous(value) => found = std::mem::take(&mut found).with(&self.of(value)),
            ExprKind::Let(id) => {
                let inner = self.remembered(&self.graph.lets[id.0 as usize].body);
                found = std::mem::take(&mut found).with(&inner);
            }
            _ => {}
        });
        found
    }
}
