//! The library of functions and operators, over values.
//!
//! Every function is pure: same arguments, same result, same cost. None of them panics, blocks or runs long: each charges the
//! [`Meter`] in proportion to the data it touches before it touches them.
//!
//! [`call`] runs a function by its id; [`body`] looks it up once for many calls. The evaluator short-cuts the commonest operators
//! through [`operator`].

mod args;
mod convert;
mod data;
mod format;
mod list;
mod map;
mod math;
pub mod operator;
mod pattern;
mod schema;
mod table;
mod text;

pub use args::Args;
pub use pattern::Pattern;
pub use schema::Schema;

pub use super::fault::{Fault, FaultKind};
pub use super::meter::Meter;
use crate::value::{Function, Value};

/// A function's code.
pub type Body = fn(Args<'_>, &mut Meter) -> Result<Value, Fault>;

/// The code of a function.
#[must_use]
pub fn body(function: Function) -> Body {
    table::body(function)
}

/// Calls a function. The receiver of `a.name(b)` is the first argument.
///
/// # Errors
/// What the function says about its arguments; a wrong number of arguments; the limits of size and cost.
pub fn call(function: Function, args: &[Value], meter: &mut Meter) -> Result<Value, Fault> {
    let (least, most) = function.arity();
    if args.len() < least || args.len() > most {
        return Err(Fault::evaluation(format!(
            "`{}` does not take {} arguments",
            function.name(),
            args.len()
        )));
    }
    body(function)(Args::new(function, args), meter)
}

#[cfg(test)]
mod tests;
