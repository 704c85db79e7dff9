//! Conditions that the leaf in which a graph is decides, whatever its variables hold.
//!
//! Most properties begin with `in_state(…)`: elsewhere the rest of them decides nothing.

use super::Graph;
use super::expr::{Expr, ExprKind};
use super::node::NodeId;
use crate::value::Value;

impl Graph {
    /// The value of a condition, if the leaf alone decides it.
    #[must_use]
    pub fn settled(&self, condition: &Expr, leaf: NodeId) -> Option<bool> {
        match &condition.kind {
            ExprKind::Const(Value::Bool(value)) => Some(*value),
            ExprKind::InState(node) => Some(self.is_inside(leaf, *node)),
            ExprKind::Not(inner) => self.settled(inner, leaf).map(|value| !value),
            ExprKind::And(one, other) => self.both_settled((one, other), leaf, false),
            ExprKind::Or(one, other) => self.both_settled((one, other), leaf, true),
            _ => None,
        }
    }

    /// True for a leaf that is this node, or inside of it.
    #[must_use]
    pub fn is_inside(&self, leaf: NodeId, node: NodeId) -> bool {
        node == leaf || self.cfg.around(leaf).any(|around| around == node)
    }

    /// The value of two conditions, either of which decides both where it is `decisive`.
    fn both_settled(&self, (one, other): (&Expr, &Expr), leaf: NodeId, decisive: bool) -> Option<bool> {
        let both = [self.settled(one, leaf), self.settled(other, leaf)];
        if both.contains(&Some(decisive)) {
            return Some(decisive);
        }
        (!both.contains(&None)).then_some(!decisive)
    }
}
