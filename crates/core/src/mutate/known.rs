//! Types of what is written, found by where it is.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::check::{GraphPart, each_expression};
use crate::model::Model;
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::{EnumType, Kind, Type};
use crate::program::function::Function;
use crate::source::Span;
use crate::value::Value;

/// Types of expressions, and the enums that texts are members of.
#[derive(Debug, Default)]
pub(super) struct KnownTypes {
    types: FxHashMap<Span, Type>,
    enums: FxHashMap<Span, Arc<EnumType>>,
}

impl KnownTypes {
    /// Adds what a model knows.
    pub(super) fn add(&mut self, model: &Model) {
        for graph in &model.graphs {
            each_expression(graph, &mut |part| {
                if let GraphPart::Expr(expr) = part {
                    self.expr(expr);
                }
            });
        }
        for field in model.types.records.iter().flat_map(|record| &record.fields) {
            field.default.iter().for_each(|default| self.expr(default));
        }
    }

    fn expr(&mut self, root: &Expr) {
        let mut open = vec![root];
        while let Some(expr) = open.pop() {
            // What stands at one place is seen from the outside in: the type of the whole comes first.
            self.types.entry(expr.span).or_insert_with(|| expr.ty.clone());
            match &expr.kind {
                ExprKind::Const(Value::Str(_)) => self.member(expr, &expr.ty),
                ExprKind::Coalesce(left, right) => self.member(right, &left.ty),
                ExprKind::Call(Function::EQUAL | Function::NOT_EQUAL | Function::IN, operands) => {
                    if let [left, right] = operands.as_slice() {
                        self.compared(left, right);
                    }
                }
                _ => {}
            }
            expr.for_each_child(&mut |child| open.push(child));
        }
    }

    fn compared(&mut self, left: &Expr, right: &Expr) {
        self.member(right, &left.ty);
        self.member(left, &right.ty);
        if let ExprKind::List(items) = &right.kind {
            for item in items {
                self.member(item, &left.ty);
            }
        }
        if let Kind::List(item, _) = &right.ty.kind {
            self.member(left, item);
        }
    }

    fn member(&mut self, literal: &Expr, ty: &Type) {
        if let (ExprKind::Const(Value::Str(text)), Kind::Enum(members)) = (&literal.kind, &ty.kind)
            && members.members.contains(text)
        {
            self.enums.insert(literal.span, Arc::clone(members));
        }
    }

    /// The member of an enum after the one that is written there.
    pub(super) fn member_after(&self, text: &str, at: Span) -> Option<&str> {
        let members = &self.enums.get(&at)?.members;
        let place = members.iter().position(|member| member.as_str() == text)?;
        Some(members[(place + 1) % members.len()].as_str()).filter(|after| *after != text)
    }

    /// True if what is written at two places has one type, null aside.
    pub(super) fn are_alike(&self, one: Span, other: Span) -> bool {
        let ty = |span: Span| self.types.get(&span).map(|ty| &ty.kind);
        ty(one).is_some_and(|one| Some(one) == ty(other) && *one != Kind::Error)
    }
}
