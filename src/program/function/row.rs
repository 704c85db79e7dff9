//! The row of a function: all there is to know of it.

use super::args::Args;
use super::signature::Overload;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::Value;

/// The value of a call, or the fault that ends it.
pub(super) type FunctionResult = Result<Value, Fault>;

/// A function's code.
pub type FunctionBody = fn(Args<'_>, &mut Meter) -> FunctionResult;

/// The notation of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionForm {
    /// An operator: `a + b`.
    Operator,
    /// `name(a, b)`.
    Global,
    /// `a.name(b)`; the receiver is the first argument.
    Receiver,
    /// Either of the two.
    Either,
}

/// The cost of a call, as far as it can be told beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cost {
    /// The same for all arguments.
    Fixed,
    /// In proportion to the data that is read and made.
    Data,
    /// In proportion to the data, times the logarithm of the number of elements.
    Sorting,
    /// In proportion to the data, times the size of the pattern or schema.
    Matching,
}

/// A function or operator of the library.
#[derive(Clone, Copy)]
pub struct FunctionRow {
    /// The name as it is written in an expression, `math.abs` with its prefix; for an operator its sign.
    pub name: &'static str,
    /// The notation.
    pub form: FunctionForm,
    /// The ways to call it. Of an operator's only the number of operands counts: its types are judged where it is written.
    pub overloads: &'static [Overload],
    /// The cost.
    pub cost: Cost,
    /// One line on what it gives.
    pub doc: &'static str,
    /// An expression with it, and one that gives the same.
    pub example: (&'static str, &'static str),
    /// The code. It charges the meter for the data it touches before it touches them.
    pub body: FunctionBody,
}

/// Functions that belong together.
#[derive(Clone, Copy)]
pub struct Topic {
    /// A heading.
    pub title: &'static str,
    /// The functions.
    pub rows: &'static [FunctionRow],
}

/// The rows of a topic:
///
/// ```text
/// "name" Form Cost code, [takes(Parameter, …) -> Result, …]
///     "What it gives." "an expression" => "what that gives";
/// ```
///
/// `many(…)` is a way to call it with the last parameter any number of times.
macro_rules! rows {
    ($($name:literal $form:ident $cost:ident $body:expr, [$($way:ident($($param:expr),*) -> $result:expr),+]
        $doc:literal $example:literal => $gives:literal;)*) => {{
        use $crate::program::function::row::{Cost, FunctionForm, FunctionRow, is_many};
        use $crate::program::function::signature::Overload;
        const ROWS: &[FunctionRow] = &[$(FunctionRow {
            name: $name,
            form: FunctionForm::$form,
            overloads: {
                // The types of a row read as in the language.
                use $crate::program::function::signature::TypePattern::*;
                const OVERLOADS: &[Overload] = &[$(Overload {
                    params: &[$($param),*],
                    rest: is_many(stringify!($way)),
                    result: $result,
                }),+];
                OVERLOADS
            },
            cost: Cost::$cost,
            doc: $doc,
            example: ($example, $gives),
            body: $body,
        }),*];
        ROWS
    }};
}

pub(super) use rows;

/// Reads the first word of a way to call a function.
pub(super) const fn is_many(way: &str) -> bool {
    match way.as_bytes() {
        b"takes" => false,
        b"many" => true,
        _ => panic!("a way to call a function begins with `takes` or `many`"),
    }
}
