//! The room that budgets surely have: how much more may be spent of them before a spend is refused.

use std::collections::BTreeMap;

use crate::model::Graph;
use crate::model::expr::{BudgetId, BudgetRef, Expr, ExprKind};
use crate::program::function::Function;
use crate::program::graph::{Charge, Gate};
use crate::program::op::BudgetQuery;
use crate::value::Value;

/// More room than this is not told apart.
const MAX_ROOM: i64 = 8;

/// Lets in lets, and operators in operators, past this depth say nothing of a budget.
const MAX_CONDITION_DEPTH: u32 = 64;

/// The least room of some budgets. Of others nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rooms(BTreeMap<BudgetId, i64>);

impl Rooms {
    /// Takes note that a budget has room for at least so much.
    fn grant(&mut self, id: BudgetId, room: i64) {
        let known = self.0.entry(id).or_default();
        *known = room.min(MAX_ROOM).max(*known);
    }

    pub(super) fn forget(&mut self, id: BudgetId) {
        self.0.remove(&id);
    }

    /// Spends so much; true if there surely was room for it.
    pub(super) fn spend(&mut self, id: BudgetId, amount: Option<i64>) -> bool {
        let room = self.0.remove(&id).unwrap_or(0);
        let Some(left) = amount.filter(|amount| *amount >= 1).map(|amount| room.saturating_sub(amount))
        else {
            return false;
        };
        if left > 0 {
            self.0.insert(id, left);
        }
        left >= 0
    }

    /// The rooms that both have.
    pub(super) fn meet(&self, other: &Self) -> Self {
        let both = self.0.iter().filter_map(|(id, room)| Some((*id, *room.min(other.0.get(id)?))));
        Self(both.collect())
    }

    /// The rooms of a budget at its beginning, where its limit is a constant.
    pub(super) fn begin(&mut self, graph: &Graph, id: BudgetId) {
        self.forget(id);
        if !counts(graph, id) {
            return;
        }
        let budget = &graph.budgets[id.0 as usize];
        let limit = constant(&budget.limit).unwrap_or(0);
        if limit >= 1 {
            self.grant(id, limit.saturating_add(grace(graph, id)));
        }
    }

    /// Adds what is known of budgets where a condition is true or false.
    pub(super) fn learn(&mut self, graph: &Graph, condition: &Expr, truth: bool) {
        self.learn_at(graph, condition, truth, 0);
    }

    fn learn_at(&mut self, graph: &Graph, condition: &Expr, truth: bool, depth: u32) {
        if depth > MAX_CONDITION_DEPTH {
            return;
        }
        match &condition.kind {
            ExprKind::Not(inner) => self.learn_at(graph, inner, !truth, depth + 1),
            ExprKind::And(a, b) if truth => {
                self.learn_at(graph, a, true, depth + 1);
                self.learn_at(graph, b, true, depth + 1);
            }
            ExprKind::Or(a, b) if !truth => {
                self.learn_at(graph, a, false, depth + 1);
                self.learn_at(graph, b, false, depth + 1);
            }
            ExprKind::Let(id) => self.learn_at(graph, &graph.lets[id.0 as usize].body, truth, depth + 1),
            ExprKind::Budget(BudgetQuery::Exhausted, BudgetRef::Counter(id)) if !truth => {
                self.learn_left(graph, *id, 1);
            }
            ExprKind::Call(function, sides) => {
                if let Some((id, left)) = compared(*function, sides, truth) {
                    self.learn_left(graph, id, left);
                }
            }
            _ => {}
        }
    }

    /// Takes note of what is left up to the limit; the grace comes on top.
    fn learn_left(&mut self, graph: &Graph, id: BudgetId, left: i64) {
        if counts(graph, id) {
            self.grant(id, left.saturating_add(grace(graph, id)));
        }
    }
}

/// True for a hard budget of which something can be known: time passes by itself.
fn counts(graph: &Graph, id: BudgetId) -> bool {
    let budget = &graph.budgets[id.0 as usize];
    budget.gate == Gate::Hard && budget.family.is_none() && budget.charge != Some(Charge::Time)
}

/// The grace of a budget, as far as it is a constant.
fn grace(graph: &Graph, id: BudgetId) -> i64 {
    graph.budgets[id.0 as usize].grace.as_ref().and_then(constant).unwrap_or(0).max(0)
}

fn constant(expr: &Expr) -> Option<i64> {
    match expr.kind {
        ExprKind::Const(Value::Int(n) | Value::Usd(n) | Value::Duration(n)) => Some(n),
        _ => None,
    }
}

/// The budget of which a comparison says that something is left, and how much: `left(b) > 0` and `used(b) < limit(b)`, in
/// all their forms.
fn compared(function: Function, sides: &[Expr], truth: bool) -> Option<(BudgetId, i64)> {
    let [left, right] = sides else { return None };
    // As `small < large` or `small <= large`.
    let (small, large, strict) = match (function, truth) {
        (Function::LESS, true) | (Function::GREATER_OR_EQUAL, false) => (left, right, true),
        (Function::LESS_OR_EQUAL, true) | (Function::GREATER, false) => (left, right, false),
        (Function::GREATER | Function::NOT_EQUAL, true)
        | (Function::LESS_OR_EQUAL | Function::EQUAL, false) => (right, left, true),
        (Function::GREATER_OR_EQUAL, true) | (Function::LESS, false) => (right, left, false),
        _ => return None,
    };
    let ordered = !matches!(function, Function::EQUAL | Function::NOT_EQUAL);
    let ExprKind::Budget(query, BudgetRef::Counter(id)) = &large.kind else { return None };
    match (query, &small.kind) {
        (BudgetQuery::Left, ExprKind::Const(Value::Int(n))) if ordered || *n == 0 => {
            let least = n.saturating_add(i64::from(strict));
            (least >= 1).then_some((*id, least))
        }
        (BudgetQuery::Limit, ExprKind::Budget(BudgetQuery::Used, BudgetRef::Counter(used))) => {
            (strict && ordered && used == id).then_some((*id, 1))
        }
        _ => None,
    }
}
