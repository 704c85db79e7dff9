//! The normal form of a guard: lets and parameters written out, constants folded, comparisons turned one way.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::term::{Head, TermId, Terms};
use crate::model::Graph;
use crate::model::expr::{BudgetId, BudgetRef, Expr, ExprKind, LetId, LocalId};
use crate::model::types::{Kind, Type};
use crate::program::function::{Function, Functions, Meter};
use crate::program::graph::Charge;
use crate::program::op::BudgetQuery;
use crate::source::Span;
use crate::value::{Map, Value};

/// The depth beyond which an expression, with its lets written out, is an atom.
const MAX_DEPTH: u32 = 128;

/// Writes guards as terms.
pub(super) struct Normalizer<'g, 't> {
    graph: &'g Graph,
    terms: &'t mut Terms,
    /// Locals that stand for a value.
    bound: Vec<(LocalId, TermId)>,
    lets: &'t mut FxHashMap<LetId, TermId>,
    depth: u32,
}

const fn bool_type() -> Type {
    Type::of(Kind::Bool)
}

impl<'g, 't> Normalizer<'g, 't> {
    pub(super) fn new(
        graph: &'g Graph,
        terms: &'t mut Terms,
        lets: &'t mut FxHashMap<LetId, TermId>,
    ) -> Self {
        Self { graph, terms, bound: Vec::new(), lets, depth: 0 }
    }

    /// The terms that were written so far.
    pub(super) const fn terms(&self) -> &Terms {
        self.terms
    }

    /// The normal form of an expression.
    pub(super) fn term(&mut self, expr: &'g Expr) -> TermId {
        if self.depth >= MAX_DEPTH || self.terms.is_full() {
            return self.unknown(expr);
        }
        self.depth += 1;
        let term = self.written(expr);
        self.depth -= 1;
        term
    }

    fn unknown(&mut self, expr: &Expr) -> TermId {
        let number = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
        self.terms.add(Head::Unknown(number), [], expr.ty.clone(), expr.span)
    }

    fn written(&mut self, expr: &'g Expr) -> TermId {
        let (ty, span) = (expr.ty.clone(), expr.span);
        match &expr.kind {
            ExprKind::Const(value) => self.terms.constant(value.clone(), span),
            ExprKind::Slot(id) => self.terms.add(Head::Slot(*id), [], ty, span),
            ExprKind::Local(id) => match self.bound.iter().rev().find(|(own, _)| own == id) {
                Some((_, value)) => *value,
                None => self.terms.add(Head::Local(*id), [], ty, span),
            },
            ExprKind::Special(which) => self.terms.add(Head::Special(*which), [], ty, span),
            ExprKind::Let(id) => self.named(*id, expr),
            ExprKind::Bind { local, value, body } => {
                let value = self.term(value);
                self.bound.push((*local, value));
                let body = self.term(body);
                self.bound.pop();
                body
            }
            ExprKind::Field { target, name, .. } => {
                let target = self.term(target);
                self.terms.add(Head::Field(name.clone()), [target], ty, span)
            }
            ExprKind::Index(target, at) => {
                let (target, at) = (self.term(target), self.term(at));
                match self.terms.as_constant(at) {
                    Some(Value::Str(name)) => {
                        let name = name.clone();
                        self.terms.add(Head::Field(name), [target], ty, span)
                    }
                    _ => self.terms.add(Head::Index, [target, at], ty, span),
                }
            }
            ExprKind::Call(function, args) => {
                let args: SmallVec<[TermId; 2]> = args.iter().map(|arg| self.term(arg)).collect();
                self.call(*function, &args, ty, span)
            }
            ExprKind::And(..) | ExprKind::Or(..) => self.chain(expr),
            ExprKind::Not(inner) => {
                let inner = self.term(inner);
                self.not(inner, span)
            }
            ExprKind::Coalesce(a, b) | ExprKind::Conditional(_, a, b) => {
                let condition = match &expr.kind {
                    ExprKind::Conditional(condition, ..) => Some(self.term(condition)),
                    _ => None,
                };
                let (a, b) = (self.term(a), self.term(b));
                let head = if condition.is_some() { Head::Conditional } else { Head::Coalesce };
                self.terms.add(head, condition.into_iter().chain([a, b]), ty, span)
            }
            _ => self.written_rest(expr),
        }
    }

