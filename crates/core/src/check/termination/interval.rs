//! The least and the greatest value of an integer expression, as far as constants, types and what is known of places tell.

use super::range::Range;
use super::term::{Known, Term, unknown};
use crate::model::Graph;
use crate::model::expr::{BudgetRef, Expr, ExprKind};
use crate::model::types::Kind;
use crate::model::typing::Path;
use crate::program::function::Function;
use crate::program::graph::Charge;
use crate::program::op::{BudgetQuery, Macro};
use crate::value::Value;

/// Expressions that nest deeper than this have no known values; lets and limits count as what they stand for.
const MAX_RANGE_DEPTH: u32 = 64;
/// The greatest number of expressions that are looked at for one range.
const MAX_RANGE_WORK: u32 = 2_000;

/// A place whose size is at least so much.
pub(super) type LeastSize<'a> = (&'a Path, i64);

/// The values of an integer expression with what is known of the places it reads.
pub(super) fn range_with(graph: &Graph, expr: &Expr, known: Known<'_>) -> Range {
    Ranging { graph, known, work: 0 }.range(expr, 0)
}

/// The values of an integer expression by constants and types alone.
pub(super) fn range(graph: &Graph, expr: &Expr) -> Range {
    range_with(graph, expr, &unknown)
}

/// The sizes of a list, map or text with what is known of the places it is made of.
pub(super) fn size_with(graph: &Graph, expr: &Expr, known: Known<'_>) -> Range {
    Ranging { graph, known, work: 0 }.size(expr, 0)
}

struct Ranging<'a> {
    graph: &'a Graph,
    known: Known<'a>,
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
            ExprKind::Slot(_) | ExprKind::Field { .. } => self.stored(expr),
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
            (Function::SIZE, [of]) => self.size(of, depth),
            (Function::LEAST, [first, rest @ ..]) if is_int(first) => self.ends(first, rest, i64::min, depth),
            (Function::GREATEST, [first, rest @ ..]) if is_int(first) => {
                self.ends(first, rest, i64::max, depth)
            }
            _ => Range::default(),
        }
    }

    /// The values of an input or state field: those of its type, nothing else is ever stored in it, and what is known.
    fn stored(&self, expr: &Expr) -> Range {
        if expr.ty.nullable || !is_stored(expr) {
            return Range::default();
        }
        let known = Path::of(expr).map_or_else(Range::default, |path| (self.known)(&Term::Int(path)));
        match expr.ty.kind {
            Kind::Int(Some(bounds)) => known.and(Range::within(bounds)),
            _ => known,
        }
    }

    /// The sizes of a list, map or text, if there is one.
    fn size(&mut self, of: &Expr, depth: u32) -> Range {
        self.work += 1;
        let any = Range { least: Some(0), most: None };
        if depth > MAX_RANGE_DEPTH || self.work > MAX_RANGE_WORK {
            return any;
        }
        let deeper = depth + 1;
        let exactly = |n: usize| i64::try_from(n).map_or(any, Range::of);
        let up_to = |most: Option<i64>| Range { least: Some(0), most };
        match &of.kind {
            ExprKind::Const(value) => items_of(value).map_or(any, exactly),
            ExprKind::List(items) => exactly(items.len()),
            ExprKind::Map(entries) => up_to(exactly(entries.len()).most),
            ExprKind::Coerce(inner, _) => self.size(inner, deeper),
            ExprKind::Let(id) => self.size(&self.graph.lets[id.0 as usize].body, deeper),
            ExprKind::Slot(_) | ExprKind::Field { .. } => self.stored_size(of),
            ExprKind::Conditional(_, yes, no) => self.size(yes, deeper).or(self.size(no, deeper)),
            ExprKind::Coalesce(first, second) => self.size(first, deeper).or(self.size(second, deeper)),
            ExprKind::Macro {
                kind: Macro::Filter | Macro::Map | Macro::SortBy | Macro::TransformList | Macro::TransformMap,
                over,
                ..
            } => up_to(self.size(over, deeper).most),
            ExprKind::Call(function, args) => match (function.name(), args.as_slice()) {
                (_, [a, b]) if *function == Function::ADD => {
                    any.and(self.size(a, deeper).plus(self.size(b, deeper)))
                }
                (Some("slice"), [of, start, end]) => {
                    let left = self.range(end, deeper).plus(self.range(start, deeper).negative());
                    up_to(self.size(of, deeper).and(left).most.map(|most| most.max(0)))
                }
                (Some("distinct" | "reverse" | "sort" | "substring" | "trim"), [of, ..]) => {
                    up_to(self.size(of, deeper).most)
                }
                _ => any,
            },
            _ => any,
        }
    }

    fn stored_size(&self, of: &Expr) -> Range {
        let mut size = Range { least: Some(0), most: None };
        if !is_stored(of) {
            return size;
        }
        if let Kind::List(_, Some(most)) | Kind::String(Some(most)) = &of.ty.kind {
            size.most = i64::try_from(*most).ok();
        }
        Path::of(of).map_or(size, |path| size.and((self.known)(&Term::Size(path))))
    }
}

/// The number of items of a value, if `size` counts any.
pub(super) fn items_of(value: &Value) -> Option<usize> {
    match value {
        Value::List(list) => Some(list.len()),
        Value::Map(map) => Some(map.len()),
        Value::Str(text) => Some(text.chars().count()),
        _ => None,
    }
}

fn is_int(expr: &Expr) -> bool {
    matches!(expr.ty.kind, Kind::Int(_)) && !expr.ty.nullable
}

fn is_stored(mut expr: &Expr) -> bool {
    while let ExprKind::Field { target, .. } = &expr.kind {
        expr = target;
    }
    matches!(expr.kind, ExprKind::Slot(_))
}
