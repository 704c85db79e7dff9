//! The names of the functions and operators of the expression language.

/// A function or operator of the library. Operators are functions like the others; `&&`, `||`, `!`, `?:`, `??`
/// and the macros are not, since they do not evaluate all their arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a % b`
    Rem,
    /// `-a`
    Negate,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a in b`: item of a list, key of a map.
    In,
}
