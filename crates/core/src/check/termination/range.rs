//! The least and the greatest value of an integer expression, as far as constants and types tell.

use crate::model::Graph;
use crate::model::expr::{BudgetRef, Expr, ExprKind};
use crate::model::types::Kind;
use crate::model::typing::Path;
use crate::program::function::Function;
use crate::program::graph::Charge;
use crate::program::op::BudgetQuery;
use crate::value::Value;

/// Expressions that nest deeper than this have no known values; lets and limits count as what they stand for.
const MAX_RANGE_DEPTH: u32 = 64;
/// The greatest number of expressions that are looked at for one range.
const MAX_RANGE_WORK: u32 = 2_000;

/// The values of an integer that is there: if its expression has a value, it lies between these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) least: Option<i64>,
    pub(super) most: Option<i64>,
}

impl Range {
    pub(super) const fn of(value: i64) -> Self {
        Self { least: Some(value), most: Some(value) }
    }

    pub(super) const fn within((least, most): (i64, i64)) -> Self {
        Self { least: Some(least), most: Some(most) }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            least: self.least.zip(other.least).map(|(a, b)| a.min(b)),
            most: self.most.zip(other.most).map(|(a, b)| a.max(b)),
        }
    }

    /// Both are true of one value.
    pub(super) fn and(self, other: Self) -> Self {
        let either = |a: Option<i64>, b: Option<i64>, both: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(both(a, b)),
            (one, other) => one.or(other),
        };
        Self {
            least: either(self.least, other.least, i64::max),
            most: either(self.most, other.most, i64::min),
        }
    }

    fn plus(self, other: Self) -> Self {
        // A sum that overflows has no value.
        let sum = |a: Option<i64>, b: Option<i64>| Some(a?.saturating_add(b?));
        Self { least: sum(self.least, other.least), most: sum(self.most, other.most) }
    }

    fn negative(self) -> Self {
        let other = |n: i64| n.saturating_neg();
        Self { least: self.most.map(other), most: self.least.map(other) }
    }

    fn times(self, other: Self) -> Self {
        let (Some(a), Some(b), Some(c), Some(d)) = (self.least, self.most, other.least, other.most) else {
            let known = self.least.is_some_and(|n| n >= 0) && other.least.is_some_and(|n| n >= 0);
            let least = self.least.zip(other.least).map(|(a, b)| a.saturating_mul(b));
            return Self { least: least.filter(|_| known), most: None };
        };
        let corners = [(a, c), (a, d), (b, c), (b, d)].map(|(a, b)| a.saturating_mul(b));
        Self { least: corners.into_iter().min(), most: corners.into_iter().max() }
    }
}

/// A place whose size is at least so much.
pub(super) type LeastSize<'a> = (&'a Path, i64);

/// The values of an integer expression where a list, map or text has some items.
pub(super) fn range_with_items(graph: &Graph, expr: &Expr, items: Option<LeastSize<'_>>) -> Range {
    Ranging { graph, items, work: 0 }.range(expr, 0)
}

/// The values of an integer expression by constants and types alone.
pub(super) fn range(graph: &Graph, expr: &Expr) -> Range {
    range_with_items(graph, expr, None)
}

struct Ranging<'a> {
    graph: &'a Graph,
    items: Option<LeastSize<'a>>,
    work: u32,
}

