//! Operators that are no arithmetic.

use std::sync::Arc;

use smallvec::SmallVec;

use super::cx::{Cx, poison};
use super::facts::Facts;
use super::fit::{comparable, join};
use super::scope::Entry;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::{EnumType, Kind, Type};
use crate::program::function::Function;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{self, BinaryOp, UnaryOp};
use crate::value::Value;

impl Cx<'_> {
    pub(super) fn unary(
        &mut self,
        op: UnaryOp,
        operand: &ast::Expr,
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        match op {
            UnaryOp::Not => {
                let inner = self.checked(operand, &Type::of(Kind::Bool));
                Expr { kind: ExprKind::Not(Box::new(inner)), ty: Type::of(Kind::Bool), span }
            }
            UnaryOp::Negate => {
                let inner = self.typed(operand, want);
                self.negate(inner, span)
            }
        }
    }

    /// A chain of infix operators that lean to the left is gone through in a loop: it may be long.
    pub(super) fn binary(&mut self, expr: &ast::Expr, want: Option<&Type>) -> Expr {
        let before = self.facts.clone();
        let mut chain: SmallVec<[(Spanned<BinaryOp>, &ast::Expr, Span); 4]> = SmallVec::new();
        let mut first = expr;
        while let ast::ExprKind::Binary(op, left, right) = &first.kind {
            chain.push((*op, right, first.span));
            first = left;
        }
        let innermost = chain.last().map(|(op, ..)| op.value);
        self.is_caught = innermost == Some(BinaryOp::Coalesce);
        let mut left = self.typed(first, want.filter(|_| follows_want(innermost)));
        let mut previous = None;
        while let Some((op, right, span)) = chain.pop() {
            let goes_on = previous == Some(op.value);
            if !goes_on {
                self.facts = before.clone();
            }
            previous = Some(op.value);
            left = match op.value {
                BinaryOp::And | BinaryOp::Or => self.logical(op.value, left, right, span, goes_on),
                _ => self.join_operands(op, left, right, span, want),
            };
        }
        self.facts = before;
        left
    }

    fn join_operands(
        &mut self,
        op: Spanned<BinaryOp>,
        left: Expr,
        right: &ast::Expr,
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        match op.value {
            BinaryOp::And | BinaryOp::Or => self.logical(op.value, left, right, span, false),
            BinaryOp::Coalesce => self.coalesce(left, right, span, want),
            BinaryOp::In => self.contained(left, right, span),
            BinaryOp::Eq | BinaryOp::Ne => {
                let right = self.typed(right, None);
                self.equality(op, left, right, span)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let right = self.typed(right, None);
                self.ordering(op, left, right, span)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                let right = self.typed(right, want.filter(|_| op.value == BinaryOp::Add));
                self.arithmetic(op, left, right, span)
            }
        }
    }

    /// `a && b`, `a || b`. What the left side decides is known on the right; it stays known for the rest of a chain of
    /// the same operator.
    fn logical(&mut self, op: BinaryOp, left: Expr, right: &ast::Expr, span: Span, goes_on: bool) -> Expr {
        let and = op == BinaryOp::And;
        let bool = Type::of(Kind::Bool);
        let left = self.adapt(left, &bool);
        let learned = self.scope.facts_when(if goes_on { latest(&left) } else { &left }, and);
        self.facts = self.facts.and(&learned);
        let right = self.checked(right, &bool);
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = if and { ExprKind::And(left, right) } else { ExprKind::Or(left, right) };
        Expr { kind, ty: bool, span }
    }

    fn coalesce(&mut self, left: Expr, right: &ast::Expr, span: Span, want: Option<&Type>) -> Expr {
        self.judge_left(&left);
        let known: Option<Type> = match &left.ty.kind {
            Kind::Null | Kind::Error | Kind::Any => want.cloned(),
            // A literal on the right is read as the left side's type. The right side need not keep its limits.
            Kind::Enum(_) | Kind::String(_) | Kind::Int(_) => None,
            kind => Some(Type::of(kind.clone())),
        };
        let right = self.typed(right, known.as_ref());
        let (left, right) = self.align(left, right);
        if matches!(left.ty.kind, Kind::Error) || matches!(right.ty.kind, Kind::Error) {
            return poison(span);
        }
        let Some(mut ty) = join(self.types, &left.ty, &right.ty) else {
            let (a, b) = (self.show(&left.ty), self.show(&right.ty));
            let message = format!("`??` joins `{a}` and `{b}`, which have nothing in common");
            self.report(
                Diagnostic::error(rule::TYPE_MISMATCH, right.span, message).also(left.span, "the left side"),
            );
            return poison(span);
        };
        if is_member_literal(&right, &left.ty) {
            ty = left.ty.clone();
        }
        ty.nullable = right.ty.nullable;
        Expr { kind: ExprKind::Coalesce(Box::new(left), Box::new(right)), ty, span }
    }

    /// Warns of a `??` whose left side is never null. In a let that is written out the next use may be another.
    fn judge_left(&mut self, left: &Expr) {
        if !self.is_written_out() && self.is_never_null(left, 0) {
            let fault =
                Diagnostic::warning(rule::NEVER_NULL, left.span, "this is never null, so `??` has no effect");
            self.report(fault.help("remove the `??` and the value after it"));
        }
    }

    /// True if an expression can never be null, by what is declared: not by what happens to be known here.
    fn is_never_null(&self, expr: &Expr, depth: u32) -> bool {
        if depth > 32 {
            return false;
        }
        let never = |part: &Expr| self.is_never_null(part, depth + 1);
        let declared = |ty: &Type| !ty.nullable && !matches!(ty.kind, Kind::Any | Kind::Null | Kind::Error);
        match &expr.kind {
            ExprKind::Const(value) => !value.is_null(),
            ExprKind::Slot(id) => self.scope.slots.get(id.0 as usize).is_some_and(|name| {
                match self.scope.lookup(name, self.here.composite).map(|bound| &bound.entry) {
                    Some(Entry::Slot(_, ty, _)) => declared(ty),
                    _ => false,
                }
            }),
            ExprKind::Field { target, name, .. } => match &target.ty.kind {
                Kind::Record(id) => {
                    let record = self.types.record(*id);
                    let field = record.fields.get(name);
                    field.is_some_and(|field| declared(&field.ty)) && never(target)
                }
                _ => false,
            },
            ExprKind::Let(id) => {
                self.scope.lets.get(id.0 as usize).is_some_and(|own| own.alias.is_none() && declared(&own.ty))
            }
            ExprKind::Coalesce(_, instead) => never(instead),
            ExprKind::Conditional(_, one, other) => never(one) && never(other),
            ExprKind::Call(_, operands) => declared(&expr.ty) && operands.iter().all(never),
            ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Not(_)
            | ExprKind::List(_)
            | ExprKind::Map(_)
            | ExprKind::Record(..)
            | ExprKind::Has(..)
            | ExprKind::Is(..)
            | ExprKind::Budget(..)
            | ExprKind::InFamily(..)
            | ExprKind::Step => true,
            _ => false,
        }
    }

    fn contained(&mut self, left: Expr, right: &ast::Expr, span: Span) -> Expr {
        let bool = Type::of(Kind::Bool);
        if let ast::ExprKind::Name(name) = &right.kind
            && self.local(name).is_none()
            && let Some(Entry::Family(id, _)) = self.scope.lookup(name, self.here.composite).map(|b| &b.entry)
        {
            let id = *id;
            let left = self.not_null(left);
            let left = self.adapt(left, &Type::of(Kind::String(None)));
            return Expr { kind: ExprKind::InFamily(Box::new(left), id), ty: bool, span };
        }
        let right = self.typed(right, None);
        let right = self.not_null(right);
        match &right.ty.kind {
            Kind::Error | Kind::Any => {}
            Kind::List(item, _) => {
                let item = Arc::clone(item);
                self.judge_members(&left, &right, &item);
                if !comparable(self.types, &left.ty, &item) {
                    let (a, b) = (self.show(&left.ty), self.show(&item));
                    let message = format!("a list of `{b}` never contains `{a}`");
                    self.report(Diagnostic::error(rule::TYPE_MISMATCH, left.span, message));
                }
            }
            // `{}` has no keys, whatever is looked for.
            Kind::Map(item) if matches!(item.kind, Kind::Null) => {}
            Kind::Map(_) | Kind::Record(_) => {
                let left = self.not_null(left);
                let left = self.adapt(left, &Type::of(Kind::String(None)));
                return Expr { kind: ExprKind::Call(Function::IN, vec![left, right]), ty: bool, span };
            }
            _ => {
                let message = format!(
                    "`in` looks into a list, a map or a family of budgets, not into `{}`",
                    self.show(&right.ty)
                );
                let mut fault = Diagnostic::error(rule::TYPE_MISMATCH, right.span, message);
                if matches!(right.ty.kind, Kind::String(_) | Kind::Enum(_)) {
                    fault = fault.help("write text.contains(part)");
                }
                self.report(fault);
                return Expr { ty: bool, ..poison(span) };
            }
        }
        Expr { kind: ExprKind::Call(Function::IN, vec![left, right]), ty: bool, span }
    }

    /// Literals in a list that an enum is looked up in, and a literal looked up in a list of enums, must be members.
    fn judge_members(&mut self, left: &Expr, right: &Expr, item: &Type) {
        if let Kind::Enum(ty) = &left.ty.kind
            && let ExprKind::List(items) = &right.kind
        {
            for item in items {
                self.judge_member(item, ty);
            }
        }
        if let Kind::Enum(ty) = &item.kind {
            self.judge_member(left, ty);
        }
    }

    fn judge_member(&mut self, expr: &Expr, ty: &EnumType) {
        if let ExprKind::Const(Value::Str(text)) = &expr.kind
            && matches!(expr.ty.kind, Kind::String(_))
        {
            self.is_member(text, ty, expr.span);
        }
    }

    fn equality(&mut self, op: Spanned<BinaryOp>, left: Expr, right: Expr, span: Span) -> Expr {
        let (left, right) = self.align(left, right);
        if let Kind::Enum(ty) = &left.ty.kind {
            self.recorder().offer_members(right.span, ty);
            self.judge_member(&right, ty);
        }
        if let Kind::Enum(ty) = &right.ty.kind {
            self.recorder().offer_members(left.span, ty);
            self.judge_member(&left, ty);
        }
        if !comparable(self.types, &left.ty, &right.ty) {
            let fault = self.never_equal(op, &left, &right);
            self.report(fault);
            return Expr { ty: Type::of(Kind::Bool), ..poison(span) };
        }
        let function = if op.value == BinaryOp::Eq { Function::EQUAL } else { Function::NOT_EQUAL };
        Expr { kind: ExprKind::Call(function, vec![left, right]), ty: Type::of(Kind::Bool), span }
    }

    fn never_equal(&self, op: Spanned<BinaryOp>, left: &Expr, right: &Expr) -> Diagnostic {
        let (a, b) = (self.show(&left.ty), self.show(&right.ty));
        let message = format!("`{a}` and `{b}` are never equal");
        let fault =
            Diagnostic::error(rule::TYPE_MISMATCH, op.span, message).also(left.span, a).also(right.span, b);
        match (&left.ty.kind, &right.ty.kind) {
            (Kind::Enum(x), Kind::Enum(y)) => fault.help(format!(
                "one has {}, the other {}",
                super::show::members(x),
                super::show::members(y)
            )),
            (Kind::Type, _) | (_, Kind::Type) => fault.help("compare with a type's name: type(x) == int"),
            _ => fault,
        }
    }
}

/// The part of a chain of `&&` (or `||`) that was judged last: what the parts before it tell is known already.
fn latest(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::And(_, right) | ExprKind::Or(_, right) => right,
        _ => expr,
    }
}

const fn follows_want(op: Option<BinaryOp>) -> bool {
    matches!(op, Some(BinaryOp::Coalesce))
}

fn is_member_literal(literal: &Expr, ty: &Type) -> bool {
    match (&literal.kind, &ty.kind) {
        (ExprKind::Const(Value::Str(text)), Kind::Enum(ty)) => ty.members.contains(text),
        _ => false,
    }
}

impl super::scope::Scope {
    /// The facts that a condition adds where it is true, or where it is false.
    #[must_use]
    pub fn facts_when(&self, condition: &Expr, truth: bool) -> Facts {
        super::narrow::facts_when(self, condition, truth)
    }
}
