//! The whole numbers that an expression can be.

use crate::model::expr::{Expr, ExprKind};
use crate::model::types::Kind;
use crate::program::function::Function;
use crate::program::op::BudgetQuery;

/// The least and the greatest whole number that an expression gives, as far as its type and form say.
pub(super) fn range(expr: &Expr) -> Option<(i64, i64)> {
    if expr.ty.nullable {
        return None;
    }
    let Kind::Int(bounds) = expr.ty.kind else { return None };
    let natural = (0, i64::MAX);
    match &expr.kind {
        ExprKind::Call(Function::SIZE, args) => Some((0, args.first().map_or(i64::MAX, longest))),
        ExprKind::Budget(BudgetQuery::Used | BudgetQuery::Left | BudgetQuery::Limit, _)
        | ExprKind::Step
        | ExprKind::Visits(_) => Some(natural),
        _ => bounds,
    }
}

/// The greatest size of a value.
fn longest(expr: &Expr) -> i64 {
    let most = match &expr.ty.kind {
        Kind::String(most) | Kind::List(_, most) => *most,
        _ => None,
    };
    most.and_then(|most| i64::try_from(most).ok()).unwrap_or(i64::MAX)
}