impl Ranging<'_> {
    fn range(&mut self, expr: &Expr, depth: u32) -> Range {
        self.work += 1;
        if depth > MAX_RANGE_DEPTH || self.work > MAX_RANGE_WORK {
            return Range::default();
        }
        let deeper = depth + 1;
        match &expr.kind {
            ExprKind::Const(Value::Int(n)) => Range::of(*n),
            ExprKind::Let(id) => self.range(&self.graph.lets[id.0 as usize].body, deeper),
            ExprKind::Budget(BudgetQuery::Limit, BudgetRef::Counter(id)) => {
                let budget = &self.graph.budgets[id.0 as usize];
                // These are counted in smaller units than their limit is written in.
                if matches!(budget.charge, Some(Charge::ModelCost | Charge::Time)) {
                    return Range::default();
                }
                let limit = self.range(&budget.limit, deeper);
                Range { least: Some(limit.least.unwrap_or(0).max(0)), most: limit.most.map(|n| n.max(0)) }
            }
            ExprKind::Coerce(inner, ty) => match ty.kind {
                Kind::Int(bounds) if !ty.nullable => {
                    self.range(inner, deeper).and(bounds.map_or_else(Range::default, Range::within))
                }
                _ => Range::default(),
            },
            ExprKind::Slot(_) | ExprKind::Field { .. } => stored(expr),
            ExprKind::Conditional(_, yes, no) => self.range(yes, deeper).or(self.range(no, deeper)),
            ExprKind::Call(function, args) => self.call(*function, args, deeper),
            _ => Range::default(),
        }
    }

    /// The least or the greatest of several integers. One whose end is not known leaves that of the others as a limit on
    /// one side only.
    fn ends(&mut self, first: &Expr, rest: &[Expr], pick: fn(i64, i64) -> i64, depth: u32) -> Range {
        let is_least = pick(0, 1) == 0;
        let mut all = self.range(first, depth);
        for expr in rest {
            if !is_int(expr) {
                return Range::default();
            }
            let own = self.range(expr, depth);
            let both = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| pick(a, b));
            let either = |a: Option<i64>, b: Option<i64>| both(a, b).or(a).or(b);
            all = if is_least {
                Range { least: both(all.least, own.least), most: either(all.most, own.most) }
            } else {
                Range { least: either(all.least, own.least), most: both(all.most, own.most) }
            };
        }
        all
    }

    fn call(&mut self, function: Function, args: &[Expr], depth: u32) -> Range {
        match (function, args) {
            (Function::ADD, [a, b]) => self.range(a, depth).plus(self.range(b, depth)),
            (Function::SUBTRACT, [a, b]) => self.range(a, depth).plus(self.range(b, depth).negative()),
            (Function::MULTIPLY, [a, b]) => self.range(a, depth).times(self.range(b, depth)),
            (Function::NEGATE, [a]) => self.range(a, depth).negative(),
            (Function::SIZE, [of]) => match self.items {
                Some((path, least)) if Path::of(of).is_some_and(|own| own == *path) => {
                    Range { least: Some(least), most: None }.and(size(of))
                }
                _ => size(of),
            },
            (Function::LEAST, [first, rest @ ..]) if is_int(first) => self.ends(first, rest, i64::min, depth),
            (Function::GREATEST, [first, rest @ ..]) if is_int(first) => {
                self.ends(first, rest, i64::max, depth)
            }
            _ => Range::default(),
        }
    }
}

fn is_int(expr: &Expr) -> bool {
    matches!(expr.ty.kind, Kind::Int(_)) && !expr.ty.nullable
}

/// The values of an input or state field by its type: nothing else is ever stored in it.
fn stored(expr: &Expr) -> Range {
    match expr.ty.kind {
        Kind::Int(Some(bounds)) if !expr.ty.nullable && is_stored(expr) => Range::within(bounds),
        _ => Range::default(),
    }
}

fn is_stored(mut expr: &Expr) -> bool {
    while let ExprKind::Field { target, .. } = &expr.kind {
        expr = target;
    }
    matches!(expr.kind, ExprKind::Slot(_))
}

/// The sizes of a list, map or text.
fn size(of: &Expr) -> Range {
    let whole = |n: usize| i64::try_from(n).ok();
    match (&of.kind, &of.ty.kind) {
        (ExprKind::Const(Value::List(list)), _) => {
            Range { least: whole(list.len()), most: whole(list.len()) }
        }
        (ExprKind::List(items), _) => Range { least: whole(items.len()), most: whole(items.len()) },
        (_, Kind::List(_, Some(most)) | Kind::String(Some(most))) if is_stored(of) => {
            Range { least: Some(0), most: i64::try_from(*most).ok() }
        }
        _ => Range { least: Some(0), most: None },
    }
}
