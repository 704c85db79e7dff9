//! Tells the graph's own constants from what comes in while it runs.

use crate::model::Graph;
use crate::model::expr::{Expr, ExprKind};

/// Expressions with more parts count as no constants: lets that use each other may be long.
const MAX_PARTS: usize = 4096;

/// True for an expression whose value stands in the graph's own text.
pub(super) fn is_constant(graph: &Graph, expr: &Expr) -> bool {
    let mut open = vec![expr];
    let mut seen = 0;
    while let Some(expr) = open.pop() {
        seen += 1;
        match &expr.kind {
            _ if seen > MAX_PARTS => return false,
            ExprKind::Const(_) => {}
            ExprKind::Coerce(inner, _) | ExprKind::Field { target: inner, .. } => open.push(inner),
            ExprKind::List(items) => open.extend(items),
            ExprKind::Map(entries) => open.extend(entries.iter().flat_map(|(key, value)| [key, value])),
            ExprKind::Record(_, fields) => open.extend(fields.iter().map(|(_, value)| value)),
            ExprKind::Index(target, key) => open.extend([&**target, &**key]),
            ExprKind::Let(id) => open.push(&graph.lets[id.0 as usize].body),
            _ => return false,
        }
    }
    true
}
