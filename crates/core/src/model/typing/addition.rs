//! `x += e`.

use std::sync::Arc;

use super::cx::{Cx, poison};
use super::place::Target;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind, StatementKind};
use crate::model::types::{Kind, Type};
use crate::program::function::Function;
use crate::source::Span;
use crate::syntax::ast;

/// A longer cure is cut, in characters.
const MAX_SHOWN_SUM: usize = 80;

impl Cx<'_> {
    /// `x += e`: adds to numbers, amounts, durations and strings, appends one item to a list.
    pub(super) fn add_to(
        &mut self,
        place: &ast::Place,
        value: &ast::Expr,
        span: Span,
    ) -> Option<StatementKind> {
        let Some(target) = self.target(place) else {
            self.infer(value);
            return None;
        };
        let before = self.not_null(target.read.clone());
        if let Kind::List(item, most) = &before.ty.kind {
            let (item, bounded) = (Type::clone(item), most.is_some());
            let value = self.item(place, value, &item);
            return self.append(target, &before, value, bounded, span);
        }
        let want = match &before.ty.kind {
            Kind::Int(_) => Kind::Int(None),
            Kind::String(_) => Kind::String(None),
            kind @ (Kind::Float | Kind::Usd | Kind::Duration | Kind::Any) => kind.clone(),
            Kind::Error => return None,
            _ => {
                let found = self.show(&before.ty);
                let message =
                    format!("`+=` adds to numbers, amounts, durations, strings and lists, not to `{found}`");
                self.report(Diagnostic::error(rule::TYPE_MISMATCH, place.span, message));
                return None;
            }
        };
        let want = Type::of(want);
        let value = self.check(value, &want);
        if matches!(value.kind, ExprKind::Error) {
            return None;
        }
        let sum = ExprKind::Call(Function::ADD, vec![before, value]);
        let sum = Expr { kind: sum, ty: want, span };
        let bounded = matches!(target.place.ty.kind, Kind::Int(Some(_)) | Kind::String(Some(_)));
        self.write_sum(target, sum, bounded)
    }

    fn append(
        &mut self,
        target: Target,
        before: &Expr,
        value: Expr,
        bounded: bool,
        span: Span,
    ) -> Option<StatementKind> {
        if matches!(value.kind, ExprKind::Error) {
            return None;
        }
        let one = Expr { span: value.span, ty: before.ty.clone(), kind: ExprKind::List(vec![value]) };
        let sum = ExprKind::Call(Function::ADD, vec![before.clone(), one]);
        let sum = Expr { kind: sum, ty: unbounded(&before.ty), span };
        self.write_sum(target, sum, bounded)
    }

    /// Writes `place + value`: as it is where the type has a bound that has to be checked, else as an addition.
    fn write_sum(&mut self, target: Target, sum: Expr, bounded: bool) -> Option<StatementKind> {
        self.judge_key(&target.read);
        self.note_write(&target.write);
        if !target.write.below {
            self.facts.write(target.write.path, &target.place.ty);
        }
        if bounded {
            let value = self.adapt(sum, &target.place.ty);
            return Some(StatementKind::Assign { place: target.place, add: false, value });
        }
        let ExprKind::Call(_, operands) = sum.kind else { return None };
        let value = operands.into_iter().nth(1)?;
        let value = match value.kind {
            ExprKind::List(items) if matches!(target.place.ty.kind, Kind::List(..)) => {
                items.into_iter().next()?
            }
            _ => value,
        };
        Some(StatementKind::Assign { place: target.place, add: true, value })
    }

    /// The one item that `xs += e` appends. A list is rarely meant as an item, so the cure says how to append many.
    fn item(&mut self, place: &ast::Place, value: &ast::Expr, item: &Type) -> Expr {
        let typed = self.infer_as(value, item);
        let nested = matches!(item.kind, Kind::List(..) | Kind::Any | Kind::Error);
        if nested || !matches!(typed.ty.kind, Kind::List(..)) {
            return self.adapt(typed, item);
        }
        let (one, many) = (self.show(item), self.show(&typed.ty));
        let message = format!("`+=` appends one item of type `{one}` to a list, this is `{many}`");
        let fault = Diagnostic::error(rule::TYPE_MISMATCH, typed.span, message);
        let sum = format!("{place} = {place} + {value}");
        let cure = if sum.chars().count() > MAX_SHOWN_SUM { format!("{place} = {place} + …") } else { sum };
        self.report(fault.help(format!("to append all of them write `{cure}`")));
        poison(typed.span)
    }
}

fn unbounded(ty: &Type) -> Type {
    match &ty.kind {
        Kind::List(item, _) => Type::of(Kind::List(Arc::clone(item), None)),
        _ => ty.clone(),
    }
}
