//! The row of a function: all there is to know of it.

use std::borrow::Cow;
use std::sync::Arc;

use super::args::Args;
use super::signature::Overload;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::Value;

/// The value of a call, or the fault that ends it.
pub(super) type FunctionResult = Result<Value, Fault>;

/// The most arguments of a function that takes any number of them.
const MAX_ARGUMENTS: usize = 64;

/// Code that is not of this library.
type GuardedCode = dyn Fn(Args<'_>, &mut Meter) -> FunctionResult + Send + Sync;

/// A function's code.
#[derive(Clone)]
pub enum FunctionBody {
    /// Code of the library.
    BuiltIn(fn(Args<'_>, &mut Meter) -> FunctionResult),
    /// Code of whoever embeds the library, called through a check of its signature.
    Own(Arc<GuardedCode>),
}

impl FunctionBody {
    #[inline]
    pub(super) fn call(&self, args: Args<'_>, meter: &mut Meter) -> FunctionResult {
        match self {
            Self::BuiltIn(code) => code(args, meter),
            Self::Own(code) => code(args, meter),
        }
    }
}

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

/// The cost of a call, as far as it is known beforehand.
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

/// A function or operator.
#[derive(Clone)]
pub struct FunctionRow {
    /// The name as it is written in an expression, `math.abs` with its prefix; for an operator its sign.
    pub name: Cow<'static, str>,
    /// The version of a function that is not built in.
    pub version: Option<u32>,
    /// The notation.
    pub form: FunctionForm,
    /// The ways to call it. Of an operator's only the number of operands counts: its types are judged where it is written.
    pub overloads: Cow<'static, [Overload]>,
    /// The cost.
    pub cost: Cost,
    /// One line on what it gives.
    pub doc: &'static str,
    /// An expression with it, and one that gives the same.
    pub example: (&'static str, &'static str),
    /// The code. It charges the meter for the data it touches before it touches them.
    pub body: FunctionBody,
}

impl FunctionRow {
    /// The ways to call it as they are written, with their types.
    #[must_use]
    pub fn forms(&self) -> Vec<String> {
        self.overloads.iter().map(|overload| self.written(overload)).collect()
    }

    fn written(&self, overload: &Overload) -> String {
        let mut params: Vec<String> = overload.params.iter().map(ToString::to_string).collect();
        if overload.rest {
            params.push("…".to_owned());
        }
        let (name, result) = (&self.name, &overload.result);
        match (self.form, params.as_slice()) {
            (FunctionForm::Operator, [_]) => format!("{name}a"),
            (FunctionForm::Operator, _) if name == "[]" => "a[b]".to_owned(),
            (FunctionForm::Operator, _) => format!("a {name} b"),
            (FunctionForm::Receiver, [first, rest @ ..]) => {
                format!("{first}.{name}({}): {result}", rest.join(", "))
            }
            _ => format!("{name}({}): {result}", params.join(", ")),
        }
    }

    /// The least and the greatest number of arguments, receiver included.
    #[must_use]
    pub fn arity(&self) -> (usize, usize) {
        let counts = self.overloads.iter().map(|overload| {
            (overload.params.len(), if overload.rest { MAX_ARGUMENTS } else { overload.params.len() })
        });
        counts.reduce(|(least, most), (low, high)| (least.min(low), most.max(high))).unwrap_or_default()
    }
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
    ($($name:literal $form:ident $cost:ident $body:expr, [$($overload:ident($($param:expr),*) -> $result:expr),+]
        $doc:literal $example:literal => $gives:literal;)*) => {{
        use ::std::borrow::Cow;
        use $crate::program::function::row::{Cost, FunctionBody, FunctionForm, FunctionRow, is_many};
        use $crate::program::function::signature::Overload;
        const ROWS: &[FunctionRow] = &[$(FunctionRow {
            name: Cow::Borrowed($name),
            version: None,
            form: FunctionForm::$form,
            overloads: {
                // The types of a row read as in the language.
                use $crate::program::function::signature::TypePattern::*;
                const OVERLOADS: &[Overload] = &[$(Overload {
                    params: Cow::Borrowed(&[$($param),*]),
                    rest: is_many(stringify!($overload)),
                    result: $result,
                }),+];
                Cow::Borrowed(OVERLOADS)
            },
            cost: Cost::$cost,
            doc: $doc,
            example: ($example, $gives),
            body: FunctionBody::BuiltIn($body),
        }),*];
        ROWS
    }};
}

pub(super) use rows;

/// Reads the first word of a way to call a function.
pub(super) const fn is_many(overload: &str) -> bool {
    match overload.as_bytes() {
        b"takes" => false,
        b"many" => true,
        _ => panic!("a way to call a function begins with `takes` or `many`"),
    }
}
