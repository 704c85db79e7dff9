//! Expressions as a flat table.

use crate::program::function::Function;

/// Index into [`Program::ops`](super::Program::ops).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct OpId(pub u32);

/// A range of [`Program::operands`](super::Program::operands).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Range {
    /// First operand.
    pub start: u32,
    /// The number of them.
    pub len: u32,
}

/// A counter: the budget's index in its graph, and the key of its family where it is a meter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Counter {
    /// Index into the graph's budgets.
    pub budget: u32,
    /// Gives the key of the family.
    pub key: Option<OpId>,
}

/// Values the machine supplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Special {
    /// `result`: what the node's effect gave.
    Result,
    /// `error`: `{kind, class, message, details, attempt}`.
    Error,
    /// `outcome`: of the inner final that was entered, on a composite's `done` edges.
    Outcome,
    /// `tools`: the catalogue.
    Tools,
}

/// A question about a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BudgetQuery {
    /// `used(b)`.
    Used,
    /// `limit(b)`.
    Limit,
    /// `left(b)`, never below 0.
    Left,
    /// `exhausted(b)`: `used >= limit`.
    Exhausted,
}

/// The macros over lists (over a map they see its keys).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Macro {
    /// `all`.
    All,
    /// `exists`.
    Exists,
    /// `exists_one`.
    ExistsOne,
    /// `filter`.
    Filter,
    /// `map(x, e)` or `map(x, p, e)`.
    Map,
    /// `sortBy(x, key)`.
    SortBy,
    /// `transformList(i, v, e)` of CEL's two-variable macros.
    TransformList,
    /// `transformMap(k, v, e)`.
    TransformMap,
}

/// One operation. Names are indices into [`Program::names`](super::Program::names), constants into
/// [`Program::constants`](super::Program::constants), shapes into the table of shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Op {
    /// A constant.
    Const(u32),
    /// A slot of the frame.
    Slot(u32),
    /// A local, counted from the base of the running expression.
    Local(u32),
    /// A value the machine supplies.
    Special(Special),
    /// A let of the frame's graph, and the level of its expression that this op is.
    Let(u32, u32),
    /// Binds local `local` to `value` in `body`.
    Bind {
        /// The number of the local.
        local: u32,
        /// The operation that gives its value.
        value: OpId,
        /// The expression that may use the local.
        body: OpId,
    },
    /// A field; `hint` is its position in a record.
    Field {
        /// The record or map.
        target: OpId,
        /// The name.
        name: u32,
        /// The position to look at first.
        hint: u32,
    },
    /// `target[index]`.
    Index(OpId, OpId),
    /// A function, or an operator with one operand.
    Call(Function, Range),
    /// An operator with two operands.
    Binary(Function, OpId, OpId),
    /// `a == constant` (or `!=` with `negate`), the commonest guard; null included.
    IsConst {
        /// The other side.
        target: OpId,
        /// The number of the constant.
        constant: u32,
        /// `!=`.
        negate: bool,
    },
    /// `a && b && …` with absorption.
    And(Range),
    /// `a || b || …` with absorption.
    Or(Range),
    /// `!a`.
    Not(OpId),
    /// `a ?? b`.
    Coalesce(OpId, OpId),
    /// `c ? a : b`.
    Conditional(OpId, OpId, OpId),
    /// A list.
    List(Range),
    /// A map: keys and values in turn.
    Map(Range),
    /// A record: its field names start at `names`, one operand each.
    Record {
        /// The first field's index in the names table; the others follow.
        names: u32,
        /// The values in order.
        values: Range,
    },
    /// `has(target.name)`.
    Has(OpId, u32),
    /// A macro.
    Macro {
        /// The one that is meant.
        kind: Macro,
        /// The list or map.
        over: OpId,
        /// The item (the index or key of a two-variable macro).
        local: u32,
        /// The value of a two-variable macro.
        second: Option<u32>,
        /// The predicate.
        filter: Option<OpId>,
        /// The result per item.
        each: Option<OpId>,
    },
    /// `is(x, T)`.
    Is(OpId, u32),
    /// Run-time check against a shape.
    Coerce(OpId, u32),
    /// A query of a counter.
    Budget(BudgetQuery, Counter),
    /// `key in family`.
    InFamily(OpId, u32),
    /// `step()`.
    Step,
    /// `rolled_back()`.
    RolledBack,
    /// `visits(node)`.
    Visits(u32),
    /// `in_state(node)`.
    InState(u32),
    /// `render(text)`, and the level of its expression that this op is.
    Render(u32, u32),
    /// `now()`.
    Now,
    /// `previous(e)`: what is remembered at that place of [`GraphCode::remembered`](super::graph::GraphCode::remembered).
    Previous(OpId, u32),
}

impl Op {
    /// Calls `visit` with each operand in order; `operands` is [`Program::operands`](super::Program::operands).
    pub fn each_operand(&self, operands: &[OpId], mut visit: impl FnMut(OpId)) {
        let list =
            |range: Range| operands[range.start as usize..(range.start + range.len) as usize].iter().copied();
        match *self {
            Self::Const(_)
            | Self::Slot(_)
            | Self::Local(_)
            | Self::Special(_)
            | Self::Let(..)
            | Self::Step
            | Self::RolledBack
            | Self::Visits(_)
            | Self::InState(_)
            | Self::Render(..)
            | Self::Now => {}
            Self::Field { target: one, .. }
            | Self::IsConst { target: one, .. }
            | Self::Not(one)
            | Self::Previous(one, _)
            | Self::Has(one, _)
            | Self::Is(one, _)
            | Self::Coerce(one, _)
            | Self::InFamily(one, _) => visit(one),
            Self::Bind { value: one, body: two, .. }
            | Self::Index(one, two)
            | Self::Binary(_, one, two)
            | Self::Coalesce(one, two) => [one, two].into_iter().for_each(visit),
            Self::Conditional(one, two, three) => [one, two, three].into_iter().for_each(visit),
            Self::Call(_, range)
            | Self::And(range)
            | Self::Or(range)
            | Self::List(range)
            | Self::Map(range)
            | Self::Record { values: range, .. } => {
                list(range).for_each(visit);
            }
            Self::Macro { over, filter, each, .. } => {
                [Some(over), filter, each].into_iter().flatten().for_each(visit);
            }
            Self::Budget(_, counter) => counter.key.into_iter().for_each(visit),
        }
    }
}