    fn written_rest(&mut self, expr: &'g Expr) -> TermId {
        let (ty, span) = (expr.ty.clone(), expr.span);
        match &expr.kind {
            ExprKind::List(items) => {
                let items: Vec<TermId> = items.iter().map(|item| self.term(item)).collect();
                let constant: Option<Value> =
                    items.iter().map(|item| self.terms.as_constant(*item).cloned()).collect();
                match constant {
                    Some(list) => self.terms.constant(list, span),
                    None => self.terms.add(Head::List, items, ty, span),
                }
            }
            ExprKind::Map(entries) if entries.is_empty() => self.terms.constant(Value::Map(Map::new()), span),
            ExprKind::Map(entries) => {
                let parts: Vec<TermId> =
                    entries.iter().flat_map(|(key, value)| [self.term(key), self.term(value)]).collect();
                self.terms.add(Head::Map, parts, ty, span)
            }
            ExprKind::Record(id, fields) => {
                let parts: Vec<TermId> = fields.iter().map(|(_, value)| self.term(value)).collect();
                self.terms.add(Head::Record(*id), parts, ty, span)
            }
            ExprKind::Has(target, name) => {
                let target = self.term(target);
                self.terms.add(Head::Has(name.clone()), [target], ty, span)
            }
            ExprKind::Macro { kind, over, local, second, filter, each } => {
                let over = self.term(over);
                let filtered = filter.as_deref().map(|filter| self.term(filter));
                let made = each.as_deref().map(|each| self.term(each));
                let head = Head::Macro {
                    kind: *kind,
                    local: *local,
                    second: *second,
                    filter: filtered.is_some(),
                    each: made.is_some(),
                };
                self.terms.add(head, [over].into_iter().chain(filtered).chain(made), ty, span)
            }
            ExprKind::Is(inner, wanted) => {
                let inner = self.term(inner);
                self.terms.add(Head::Is(wanted.clone()), [inner], ty, span)
            }
            ExprKind::Coerce(inner, wanted) => {
                let inner = self.term(inner);
                let own = &self.terms.get(inner).ty.kind;
                if std::mem::discriminant(own) == std::mem::discriminant(&wanted.kind) {
                    return inner;
                }
                self.terms.add(Head::Coerce(wanted.clone()), [inner], ty, span)
            }
            ExprKind::Budget(query, budget) => self.budget(*query, budget, span),
            ExprKind::InFamily(key, family) => {
                let key = self.term(key);
                self.terms.add(Head::InFamily(*family), [key], ty, span)
            }
            ExprKind::Step => self.terms.add(Head::Step, [], ty, span),
            ExprKind::RolledBack => self.terms.add(Head::RolledBack, [], ty, span),
            ExprKind::Visits(node) => self.terms.add(Head::Visits(*node), [], ty, span),
            ExprKind::InState(node) => self.terms.add(Head::InState(*node), [], ty, span),
            ExprKind::Render(text) => self.terms.add(Head::Render(*text), [], ty, span),
            ExprKind::Now => self.terms.add(Head::Now, [], ty, span),
            ExprKind::Previous(inner) => {
                let inner = self.term(inner);
                self.terms.add(Head::Previous, [inner], ty, span)
            }
            _ => self.unknown(expr),
        }
    }

    /// A let is written once: it has no parameters and sees no locals.
    fn named(&mut self, id: LetId, expr: &'g Expr) -> TermId {
        if let Some(known) = self.lets.get(&id) {
            return *known;
        }
        let Some(own) = self.graph.lets.get(id.0 as usize) else { return self.unknown(expr) };
        let outer = std::mem::take(&mut self.bound);
        let term = self.term(&own.body);
        self.bound = outer;
        self.lets.insert(id, term);
        term
    }

    /// The parts of a chain like `a && b && c`, however it is nested, are parts of one term.
    fn chain(&mut self, expr: &'g Expr) -> TermId {
        let is_and = matches!(expr.kind, ExprKind::And(..));
        let mut parts = Vec::new();
        let mut rest = vec![expr];
        while let Some(expr) = rest.pop() {
            match &expr.kind {
                ExprKind::And(left, right) if is_and => rest.extend([&**right, &**left]),
                ExprKind::Or(left, right) if !is_and => rest.extend([&**right, &**left]),
                _ => parts.push(self.term(expr)),
            }
        }
        self.terms.add(if is_and { Head::And } else { Head::Or }, parts, bool_type(), expr.span)
    }

