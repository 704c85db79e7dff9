//! Functions on numbers.

use std::cmp::Ordering;

use super::args::Args;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{Value, float_of_int};

type Outcome = Result<Value, Fault>;

pub(super) fn least(args: Args<'_>, meter: &mut Meter) -> Outcome {
    extreme(args, Ordering::Less, meter)
}

pub(super) fn greatest(args: Args<'_>, meter: &mut Meter) -> Outcome {
    extreme(args, Ordering::Greater, meter)
}

/// The first of the arguments, or of the one list among them, that no other surpasses.
fn extreme(args: Args<'_>, wanted: Ordering, meter: &mut Meter) -> Outcome {
    let (items, single): (Vec<&Value>, bool) = match args.all() {
        [Value::List(list)] => {
            meter.charge_items(list.len())?;
            (list.iter().collect(), true)
        }
        several => (several.iter().collect(), false),
    };
    let mut items = items.into_iter();
    let Some(mut best) = items.next() else { return Err(args.fault("wants a list that is not empty")) };
    number(args, best, single)?;
    for item in items {
        number(args, item, single)?;
        match item.compare(best) {
            Some(order) if order == wanted => best = item,
            None if item.rank_of_number() != best.rank_of_number() => {
                return Err(args.wrong("values of one type", item));
            }
            _ => {}
        }
    }
    Ok(best.clone())
}

fn number(args: Args<'_>, value: &Value, in_list: bool) -> Result<(), Fault> {
    match value {
        Value::Int(_) | Value::Float(_) | Value::Usd(_) | Value::Duration(_) => Ok(()),
        other => Err(args.wrong(if in_list { "a list of numbers" } else { "numbers" }, other)),
    }
}

/// Integers and floats are of one kind; amounts and durations each of their own.
trait NumberKind {
    fn rank_of_number(&self) -> &'static str;
}

impl NumberKind for Value {
    fn rank_of_number(&self) -> &'static str {
        if matches!(self, Self::Int(_)) { "float" } else { self.type_name() }
    }
}

pub(super) fn ceil(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.float(0).map(|value| Value::Float(value.ceil()))
}

pub(super) fn floor(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.float(0).map(|value| Value::Float(value.floor()))
}

pub(super) fn round(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.float(0).map(|value| Value::Float(value.round()))
}

pub(super) fn trunc(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.float(0).map(|value| Value::Float(value.trunc()))
}

pub(super) fn abs(args: Args<'_>, _: &mut Meter) -> Outcome {
    let (value, make): (i64, fn(i64) -> Value) = match args.at(0) {
        Value::Float(value) => return Ok(Value::Float(value.abs())),
        Value::Int(value) => (*value, Value::Int),
        Value::Usd(value) => (*value, Value::Usd),
        Value::Duration(value) => (*value, Value::Duration),
        other => return Err(args.wrong("a number", other)),
    };
    value.checked_abs().map(make).ok_or_else(|| args.overflow())
}

pub(super) fn sign(args: Args<'_>, _: &mut Meter) -> Outcome {
    match args.at(0) {
        Value::Int(value) | Value::Usd(value) | Value::Duration(value) => Ok(Value::Int(value.signum())),
        Value::Float(value) if *value == 0.0 || value.is_nan() => Ok(Value::Float(*value)),
        Value::Float(value) => Ok(Value::Float(value.signum())),
        other => Err(args.wrong("a number", other)),
    }
}

pub(super) fn is_nan(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.float(0).map(|value| Value::Bool(value.is_nan()))
}

pub(super) fn is_inf(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.float(0).map(|value| Value::Bool(value.is_infinite()))
}

pub(super) fn is_finite(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.float(0).map(|value| Value::Bool(value.is_finite()))
}

pub(super) fn sqrt(args: Args<'_>, _: &mut Meter) -> Outcome {
    match args.at(0) {
        Value::Int(value) => Ok(Value::Float(float_of_int(*value).sqrt())),
        _ => args.float(0).map(|value| Value::Float(value.sqrt())),
    }
}

pub(super) fn bit_and(args: Args<'_>, _: &mut Meter) -> Outcome {
    Ok(Value::Int(args.int(0)? & args.int(1)?))
}

pub(super) fn bit_or(args: Args<'_>, _: &mut Meter) -> Outcome {
    Ok(Value::Int(args.int(0)? | args.int(1)?))
}

pub(super) fn bit_xor(args: Args<'_>, _: &mut Meter) -> Outcome {
    Ok(Value::Int(args.int(0)? ^ args.int(1)?))
}

pub(super) fn bit_not(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.int(0).map(|value| Value::Int(!value))
}

pub(super) fn shift_left(args: Args<'_>, _: &mut Meter) -> Outcome {
    shift(args, |value, by| value.checked_shl(by).unwrap_or(0))
}

pub(super) fn shift_right(args: Args<'_>, _: &mut Meter) -> Outcome {
    // Zeros are filled in from the left, also for a negative number.
    shift(args, |value, by| value.cast_unsigned().checked_shr(by).unwrap_or(0).cast_signed())
}

fn shift(args: Args<'_>, moved: impl FnOnce(i64, u32) -> i64) -> Outcome {
    let (value, by) = (args.int(0)?, args.int(1)?);
    if by < 0 {
        return Err(args.fault("wants a number of bits that is not negative"));
    }
    Ok(Value::Int(moved(value, u32::try_from(by).unwrap_or(u32::MAX))))
}
