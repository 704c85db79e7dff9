//! Integers as sums of what may change: `size(xs) - i`.

use smallvec::SmallVec;

use super::declared::Declared;
use super::interval::range_with;
use super::range::Range;
use super::term::{Known, Term};
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::Kind;
use crate::program::function::Function;
use crate::value::{Value, usd};

/// Expressions that nest deeper than this are no sums; lets count as what they stand for.
const MAX_SUM_DEPTH: u32 = 32;
/// A sum has at most so many terms.
const MAX_SUM_TERMS: usize = 8;

/// True for the types whose values are whole numbers of a smallest unit: integers, money and time.
pub(super) const fn is_exact(kind: &Kind) -> bool {
    matches!(kind, Kind::Int(_) | Kind::Usd | Kind::Duration)
}

/// A constant amount of money, in the smallest unit.
fn dollars(of: &Expr) -> Option<i64> {
    match &of.kind {
        ExprKind::Const(Value::Str(text)) => usd::parse(text).ok(),
        ExprKind::Const(Value::Int(n)) => n.checked_mul(usd::ONE),
        ExprKind::Const(Value::Usd(n)) => Some(*n),
        _ => None,
    }
}

/// The values of an integer, or of money or time in its smallest unit.
pub(super) fn values(declared: Declared<'_>, expr: &Expr, known: Known<'_>) -> Range {
    match Linear::of(declared, expr) {
        Some(sum) if sum.terms.is_empty() => Range::of(sum.constant),
        Some(sum) => sum.range(declared, known).and(range_with(declared.graph, expr, known)),
        None => range_with(declared.graph, expr, known),
    }
}

/// A constant and terms, each with a factor that is not 0; sorted by term.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Linear {
    pub(super) constant: i64,
    pub(super) terms: SmallVec<[(Term, i64); 2]>,
}

impl Linear {
    fn constant(constant: i64) -> Self {
        Self { constant, terms: SmallVec::new() }
    }

    pub(super) fn term(term: Term) -> Self {
        Self { constant: 0, terms: SmallVec::from_iter([(term, 1)]) }
    }

    /// The sum an expression gives whenever it has a value, if it is one.
    pub(super) fn of(declared: Declared<'_>, expr: &Expr) -> Option<Self> {
        Self::at(declared, expr, 0)
    }

    fn at(declared: Declared<'_>, expr: &Expr, depth: u32) -> Option<Self> {
        if depth > MAX_SUM_DEPTH {
            return None;
        }
        let part = |expr: &Expr| Self::at(declared, expr, depth + 1);
        match &expr.kind {
            ExprKind::Const(Value::Int(n) | Value::Usd(n) | Value::Duration(n)) => Some(Self::constant(*n)),
            ExprKind::Let(id) => part(&declared.graph.lets[id.0 as usize].body),
            ExprKind::Coerce(inner, ty) if matches!(ty.kind, Kind::Int(_)) => part(inner),
            ExprKind::Step => Some(Self::term(Term::Steps)),
            ExprKind::Visits(node) => Some(Self::term(Term::Visits(*node))),
            ExprKind::Slot(_) | ExprKind::Field { .. } => {
                let (path, ty) = declared.stored(expr)?;
                is_exact(&ty.kind).then(|| Self::term(Term::Int(path)))
            }
            ExprKind::Call(function, args) => match (*function, args.as_slice()) {
                (function, [of]) if function.name() == Some("usd") => dollars(of).map(Self::constant),
                (Function::ADD, [a, b]) => part(a)?.plus(&part(b)?, 1),
                (Function::SUBTRACT, [a, b]) => part(a)?.plus(&part(b)?, -1),
                (Function::NEGATE, [a]) => Self::default().plus(&part(a)?, -1),
                (Function::SIZE, [of]) => Self::size(declared, of),
                _ => None,
            },
            _ => None,
        }
    }

    /// The size of a list, map or text.
    pub(super) fn size(declared: Declared<'_>, of: &Expr) -> Option<Self> {
        let mut of = of;
        for _ in 0..MAX_SUM_DEPTH {
            let ExprKind::Let(id) = &of.kind else { break };
            of = &declared.graph.lets[id.0 as usize].body;
        }
        let len = match &of.kind {
            ExprKind::Const(Value::List(list)) => list.len(),
            ExprKind::List(items) => items.len(),
            _ => {
                let (path, ty) = declared.stored(of)?;
                let sized = matches!(ty.kind, Kind::List(..) | Kind::Map(_) | Kind::String(_));
                return sized.then(|| Self::term(Term::Size(path)));
            }
        };
        i64::try_from(len).ok().map(Self::constant)
    }

    /// This and `factor` times the other.
    pub(super) fn plus(mut self, other: &Self, factor: i64) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (term, times) in &other.terms {
            let times = times.checked_mul(factor)?;
            match self.terms.binary_search_by(|(own, _)| own.cmp(term)) {
                Ok(place) => self.terms[place].1 = self.terms[place].1.checked_add(times)?,
                Err(place) => self.terms.insert(place, (term.clone(), times)),
            }
        }
        self.terms.retain(|(_, times)| *times != 0);
        (self.terms.len() <= MAX_SUM_TERMS).then_some(self)
    }

    /// The values of a sum. Those beyond what an integer holds are none: a sum that overflows has no value.
    pub(super) fn range(&self, declared: Declared<'_>, known: Known<'_>) -> Range {
        let end = |greatest: bool| {
            self.terms.iter().try_fold(self.constant, |sum, (term, factor)| {
                let values = term.range(declared, known);
                let end = if (*factor > 0) == greatest { values.most } else { values.least };
                sum.checked_add(end?.checked_mul(*factor)?)
            })
        };
        Range { least: end(false), most: end(true) }
    }

    /// One more.
    pub(super) fn plus_one(self) -> Option<Self> {
        self.plus(&Self::constant(1), 1)
    }
}