    fn not(&mut self, inner: TermId, span: Span) -> TermId {
        let term = self.terms.get(inner);
        match (term.head, term.parts.as_slice()) {
            (Head::Not, [twice]) => *twice,
            _ => self.terms.add(Head::Not, [inner], bool_type(), span),
        }
    }

    fn call(&mut self, function: Function, args: &[TermId], ty: Type, span: Span) -> TermId {
        match (function, args) {
            (Function::NOT_EQUAL, [a, b]) => {
                let equal = self.call(Function::EQUAL, &[*a, *b], ty, span);
                self.not(equal, span)
            }
            (Function::GREATER, [a, b]) => self.call(Function::LESS, &[*b, *a], ty, span),
            (Function::GREATER_OR_EQUAL, [a, b]) => self.call(Function::LESS_OR_EQUAL, &[*b, *a], ty, span),
            (Function::NOT, [inner]) => self.not(*inner, span),
            (Function::DYN, [inner]) => *inner,
            (Function::EQUAL, [a, b]) if self.terms.as_constant(*a).is_some() || a > b => {
                let sides = if self.terms.as_constant(*b).is_some() { [*a, *b] } else { [*b, *a] };
                self.folded(function, &sides, ty, span)
            }
            _ => self.folded(function, args, ty, span),
        }
    }

    /// A call of an operator on constants is what it gives, if it gives anything.
    fn folded(&mut self, function: Function, args: &[TermId], ty: Type, span: Span) -> TermId {
        let values: Option<Vec<Value>> =
            args.iter().map(|arg| self.terms.as_constant(*arg).cloned()).collect();
        if function.is_operator()
            && let Some(values) = values
            && let Ok(value) = Functions::new().call(function, &values, &mut Meter::default())
        {
            return self.terms.constant(value, span);
        }
        self.terms.add(Head::Call(function), args.iter().copied(), ty, span)
    }

    /// Questions about budgets, by what was spent and the limit.
    fn budget(&mut self, query: BudgetQuery, budget: &'g BudgetRef, span: Span) -> TermId {
        let (id, key) = match budget {
            BudgetRef::Counter(id) => (*id, None),
            BudgetRef::Meter(id, key) => (*id, Some(self.term(key))),
        };
        let amount = self.amount(id, 0);
        let amounts = match &amount {
            Value::Usd(_) => Type::of(Kind::Usd),
            Value::Duration(_) => Type::of(Kind::Duration),
            _ => Type::of(Kind::Int(None)),
        };
        match query {
            BudgetQuery::Used => self.terms.add(Head::Budget(query, id), key, amounts, span),
            BudgetQuery::Limit => match self.constant_limit(id) {
                Some(limit) => self.terms.constant(limit, span),
                None => self.terms.add(Head::Budget(query, id), key, amounts, span),
            },
            BudgetQuery::Exhausted => {
                let used = self.budget(BudgetQuery::Used, budget, span);
                let limit = self.budget(BudgetQuery::Limit, budget, span);
                self.folded(Function::LESS_OR_EQUAL, &[limit, used], bool_type(), span)
            }
            BudgetQuery::Left => {
                let used = self.budget(BudgetQuery::Used, budget, span);
                let limit = self.budget(BudgetQuery::Limit, budget, span);
                let none = self.terms.constant(amount, span);
                let over = self.folded(Function::LESS_OR_EQUAL, &[limit, used], bool_type(), span);
                let left = self.folded(Function::SUBTRACT, &[limit, used], amounts.clone(), span);
                self.terms.add(Head::Conditional, [over, none, left], amounts, span)
            }
        }
    }

    /// The limit of a budget that is a constant.
    fn constant_limit(&self, id: BudgetId) -> Option<Value> {
        match &self.graph.budgets.get(id.0 as usize)?.limit.kind {
            ExprKind::Const(Value::Int(n) | Value::Usd(n) | Value::Duration(n)) => {
                Some(self.amount(id, (*n).max(0)))
            }
            _ => None,
        }
    }

    fn amount(&self, id: BudgetId, n: i64) -> Value {
        match self.graph.budgets.get(id.0 as usize).and_then(|budget| budget.charge) {
            Some(Charge::ModelCost) => Value::Usd(n),
            Some(Charge::Time) => Value::Duration(n),
            _ => Value::Int(n),
        }
    }
}
