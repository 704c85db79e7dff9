//! Numbers of the calculator: whole ones stay exact as long as they can.

use super::arithmetic_fault::ArithmeticFault as Fault;
use crate::value::float_of_int;

/// A number on its way: whole numbers stay exact as long as they can.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Self::Int(n) => float_of_int(n),
            Self::Float(x) => x,
        }
    }

    /// A float, if it is finite.
    pub(super) fn finite(x: f64) -> Result<Self, Fault> {
        if x.is_finite() { Ok(Self::Float(x)) } else { Err(Fault::NotFinite) }
    }
}

/// Calculates with two numbers: exactly if both are whole.
pub(super) fn both(
    left: Number,
    right: Number,
    ints: impl FnOnce(i64, i64) -> Option<i64>,
    floats: impl FnOnce(f64, f64) -> f64,
) -> Result<Number, Fault> {
    match (left, right) {
        (Number::Int(a), Number::Int(b)) => ints(a, b).map(Number::Int).ok_or(Fault::Range),
        _ => Number::finite(floats(left.float(), right.float())),
    }
}

/// The quotient; a float if there is a rest.
pub(super) fn divide(left: Number, right: Number) -> Result<Number, Fault> {
    if right.float() == 0.0 {
        return Err(Fault::DivisionByZero);
    }
    match (left, right) {
        (Number::Int(a), Number::Int(b)) if a.checked_rem(b) == Some(0) => Ok(Number::Int(a / b)),
        _ => Number::finite(left.float() / right.float()),
    }
}

/// The rest of a division, with the sign of the first.
pub(super) fn remainder(left: Number, right: Number) -> Result<Number, Fault> {
    if right.float() == 0.0 {
        return Err(Fault::DivisionByZero);
    }
    both(left, right, |a, b| Some(a.wrapping_rem(b)), |a, b| a % b)
}

/// `base` to the power of `exponent`.
pub(super) fn raise(base: Number, exponent: Number) -> Result<Number, Fault> {
    match (base, exponent) {
        (Number::Int(base), Number::Int(n)) if n >= 0 => {
            let n = u32::try_from(n).map_err(|_| Fault::Range)?;
            base.checked_pow(n).map(Number::Int).ok_or(Fault::Range)
        }
        _ => Number::finite(base.float().powf(exponent.float())),
    }
}

/// The value of a function, if there is one of this name and count of arguments.
pub(super) fn call(name: &str, args: &[Number]) -> Option<Result<Number, Fault>> {
    Some(match (name, args) {
        ("abs", [Number::Int(n)]) => n.checked_abs().map(Number::Int).ok_or(Fault::Range),
        ("abs", [x]) => Number::finite(x.float().abs()),
        ("round" | "floor" | "ceil", [Number::Int(n)]) => Ok(Number::Int(*n)),
        ("round", [x]) => whole(x.float().round()),
        ("floor", [x]) => whole(x.float().floor()),
        ("ceil", [x]) => whole(x.float().ceil()),
        ("sqrt", [x]) => Number::finite(x.float().sqrt()),
        ("min", args) => Ok(best(args, |a, b| a < b)),
        ("max", args) => Ok(best(args, |a, b| a > b)),
        ("sum", args) => {
            args.iter().try_fold(Number::Int(0), |a, b| both(a, *b, i64::checked_add, |a, b| a + b))
        }
        _ => return None,
    })
}

/// A float without fraction as a whole number.
fn whole(x: f64) -> Result<Number, Fault> {
    crate::value::int_of_float(x).map(Number::Int).ok_or(Fault::Range)
}

fn best(args: &[Number], better: impl Fn(f64, f64) -> bool) -> Number {
    let mut best = args[0];
    for arg in &args[1..] {
        if better(arg.float(), best.float()) {
            best = *arg;
        }
    }
    best
}
