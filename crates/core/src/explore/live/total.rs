//! Expressions and texts that have a value whatever the variables hold.
//!
//! The limits of cost and size are left aside: the values of a search are small.

use super::GraphReads;
use super::of_type::{has_fields, is_list, is_map, is_scalar, is_text};
use crate::explore::template::text_may_fail;
use crate::model::expr::{BudgetRef, Expr, ExprKind, TextId};
use crate::model::node::TextSource;
use crate::model::types::{Kind, Type};
use crate::program::function::Function;
use crate::program::op::Macro;
use crate::value::Value;

impl GraphReads<'_> {
    /// True for a text that can be made whatever the variables hold.
    pub(in crate::explore) fn is_total_source(&self, text: &TextSource) -> bool {
        match text {
            TextSource::Text(id) => self.is_total_text(*id),
            TextSource::Expr(expr) => self.is_total(expr),
        }
    }

    /// True for an expression that has a value whatever the variables hold.
    pub(in crate::explore) fn is_total(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Const(_)
            | ExprKind::Slot(_)
            | ExprKind::Local(_)
            | ExprKind::Special(_)
            | ExprKind::Budget(_, BudgetRef::Counter(_))
            | ExprKind::Step
            | ExprKind::RolledBack
            | ExprKind::Visits(_)
            | ExprKind::InState(_)
            | ExprKind::Now => true,
            ExprKind::Let(id) => self.is_total(&self.graph.lets[id.0 as usize].body),
            ExprKind::Bind { value, body, .. } => self.is_total(value) && self.is_total(body),
            ExprKind::Field { target, hint, .. } => {
                matches!(target.ty.kind, Kind::Record(_)) && *hint != u32::MAX && self.is_total(target)
            }
            ExprKind::Has(target, _) => has_fields(&target.ty) && self.is_total(target),
            ExprKind::Call(function, args) => {
                is_total_call(*function, args) && args.iter().all(|arg| self.is_total(arg))
            }
            ExprKind::And(one, other) | ExprKind::Or(one, other) => {
                self.is_total_condition(one) && self.is_total_condition(other)
            }
            ExprKind::Not(inner) => self.is_total_condition(inner),
            ExprKind::Coalesce(first, second) => self.is_total_path(first) && self.is_total(second),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.is_total_condition(condition) && self.is_total(then) && self.is_total(otherwise)
            }
            ExprKind::List(items) => items.iter().all(|item| self.is_total(item)),
            ExprKind::Map(entries) => entries.iter().all(|(key, value)| {
                matches!(key.kind, ExprKind::Const(Value::Str(_))) && self.is_total(value)
            }),
            ExprKind::Record(_, fields) => fields.iter().all(|(_, value)| self.is_total(value)),
            ExprKind::Macro { kind, over, filter, each, .. } => {
                let is_bounded = !matches!(kind, Macro::SortBy | Macro::TransformMap) && is_list(&over.ty);
                is_bounded
                    && self.is_total(over)
                    && filter.as_ref().is_none_or(|filter| self.is_total_condition(filter))
                    && each.as_ref().is_none_or(|each| self.is_total(each))
            }
            ExprKind::Is(inner, _) => self.is_total(inner),
            ExprKind::Render(text) => self.is_total_text(*text),
            ExprKind::Index(..)
            | ExprKind::Coerce(..)
            | ExprKind::Budget(..)
            | ExprKind::InFamily(..)
            | ExprKind::Previous(_)
            | ExprKind::Error => false,
        }
    }

    fn is_total_condition(&self, expr: &Expr) -> bool {
        matches!(expr.ty, Type { kind: Kind::Bool, nullable: false, .. }) && self.is_total(expr)
    }

    /// The same of a path on the left of `??`, on which a key of a map may be missing.
    fn is_total_path(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Field { target, .. } => has_fields(&target.ty) && self.is_total_path(target),
            ExprKind::Index(target, key) => {
                matches!(target.ty.kind, Kind::Map(_))
                    && is_text(&key.ty)
                    && self.is_total_path(target)
                    && self.is_total(key)
            }
            ExprKind::Coalesce(first, second) => self.is_total_path(first) && self.is_total_path(second),
            _ => self.is_total(expr),
        }
    }

    fn is_total_text(&self, id: TextId) -> bool {
        let name = &self.graph.texts[id.0 as usize].name.value;
        !text_may_fail(self.graph, self.texts.as_ref(), name)
    }
}

/// True for a call that gives a value for all arguments of their types.
fn is_total_call(function: Function, args: &[Expr]) -> bool {
    let all = |is: fn(&Type) -> bool| args.iter().all(|arg| is(&arg.ty));
    match function.name() {
        Some("==" | "!=" | "json") => true,
        Some("size") => all(|ty| is_text(ty) || is_list(ty) || is_map(ty)),
        Some("string") => all(is_scalar),
        Some("+") => all(is_text) || all(is_list),
        Some("trim" | "lowerAscii" | "upperAscii" | "contains" | "startsWith" | "endsWith") => all(is_text),
        Some("merge") => all(is_map),
        Some("in") => args.last().is_some_and(|among| is_list(&among.ty)),
        _ => false,
    }
}
