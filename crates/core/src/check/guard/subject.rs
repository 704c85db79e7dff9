//! Subjects: what guards say something about, with the classes of their values.

use super::class::{Points, ValueClass, classes, intervals};
use super::term::{Head, TermId, Terms};
use crate::decide::DiagramVariable;
use crate::model::Graph;
use crate::model::expr::{BudgetId, ExprKind};
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::program::function::Function;
use crate::program::graph::{Charge, Gate};
use crate::program::op::BudgetQuery;
use crate::value::Value;

/// The subject of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SubjectKey {
    /// The value of a term.
    One(TermId),
    /// The order of the values of two terms.
    Pair(TermId, TermId),
}

/// The ways in which two values may stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairClass {
    /// The first less the second lies between these, for whole numbers.
    Difference(i128, i128),
    /// The first is smaller.
    Less,
    /// They are equal.
    Equal,
    /// The first is greater.
    Greater,
    /// They are different, in a way that `<` answers with false: one is NaN.
    Unordered,
    /// They are different, and `<` does not take them.
    Different,
    /// They are equal, and `<` does not take them.
    Same,
    /// One has no value.
    Failed,
}

/// The classes of a subject.
#[derive(Debug, Clone)]
pub(super) enum Classes {
    Of(Vec<ValueClass>),
    Pairs(Vec<PairClass>),
}

/// A subject.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) key: SubjectKey,
    pub(super) points: Points,
    /// The numbers that a difference is compared with.
    pub(super) differences: Vec<i128>,
    pub(super) classes: Classes,
    pub(super) variable: DiagramVariable,
}

impl Subject {
    pub(super) fn new(key: SubjectKey) -> Self {
        Self {
            key,
            points: Points::default(),
            differences: Vec::new(),
            classes: Classes::Of(Vec::new()),
            variable: DiagramVariable(0),
        }
    }

    pub(super) fn classes(&self) -> &[ValueClass] {
        match &self.classes {
            Classes::Of(classes) => classes,
            Classes::Pairs(_) => &[],
        }
    }

    pub(super) fn pairs(&self) -> &[PairClass] {
        match &self.classes {
            Classes::Pairs(classes) => classes,
            Classes::Of(_) => &[],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.classes().len() + self.pairs().len()
    }
}

/// True for types whose values are whole numbers inside.
pub(super) const fn is_whole(ty: &Type) -> bool {
    matches!(ty.kind, Kind::Int(_) | Kind::Usd | Kind::Duration) && !ty.nullable
}

/// The classes of a term's values; [`None`] if they are too many.
pub(super) fn classes_of(
    (graph, types): (&Graph, &TypeTable),
    terms: &Terms,
    id: TermId,
    points: &Points,
) -> Option<Classes> {
    let term = terms.get(id);
    classes(term.ty, terms.can_fail(id, types), range(graph, terms, id), points).map(Classes::Of)
}

/// The range of a term of whole numbers.
pub(super) fn range(graph: &Graph, terms: &Terms, id: TermId) -> (i64, i64) {
    let term = terms.get(id);
    let (low, high) = match term.head {
        Head::Budget(BudgetQuery::Used, budget) => (0, most_used(graph, *budget)),
        Head::Budget(..) | Head::Step | Head::Call(Function::SIZE) => (0, i64::MAX),
        Head::Visits(_) => (0, i64::from(u32::MAX)),
        _ => (i64::MIN, i64::MAX),
    };
    match term.ty.kind {
        Kind::Int(Some((least, greatest))) => (low.max(least), high.min(greatest)),
        _ => (low, high),
    }
}

/// The most that a budget lets through past its limit: a hard one that is spent by statements, or charged with
/// transitions one by one. What is known only after a call may be any amount.
fn most_over(graph: &Graph, id: BudgetId) -> Option<i64> {
    let budget = graph.budgets.get(id.0 as usize)?;
    let more = match budget.charge {
        None => 0,
        Some(Charge::Transitions) => 1,
        Some(_) => return None,
    };
    let grace = match budget.grace.as_ref().map(|grace| &grace.kind) {
        None => 0,
        Some(ExprKind::Const(Value::Int(grace))) => (*grace).max(0),
        Some(_) => return None,
    };
    (budget.gate == Gate::Hard).then(|| grace.saturating_add(more))
}

fn most_used(graph: &Graph, id: BudgetId) -> i64 {
    let limit = graph.budgets.get(id.0 as usize).and_then(|budget| match budget.limit.kind {
        ExprKind::Const(Value::Int(limit)) => Some(limit.max(0)),
        _ => None,
    });
    most_over(graph, id).zip(limit).map_or(i64::MAX, |(over, limit)| limit.saturating_add(over))
}

/// The classes of a pair of terms.
pub(super) fn pair_classes(
    (graph, types): (&Graph, &TypeTable),
    terms: &Terms,
    (a, b): (TermId, TermId),
    differences: &[i128],
) -> Classes {
    let (one, other) = (terms.get(a), terms.get(b));
    let mut all = Vec::new();
    if is_whole(one.ty) && is_whole(other.ty) {
        let ((low, high), (least, greatest)) = (range(graph, terms, a), range(graph, terms, b));
        let mut lowest = i128::from(low) - i128::from(greatest);
        let mut highest = i128::from(high) - i128::from(least);
        let over = |used: &Head, limit: &Head| match (used, limit) {
            (Head::Budget(BudgetQuery::Used, used), Head::Budget(BudgetQuery::Limit, limit))
                if used == limit && one.parts == other.parts =>
            {
                most_over(graph, *used).map(i128::from)
            }
            _ => None,
        };
        if let Some(over) = over(one.head, other.head) {
            highest = highest.min(over);
        } else if let Some(over) = over(other.head, one.head) {
            lowest = lowest.max(-over);
        }
        let mut cuts = differences.to_vec();
        let found = intervals(&mut cuts, (lowest, highest), |n| n + 1, |n| n - 1);
        all.extend(found.into_iter().map(|(low, high)| PairClass::Difference(low, high)));
    } else {
        let ordered = |ty: &Type| {
            matches!(
                ty.kind,
                Kind::Int(_)
                    | Kind::Float
                    | Kind::Usd
                    | Kind::Duration
                    | Kind::String(_)
                    | Kind::Bool
                    | Kind::Enum(_)
                    | Kind::Any
                    | Kind::Error
                    | Kind::Type
            )
        };
        let loose = |ty: &Type| matches!(ty.kind, Kind::Any | Kind::Error);
        if ordered(one.ty) && ordered(other.ty) {
            all.extend([PairClass::Equal, PairClass::Less, PairClass::Greater]);
        }
        if [one, other].iter().any(|term| matches!(term.ty.kind, Kind::Float) || loose(term.ty)) {
            all.push(PairClass::Unordered);
        }
        let nullable = |ty: &Type| ty.nullable || loose(ty) || !ordered(ty);
        if nullable(one.ty) || nullable(other.ty) {
            all.push(PairClass::Different);
        }
        if nullable(one.ty) && nullable(other.ty) {
            all.push(PairClass::Same);
        }
    }
    if terms.can_fail(a, types) || terms.can_fail(b, types) || all.is_empty() {
        all.push(PairClass::Failed);
    }
    Classes::Pairs(all)
}
