//! Arithmetic and ordering.

use std::sync::Arc;

use super::cx::{Cx, poison};
use super::fit::join_items;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::{Kind, Type};
use crate::program::function::Function;
use crate::source::{Span, Spanned};
use crate::syntax::ast::BinaryOp;
use crate::value::Value;

impl Cx<'_> {
    pub(super) fn negate(&mut self, inner: Expr, span: Span) -> Expr {
        if let ExprKind::Const(value) = &inner.kind {
            let folded = match value {
                Value::Int(i) => i.checked_neg().map(Value::Int),
                Value::Float(f) => Some(Value::Float(-f)),
                Value::Usd(n) => n.checked_neg().map(Value::Usd),
                Value::Duration(d) => d.checked_neg().map(Value::Duration),
                _ => None,
            };
            if let Some(value) = folded {
                return Expr { kind: ExprKind::Const(value), ty: inner.ty, span };
            }
        }
        let inner = self.not_null(inner);
        let ty = match &inner.ty.kind {
            Kind::Error => return poison(span),
            Kind::Int(_) => Type::of(Kind::Int(None)),
            Kind::Float | Kind::Usd | Kind::Duration | Kind::Any => inner.ty.clone(),
            _ => {
                let message =
                    format!("`-` takes a number, an amount or a duration, not `{}`", self.show(&inner.ty));
                self.report(Diagnostic::error(rule::TYPE_MISMATCH, span, message));
                return poison(span);
            }
        };
        Expr { kind: ExprKind::Call(Function::NEGATE, vec![inner]), ty, span }
    }

    pub(super) fn ordering(&mut self, op: Spanned<BinaryOp>, left: Expr, right: Expr, span: Span) -> Expr {
        let (left, right) = self.align(left, right);
        let (left, right) = (self.not_null(left), self.not_null(right));
        let fine = match (&left.ty.kind, &right.ty.kind) {
            (Kind::Error, _) | (_, Kind::Error) => return Expr { ty: Type::of(Kind::Bool), ..poison(span) },
            (Kind::Any, other) | (other, Kind::Any) => is_ordered(other),
            (Kind::Int(_) | Kind::Float, Kind::Int(_) | Kind::Float) => true,
            (Kind::Enum(_), Kind::Enum(_)) => false,
            (a, b) if is_text(a) && is_text(b) => true,
            (a, b) => a == b && is_ordered(a),
        };
        if !fine {
            let fault = self.no_operator(op, &left, &right);
            self.report(fault);
            return Expr { ty: Type::of(Kind::Bool), ..poison(span) };
        }
        let function = match op.value {
            BinaryOp::Lt => Function::LESS,
            BinaryOp::Le => Function::LESS_OR_EQUAL,
            BinaryOp::Gt => Function::GREATER,
            _ => Function::GREATER_OR_EQUAL,
        };
        Expr { kind: ExprKind::Call(function, vec![left, right]), ty: Type::of(Kind::Bool), span }
    }

    pub(super) fn arithmetic(&mut self, op: Spanned<BinaryOp>, left: Expr, right: Expr, span: Span) -> Expr {
        let scales = matches!(op.value, BinaryOp::Mul | BinaryOp::Div);
        let with_money = matches!(left.ty.kind, Kind::Usd) || matches!(right.ty.kind, Kind::Usd);
        let (left, right) = if scales && with_money { (left, right) } else { self.align(left, right) };
        let (left, right) = (self.not_null(left), self.not_null(right));
        if matches!(left.ty.kind, Kind::Error) || matches!(right.ty.kind, Kind::Error) {
            return poison(span);
        }
        let Some(kind) = self.result_of(op.value, &left.ty.kind, &right.ty.kind) else {
            let fault = self.no_operator(op, &left, &right);
            self.report(fault);
            return poison(span);
        };
        let function = match op.value {
            BinaryOp::Add => Function::ADD,
            BinaryOp::Sub => Function::SUBTRACT,
            BinaryOp::Mul => Function::MULTIPLY,
            BinaryOp::Div => Function::DIVIDE,
            _ => Function::MODULO,
        };
        Expr { kind: ExprKind::Call(function, vec![left, right]), ty: Type::of(kind), span }
    }

    fn result_of(&self, op: BinaryOp, left: &Kind, right: &Kind) -> Option<Kind> {
        use BinaryOp::{Add, Div, Mul, Sub};
        Some(match (op, left, right) {
            (_, Kind::Any, other) | (_, other, Kind::Any) => {
                return takes_part(op, other).then_some(Kind::Any);
            }
            (_, Kind::Int(_), Kind::Int(_)) => Kind::Int(None),
            (Add | Sub | Mul | Div, Kind::Float, Kind::Float)
            | (Div, Kind::Usd, Kind::Usd)
            | (Div, Kind::Duration, Kind::Duration) => Kind::Float,
            (Add | Sub, Kind::Usd, Kind::Usd)
            | (Mul, Kind::Int(_) | Kind::Float, Kind::Usd)
            | (Mul | Div, Kind::Usd, Kind::Int(_) | Kind::Float) => Kind::Usd,
            (Add | Sub, Kind::Duration, Kind::Duration)
            | (Mul, Kind::Int(_) | Kind::Float, Kind::Duration)
            | (Mul | Div, Kind::Duration, Kind::Int(_) | Kind::Float) => Kind::Duration,
            (Add, a, b) if is_text(a) && is_text(b) => Kind::String(None),
            (Add, Kind::List(a, _), Kind::List(b, _)) => {
                Kind::List(Arc::new(join_items(self.types, a, b)), None)
            }
            _ => return None,
        })
    }

    fn no_operator(&self, op: Spanned<BinaryOp>, left: &Expr, right: &Expr) -> Diagnostic {
        let (a, b) = (self.show(&left.ty), self.show(&right.ty));
        let symbol = op.value.symbol();
        let message = format!("`{symbol}` does not take `{a}` and `{b}`");
        let fault =
            Diagnostic::error(rule::TYPE_MISMATCH, op.span, message).also(left.span, a).also(right.span, b);
        let written = |e: &Expr| self.describe(e).unwrap_or_else(|| "…".to_owned());
        match (&left.ty.kind, &right.ty.kind) {
            (Kind::Int(_), Kind::Float) => fault.help(format!("write double({})", written(left))),
            (Kind::Float, Kind::Int(_)) => fault.help(format!("write double({})", written(right))),
            (k, Kind::Int(_) | Kind::Float | Kind::Bool | Kind::Usd | Kind::Duration) if is_text(k) => {
                fault.help(format!("write string({})", written(right)))
            }
            (Kind::Int(_) | Kind::Float | Kind::Bool | Kind::Usd | Kind::Duration, k) if is_text(k) => {
                fault.help(format!("write string({})", written(left)))
            }
            (Kind::List(..), _) if op.value == BinaryOp::Add => {
                fault.help("put the item in brackets: list + [item]")
            }
            (Kind::Map(_) | Kind::Record(_), Kind::Map(_) | Kind::Record(_)) if op.value == BinaryOp::Add => {
                fault.help("write merge(a, b)")
            }
            (Kind::Enum(_), Kind::Enum(_)) => {
                fault.help("members of an enum have no order; compare with `==` or `in`")
            }
            _ => fault,
        }
    }
}

const fn is_text(kind: &Kind) -> bool {
    matches!(kind, Kind::String(_) | Kind::Enum(_))
}

const fn is_ordered(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Bool
            | Kind::Int(_)
            | Kind::Float
            | Kind::Usd
            | Kind::Duration
            | Kind::String(_)
            | Kind::Enum(_)
            | Kind::Any
    )
}

/// True if a kind can be an operand at all; the other operand is not known before the run.
const fn takes_part(op: BinaryOp, kind: &Kind) -> bool {
    match kind {
        Kind::Any | Kind::Int(_) => true,
        Kind::Float | Kind::Usd | Kind::Duration => !matches!(op, BinaryOp::Rem),
        Kind::String(_) | Kind::Enum(_) | Kind::List(..) => matches!(op, BinaryOp::Add),
        _ => false,
    }
}
