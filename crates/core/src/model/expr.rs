//! Expressions and statements with every name resolved and every type known.

use super::id::NodeId;
use super::types::{RecordId, Type};
use crate::program::function::Function;
use crate::program::op::{BudgetQuery, Macro, Special};
use crate::source::Span;
use crate::value::{Str, Value};

/// A typed expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// The kind, with its parts.
    pub kind: ExprKind,
    /// Its type, after narrowing.
    pub ty: Type,
    /// The place in the text.
    pub span: Span,
}

/// Index of a variable of a graph: inputs, state fields and the fields of composites live in one row of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(pub u32);

/// The owner of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SlotKind {
    /// Start parameter, never written.
    Input,
    /// Extended state.
    State,
    /// State of a composite, fresh at every entry.
    Inner(NodeId),
}

/// Position of a local on the stack of locals: loop variables, macro variables, `let` statements, parameters.
/// The first local of an expression or statement list that stands alone is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// Index of a parameterless `let`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LetId(pub u32);

/// Index of a budget or of a meter of a family; see [`Graph::budgets`](super::graph::Graph::budgets).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BudgetId(pub u32);

/// Index of a family of budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FamilyId(pub u32);

/// Index of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(pub u32);

/// Index of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionId(pub u32);

/// A counter that is meant.
#[derive(Debug, Clone)]
pub enum BudgetRef {
    /// A plain budget.
    Counter(BudgetId),
    /// A meter of a family, for one key.
    Meter(BudgetId, Box<Expr>),
}

/// The kinds of typed expression.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A constant; folded where both sides are constant.
    Const(Value),
    /// An input or state field.
    Slot(SlotId),
    /// A local.
    Local(LocalId),
    /// A value the machine supplies.
    Special(Special),
    /// A parameterless `let`, lazy and memoised between writes.
    Let(LetId),
    /// Binds a local for the length of `body` (a parameter whose argument is no plain path).
    Bind {
        /// The local.
        local: LocalId,
        /// Its value.
        value: Box<Expr>,
        /// The scope it is seen in.
        body: Box<Expr>,
    },
    /// `target.name`; through null gives null. `hint`: the field's position in a record.
    Field {
        /// The record or map.
        target: Box<Expr>,
        /// The field.
        name: Str,
        /// Its position in a record of the target's type.
        hint: u32,
    },
    /// `target[index]`; through null gives null. A list index outside the list or a missing key is `evaluation`.
    Index(Box<Expr>, Box<Expr>),
    /// A function or operator of the library, receiver first.
    Call(Function, Vec<Expr>),
    /// `a && b`.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`.
    Or(Box<Expr>, Box<Expr>),
    /// `!a`.
    Not(Box<Expr>),
    /// `a ?? b`.
    Coalesce(Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `{k: v}`.
    Map(Vec<(Expr, Expr)>),
    /// A record with all its declared fields in order (defaults filled in by the checker).
    Record(RecordId, Vec<(Str, Expr)>),
    /// `has(target.field)`.
    Has(Box<Expr>, Str),
    /// A macro.
    Macro {
        /// The one that is called.
        kind: Macro,
        /// The list or map.
        over: Box<Expr>,
        /// The item.
        local: LocalId,
        /// The second variable of a two-variable macro: `local` is then the index or key, this the value.
        second: Option<LocalId>,
        /// The predicate (`all`, `exists`, `exists_one`, `filter`, three-argument `map`).
        filter: Option<Box<Expr>>,
        /// The result per item (`map`, `sortBy`'s key, `transform…`).
        each: Option<Box<Expr>>,
    },
    /// `is(x, T)`.
    Is(Box<Expr>, Type),
    /// Checked at run time: the value must fit the type; missing record fields are filled.
    Coerce(Box<Expr>, Type),
    /// `used(b)` and its kin.
    Budget(BudgetQuery, BudgetRef),
    /// `key in family`.
    InFamily(Box<Expr>, FamilyId),
    /// `step()`.
    Step,
    /// `rolled_back()`: null, or a map of `from` and `to`.
    RolledBack,
    /// `visits(node)`.
    Visits(NodeId),
    /// `in_state(node)`.
    InState(NodeId),
    /// `render(text)`.
    Render(TextId),
    /// `now()`: nanoseconds since 1970 as a duration.
    Now,
    /// `previous(e)`, in properties: what it was at the entry before this one.
    Previous(Box<Expr>),
    /// Stands for what could not be typed; a model that holds one has errors and is never compiled.
    Error,
}

/// A list of typed statements.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
}

impl Block {
    /// True unless the list surely runs to its end. Nearly everything can fail: the cheapest expression does where a
    /// step has used up its work, the smallest write where the state is full.
    #[must_use]
    pub fn can_fail(&self) -> bool {
        !self.statements.iter().all(|statement| matches!(statement.kind, StatementKind::Emit(_, None)))
    }
}

/// A typed statement.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The kind, with its parts.
    pub kind: StatementKind,
    /// The place in the text.
    pub span: Span,
}

/// The kinds of typed statement.
#[derive(Debug, Clone)]
pub enum StatementKind {
    /// `place = value`, `place += value`.
    Assign {
        /// The place that is written.
        place: Place,
        /// `+=`.
        add: bool,
        /// The value, already coerced to the place's type (to its item type where `+=` appends).
        value: Expr,
    },
    /// `let x = e`.
    Let(LocalId, Expr),
    /// `spend b by n`. `None` spends 1.
    Spend(BudgetRef, Option<Expr>),
    /// `emit name {…}`.
    Emit(Str, Option<Expr>),
    /// `if`: arms in order, then the otherwise.
    If(Vec<(Expr, Block)>, Option<Block>),
    /// `name()`.
    Call(ActionId),
    /// `for v in list`, `for i, v in list`.
    For(LoopLocals, Expr, Block),
    /// `fail kind message`.
    Fail(Str, Option<Expr>),
}

impl StatementKind {
    /// The lists inside of it.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &Block> {
        let (arms, one) = match self {
            Self::If(arms, otherwise) => (arms.as_slice(), otherwise.as_ref()),
            Self::For(_, _, body) => (&[][..], Some(body)),
            _ => (&[][..], None),
        };
        arms.iter().map(|(_, body)| body).chain(one)
    }
}

/// The locals of a `for`.
#[derive(Debug, Clone, Copy)]
pub struct LoopLocals {
    /// The item's index, from 0.
    pub index: Option<LocalId>,
    /// The item.
    pub item: LocalId,
}

/// A place to write to.
#[derive(Debug, Clone)]
pub struct Place {
    /// The variable.
    pub slot: SlotId,
    /// The way down from it.
    pub steps: Vec<PlaceStep>,
    /// The type of what may be written.
    pub ty: Type,
    /// The place in the text.
    pub span: Span,
}

/// One step of a [`Place`].
#[derive(Debug, Clone)]
pub enum PlaceStep {
    /// A record's field and its position.
    Field(Str, u32),
    /// A list's index or a map's key.
    Index(Expr),
}
