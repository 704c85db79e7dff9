//! The parts of a typed expression, for walks over it.

use super::expr::{BudgetRef, Expr, ExprKind};

impl Expr {
    /// Calls `seen` for each expression directly inside this one, in order of evaluation.
    pub fn for_each_child<'a>(&'a self, seen: &mut dyn FnMut(&'a Self)) {
        match &self.kind {
            ExprKind::Field { target, .. } | ExprKind::Has(target, _) => seen(target),
            ExprKind::Index(a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) => {
                seen(a);
                seen(b);
            }
            ExprKind::Bind { value, body, .. } => {
                seen(value);
                seen(body);
            }
            ExprKind::Not(inner)
            | ExprKind::Previous(inner)
            | ExprKind::Is(inner, _)
            | ExprKind::Coerce(inner, _)
            | ExprKind::InFamily(inner, _)
            | ExprKind::Budget(_, BudgetRef::Meter(_, inner)) => seen(inner),
            ExprKind::Conditional(condition, then, otherwise) => {
                seen(condition);
                seen(then);
                seen(otherwise);
            }
            ExprKind::Call(_, items) | ExprKind::List(items) => items.iter().for_each(seen),
            ExprKind::Map(entries) => entries.iter().for_each(|(key, value)| {
                seen(key);
                seen(value);
            }),
            ExprKind::Record(_, fields) => fields.iter().for_each(|(_, value)| seen(value)),
            ExprKind::Macro { over, filter, each, .. } => {
                seen(over);
                filter.iter().chain(each).for_each(|e| seen(e));
            }
            ExprKind::Const(_)
            | ExprKind::Slot(_)
            | ExprKind::Local(_)
            | ExprKind::Special(_)
            | ExprKind::Let(_)
            | ExprKind::Budget(_, BudgetRef::Counter(_))
            | ExprKind::Step
            | ExprKind::RolledBack
            | ExprKind::Visits(_)
            | ExprKind::InState(_)
            | ExprKind::Render(_)
            | ExprKind::Now
            | ExprKind::Error => {}
        }
    }

    /// Calls `seen` for this expression and for everything inside it, each with its level: how many operations are in
    /// progress where it is evaluated, itself among them. A chain like `a && b && c` is one operation.
    pub fn each_level<'a>(&'a self, seen: &mut dyn FnMut(&'a Self, u32)) {
        let mut open = vec![(self, 1)];
        while let Some((expr, level)) = open.pop() {
            seen(expr, level);
            expr.for_each_child(&mut |child| {
                let chained = matches!(
                    (&expr.kind, &child.kind),
                    (ExprKind::And(..), ExprKind::And(..)) | (ExprKind::Or(..), ExprKind::Or(..))
                );
                open.push((child, level + u32::from(!chained)));
            });
        }
    }

    /// Calls `seen` for this expression and for everything inside it.
    pub fn walk<'a>(&'a self, seen: &mut dyn FnMut(&'a Self)) {
        seen(self);
        self.for_each_child(&mut |child| child.walk(seen));
    }
}
