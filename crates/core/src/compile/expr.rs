//! Expressions.

use super::literal::literal;
use super::tables::MAX_OPS;
use super::{CompileFault, Compiler};
use crate::model::expr::{BudgetRef, Expr, ExprKind};
use crate::model::types::Type;
use crate::program::function::Function;
use crate::program::level::MAX_LEVELS;
use crate::program::op::{Counter, Op, OpId, Range};
use crate::source::Span;
use crate::value::Value;

/// Expressions and statement lists nest this deep at most.
pub(super) const MAX_DEPTH: u32 = MAX_LEVELS;

impl Compiler<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> OpId {
        if self.tables.is_full() || self.depth >= MAX_DEPTH {
            return self.give_up(expr.span);
        }
        self.depth += 1;
        let op = self.lower(expr);
        self.depth -= 1;
        self.tables.operation(op, expr.span)
    }

    /// The level of the operation in hand in its expression.
    const fn level(&self) -> u32 {
        self.depth - self.blocks
    }

    pub(super) fn optional(&mut self, expr: Option<&Expr>) -> Option<OpId> {
        expr.map(|expr| self.expr(expr))
    }

    /// Reports that a bound is passed (once each), and takes the place of what cannot be compiled any more.
    pub(super) fn give_up(&mut self, span: Span) -> OpId {
        let kind = if self.tables.is_full() {
            CompileFault::TooLarge(MAX_OPS)
        } else {
            CompileFault::TooDeep(MAX_DEPTH)
        };
        if !self.faults.iter().any(|fault| fault.kind == kind) {
            self.fault(kind, span);
        }
        self.tables.operation(Op::Now, span)
    }

    /// The shape of a type that is at `span`.
    pub(super) fn shape(&mut self, ty: &Type, span: Span) -> u32 {
        self.types.shape(ty).unwrap_or_else(|| {
            self.fault(CompileFault::Unresolved, span);
            0
        })
    }

    /// The JSON Schema of a shape; equal ones are written once.
    pub(super) fn schema(&mut self, shape: u32) -> Value {
        let shapes = self.types.shapes();
        if shape as usize >= shapes.shapes.len() {
            return Value::Null;
        }
        self.schemas.entry(shape).or_insert_with(|| shapes.schema(shape)).clone()
    }

    pub(super) fn counter(&mut self, budget: &BudgetRef) -> Counter {
        match budget {
            BudgetRef::Counter(id) => Counter { budget: id.0, key: None },
            BudgetRef::Meter(id, key) => {
                let key = self.expr(key);
                Counter { budget: id.0, key: Some(key) }
            }
        }
    }

    fn lower(&mut self, expr: &Expr) -> Op {
        if let Some(value) = self.folded(expr) {
            return Op::Const(self.tables.constant(value));
        }
        match &expr.kind {
            ExprKind::Const(value) => Op::Const(self.tables.constant(value.clone())),
            ExprKind::Slot(slot) => Op::Slot(slot.0),
            ExprKind::Local(local) => Op::Local(local.0),
            ExprKind::Special(special) => Op::Special(*special),
            ExprKind::Let(id) => Op::Let(id.0, self.level()),
            ExprKind::Bind { local, value, body } => {
                Op::Bind { local: local.0, value: self.expr(value), body: self.expr(body) }
            }
            ExprKind::Field { target, name, hint } => {
                Op::Field { target: self.expr(target), name: self.tables.name(name), hint: *hint }
            }
            ExprKind::Index(target, at) => Op::Index(self.expr(target), self.expr(at)),
            ExprKind::Call(function, args) => self.call(*function, args),
            ExprKind::And(..) => Op::And(self.chain(expr, &|kind| match kind {
                ExprKind::And(left, right) => Some((left, right)),
                _ => None,
            })),
            ExprKind::Or(..) => Op::Or(self.chain(expr, &|kind| match kind {
                ExprKind::Or(left, right) => Some((left, right)),
                _ => None,
            })),
            ExprKind::Not(inner) => Op::Not(self.expr(inner)),
            ExprKind::Coalesce(first, second) => Op::Coalesce(self.expr(first), self.expr(second)),
            ExprKind::Conditional(condition, then, otherwise) => {
                Op::Conditional(self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            _ => self.lower_rest(expr),
        }
    }

    fn lower_rest(&mut self, expr: &Expr) -> Op {
        match &expr.kind {
            ExprKind::List(items) => {
                let items: Vec<OpId> = items.iter().map(|item| self.expr(item)).collect();
                Op::List(self.tables.list(&items))
            }
            ExprKind::Map(entries) => {
                let entries: Vec<OpId> =
                    entries.iter().flat_map(|(key, value)| [self.expr(key), self.expr(value)]).collect();
                Op::Map(self.tables.list(&entries))
            }
            ExprKind::Record(_, fields) => {
                let values: Vec<OpId> = fields.iter().map(|(_, value)| self.expr(value)).collect();
                let names = self.tables.name_run(fields.iter().map(|(name, _)| name.clone()).collect());
                Op::Record { names, values: self.tables.list(&values) }
            }
            ExprKind::Has(target, name) => Op::Has(self.expr(target), self.tables.name(name)),
            ExprKind::Macro { kind, over, local, second, filter, each } => Op::Macro {
                kind: *kind,
                over: self.expr(over),
                local: local.0,
                second: second.map(|second| second.0),
                filter: self.optional(filter.as_deref()),
                each: self.optional(each.as_deref()),
            },
            ExprKind::Is(inner, ty) => Op::Is(self.expr(inner), self.shape(ty, expr.span)),
            ExprKind::Coerce(inner, ty) => Op::Coerce(self.expr(inner), self.shape(ty, expr.span)),
            ExprKind::Budget(query, budget) => Op::Budget(*query, self.counter(budget)),
            ExprKind::InFamily(key, family) => Op::InFamily(self.expr(key), family.0),
            ExprKind::Step => Op::Step,
            ExprKind::RolledBack => Op::RolledBack,
            ExprKind::Visits(node) => Op::Visits(super::index(node.index())),
            ExprKind::InState(node) => Op::InState(super::index(node.index())),
            ExprKind::Render(text) => Op::Render(text.0, self.level()),
            ExprKind::Now => Op::Now,
            ExprKind::Previous(inner) => {
                let inner = self.expr(inner);
                self.remembered.push(inner);
                Op::Previous(inner, super::index(self.remembered.len() - 1))
            }
            _ => {
                self.fault(CompileFault::Unresolved, expr.span);
                Op::Now
            }
        }
    }

    /// The operands of a chain like `a && b && c`, however it is nested: absorption does not depend on that.
    fn chain(&mut self, expr: &Expr, split: &dyn Fn(&ExprKind) -> Option<(&Expr, &Expr)>) -> Range {
        let mut operands = Vec::new();
        let mut rest = vec![expr];
        while let Some(expr) = rest.pop() {
            match split(&expr.kind) {
                Some((left, right)) => rest.extend([right, left]),
                None => operands.push(self.expr(expr)),
            }
        }
        self.tables.list(&operands)
    }

    fn call(&mut self, function: Function, args: &[Expr]) -> Op {
        match (function, args) {
            (Function::EQUAL | Function::NOT_EQUAL, [left, right]) => {
                self.equation(function == Function::NOT_EQUAL, left, right)
            }
            (Function::NOT, [inner]) => Op::Not(self.expr(inner)),
            (Function::INDEX, [target, at]) => Op::Index(self.expr(target), self.expr(at)),
            (_, [left, right]) if function.is_operator() => {
                Op::Binary(function, self.expr(left), self.expr(right))
            }
            _ => {
                let args: Vec<OpId> = args.iter().map(|arg| self.expr(arg)).collect();
                Op::Call(function, self.tables.list(&args))
            }
        }
    }

    /// `==` and `!=`; against a constant there is one op for the whole.
    fn equation(&mut self, negate: bool, left: &Expr, right: &Expr) -> Op {
        let (a, b) = (self.expr(left), self.expr(right));
        match (self.tables.op(a), self.tables.op(b)) {
            (_, Op::Const(constant)) => Op::IsConst { target: a, constant, negate },
            (Op::Const(constant), _) => Op::IsConst { target: b, constant, negate },
            _ => {
                let function = if negate { Function::NOT_EQUAL } else { Function::EQUAL };
                Op::Binary(function, a, b)
            }
        }
    }

    /// The value of a list, map, record or coercion made of constants.
    fn folded(&mut self, expr: &Expr) -> Option<Value> {
        let composed = matches!(
            expr.kind,
            ExprKind::List(_) | ExprKind::Map(_) | ExprKind::Record(..) | ExprKind::Coerce(..)
        );
        if !composed {
            return None;
        }
        let types = &mut self.types;
        literal(expr, &mut |ty, value| {
            let shape = types.shape(ty)?;
            // One that does not fit is an error of the run, at its place.
            types.shapes().fit(shape, value).ok()
        })
    }
}
