//! The type of every form of expression.

use super::cx::{Cx, poison};
use super::fit::join;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::{Kind, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Literal};
use crate::value::Value;

impl Cx<'_> {
    /// Types an expression. `want` is what the place would like; literals follow it, nothing is refused for it.
    pub(super) fn typed(&mut self, expr: &ast::Expr, want: Option<&Type>) -> Expr {
        if !self.enter(expr.span) {
            return poison(expr.span);
        }
        let span = expr.span;
        let is_caught = std::mem::take(&mut self.is_caught);
        let typed = match &expr.kind {
            ast::ExprKind::Literal(value) => literal(value, span),
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::Field(target, name) => self.select(target, name, span, is_caught),
            ast::ExprKind::Index(target, index) => self.index(target, index, span, is_caught),
            ast::ExprKind::Call { receiver, name, args } => {
                self.call(receiver.as_deref(), name, args, span, want)
            }
            ast::ExprKind::Is(value, ty) => self.is(value, ty, span),
            ast::ExprKind::Unary(op, operand) => self.unary(*op, operand, span, want),
            ast::ExprKind::Binary(..) => self.binary(expr, want),
            ast::ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, span, want)
            }
            ast::ExprKind::List(items) => self.list(items, span, want),
            ast::ExprKind::Map(entries) => self.map(entries, span, want),
            ast::ExprKind::Record(name, fields) => self.record(name, fields, span),
        };
        self.leave();
        typed
    }

    /// The expression with what is known of the path it reads.
    pub(super) fn narrow(&self, mut expr: Expr) -> Expr {
        if let Some(ty) = self.facts.narrowed(&expr) {
            expr.ty = ty.clone();
        } else if expr.ty.nullable && !matches!(expr.ty.kind, Kind::Null) && self.facts.knows(&expr) {
            expr.ty.nullable = false;
        }
        expr
    }

    fn is(&mut self, value: &ast::Expr, ty: &ast::TypeExpr, span: Span) -> Expr {
        let value = self.typed(value, None);
        let mut faults = Vec::new();
        let ty = self.scope.types.resolve(ty, &mut faults);
        for fault in faults {
            self.report(fault);
        }
        if matches!(ty.kind, Kind::Error) || matches!(value.ty.kind, Kind::Error) {
            return Expr { ty: Type::of(Kind::Bool), ..poison(span) };
        }
        Expr { kind: ExprKind::Is(Box::new(value), ty), ty: Type::of(Kind::Bool), span }
    }

    fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        let condition = self.checked(condition, &Type::of(Kind::Bool));
        let before = self.facts.clone();
        self.facts = before.and(&self.scope.facts_when(&condition, true));
        let then = self.wanted(then, want);
        self.facts = before.and(&self.scope.facts_when(&condition, false));
        let otherwise = self.wanted(otherwise, want);
        self.facts = before;
        let (then, otherwise) = self.align(then, otherwise);
        let Some(ty) = join(self.types, &then.ty, &otherwise.ty) else {
            let (a, b) = (self.show(&then.ty), self.show(&otherwise.ty));
            let message = format!("one side of `?:` is `{a}`, the other `{b}`");
            self.report(
                Diagnostic::error(rule::TYPE_MISMATCH, otherwise.span, message)
                    .also(then.span, "the first side"),
            );
            return poison(span);
        };
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
        Expr { kind, ty, span }
    }

    /// Types an operand that shall fit `want` if the place wants anything; null is let through, so that the whole is
    /// judged where it ends up.
    pub(super) fn wanted(&mut self, expr: &ast::Expr, want: Option<&Type>) -> Expr {
        match want {
            Some(want) => self.checked(expr, &want.clone().or_null()),
            None => self.typed(expr, None),
        }
    }

    /// Two operands with the literals of one brought to the other's type.
    pub(super) fn align(&mut self, a: Expr, b: Expr) -> (Expr, Expr) {
        let money = |e: &Expr| matches!(e.ty.kind, Kind::Usd | Kind::Float);
        if is_number_literal(&a) && money(&b) && a.ty.kind != b.ty.kind {
            let want = Type::of(b.ty.kind.clone());
            return (self.literal_as(a, &want), b);
        }
        if is_number_literal(&b) && money(&a) && a.ty.kind != b.ty.kind {
            let want = Type::of(a.ty.kind.clone());
            return (a, self.literal_as(b, &want));
        }
        (a, b)
    }

    fn literal_as(&mut self, literal: Expr, want: &Type) -> Expr {
        let to_usd_from_float =
            matches!((&literal.ty.kind, &want.kind), (Kind::Float | Kind::Int(_), Kind::Usd));
        let to_float = matches!((&literal.ty.kind, &want.kind), (Kind::Int(_), Kind::Float));
        if to_usd_from_float || to_float { self.adapt(literal, want) } else { literal }
    }
}

fn is_number_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(Value::Int(_) | Value::Float(_)))
}

fn literal(value: &Literal, span: Span) -> Expr {
    let (value, ty) = match value {
        Literal::Null => (Value::Null, Type::of(Kind::Null).or_null()),
        Literal::Bool(b) => (Value::Bool(*b), Type::of(Kind::Bool)),
        Literal::Int(i) => (Value::Int(*i), Type::of(Kind::Int(None))),
        Literal::Float(f) => (Value::Float(*f), Type::of(Kind::Float)),
        Literal::String(s) => (Value::Str(s.as_str().into()), Type::of(Kind::String(None))),
        Literal::Duration(d) => (Value::Duration(*d), Type::of(Kind::Duration)),
    };
    Expr { kind: ExprKind::Const(value), ty, span }
}
