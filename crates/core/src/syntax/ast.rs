//! Expressions, statements and types as they are written, before any name is resolved.

use crate::source::{Span, Spanned};

/// A name and its place.
pub type Name = Spanned<String>;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// The whole of it.
    pub span: Span,
}

/// Calls `seen` for each expression directly inside one of that kind; the words say how a list and a box are gone into.
macro_rules! each_child {
    ($kind:expr, $seen:ident, $iter:ident, $as_deref:ident) => {
        match $kind {
            ExprKind::Literal(_) | ExprKind::Name(_) => {}
            ExprKind::Field(target, _) => $seen(target),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
                $seen(a);
                $seen(b);
            }
            ExprKind::Call { receiver, args, .. } => {
                receiver.$as_deref().into_iter().chain(args).for_each($seen);
            }
            ExprKind::Is(value, _) | ExprKind::Unary(_, value) => $seen(value),
            ExprKind::Conditional(a, b, c) => {
                $seen(a);
                $seen(b);
                $seen(c);
            }
            ExprKind::List(items) => items.$iter().for_each($seen),
            ExprKind::Map(entries) => entries.$iter().for_each(|(key, value)| {
                $seen(key);
                $seen(value);
            }),
            ExprKind::Record(_, fields) => fields.$iter().for_each(|(_, value)| $seen(value)),
        }
    };
}

impl Expr {
    /// Calls `seen` for each expression directly inside this one, in order of the text.
    pub fn for_each_child<'e>(&'e self, seen: &mut dyn FnMut(&'e Self)) {
        each_child!(&self.kind, seen, iter, as_deref);
    }

    /// The same of an expression that is changed.
    pub fn for_each_child_mut(&mut self, seen: &mut dyn FnMut(&mut Self)) {
        each_child!(&mut self.kind, seen, iter_mut, as_deref_mut);
    }
}

/// The kinds of expression. Macros (`has`, `all`, `exists`, `exists_one`, `map`, `filter`) and functions are
/// all [`ExprKind::Call`]; the model tells them apart by name and receiver.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A literal.
    Literal(Literal),
    /// A bare name.
    Name(String),
    /// `target.field`.
    Field(Box<Expr>, Name),
    /// `target[index]`.
    Index(Box<Expr>, Box<Expr>),
    /// `name(args)` or `receiver.name(args)`; `math.least(…)` has the receiver `math`.
    Call {
        /// The receiver, if the call is written with a dot.
        receiver: Option<Box<Expr>>,
        /// The function.
        name: Name,
        /// The arguments in order.
        args: Vec<Expr>,
    },
    /// `is(value, Type)`.
    Is(Box<Expr>, Box<TypeExpr>),
    /// `!x` or `-x`.
    Unary(UnaryOp, Box<Expr>),
    /// `a op b`; the operator carries its own place.
    Binary(Spanned<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `cond ? then : otherwise`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `{key: value}`; keys are expressions.
    Map(Vec<(Expr, Expr)>),
    /// `T{field: value}`.
    Record(Name, Vec<(Name, Expr)>),
}

/// A literal.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A 64-bit signed integer.
    Int(i64),
    /// A double.
    Float(f64),
    /// A string, unescaped.
    String(String),
    /// A duration in nanoseconds.
    Duration(i64),
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Negate,
}

/// Infix operators, in the order of CEL's precedence, `??` just above `?:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `??`
    Coalesce,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

impl BinaryOp {
    /// As it is written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Coalesce => "??",
            Self::Or => "||",
            Self::And => "&&",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::In => "in",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
        }
    }
}

/// A type as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeExpr {
    /// Its kind.
    pub kind: TypeKind,
    /// `?` after it.
    pub nullable: bool,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of type.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// A plain name: `bool`, `int`, `any`, `Decision`.
    Name(String),
    /// `int(0..9)`.
    IntRange(i64, i64),
    /// `string(200)`: at most so many characters.
    StringMax(u64),
    /// `list<T>` or `list<T>(5)`.
    List(Box<TypeExpr>, Option<u64>),
    /// `map<T>`.
    Map(Box<TypeExpr>),
    /// `enum(a, b)`.
    Enum(Vec<Name>),
    /// `outputs('file')`.
    Outputs(Spanned<String>),
}

/// A list of statements.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Its effect.
    pub kind: StatementKind,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of statement.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `place = value` or `place += value`.
    Assign {
        /// The place that is written to.
        place: Place,
        /// `+=`.
        add: bool,
        /// The value.
        value: Expr,
    },
    /// `let name = value`, to the end of the list.
    Let(Name, Expr),
    /// `spend budget` or `spend budget by n`. The budget is `name` or `family[key].meter`.
    Spend(Expr, Option<Expr>),
    /// `emit name {…}`.
    Emit(Name, Option<Expr>),
    /// `if c {…} else if d {…} else {…}`.
    If(Vec<(Expr, Block)>, Option<Block>),
    /// `name()`.
    Call(Name),
    /// `for v in list {…}`, `for i, v in list {…}`.
    For(LoopNames, Expr, Block),
    /// `fail kind "message"`; the message is an expression.
    Fail(Name, Option<Expr>),
}

/// The names that a `for` gives to each item.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopNames {
    /// The item's index, from 0.
    pub index: Option<Name>,
    /// The item.
    pub item: Name,
}

/// The target of an assignment: a root name and the way down from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// A state field.
    pub root: Name,
    /// Fields and indices.
    pub steps: Vec<PlaceStep>,
    /// The whole of it.
    pub span: Span,
}

/// One step of a [`Place`].
#[derive(Debug, Clone, PartialEq)]
pub enum PlaceStep {
    /// `.field`
    Field(Name),
    /// `[index]`
    Index(Expr),
}
