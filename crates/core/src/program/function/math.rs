//! Functions on numbers.

use std::cmp::Ordering;

use super::args::Args;
use super::operator;
use super::row::{FunctionResult, Topic, rows};
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{Value, float_of_int};

/// Numbers.
pub(super) const TOPIC: Topic = Topic {
    title: "Numbers",
    rows: rows! {
        "sum" Global Data sum, [takes(List(&Int)) -> Int, takes(List(&Float)) -> Float, takes(List(&Usd)) -> Usd, takes(List(&Duration)) -> Duration]
            "The sum of the numbers, durations or amounts of a list; of an empty one 0."
            "sum([1, 2, 3])" => "6";
        "math.least" Global Data least, [takes(List(&Int)) -> Int, takes(List(&Float)) -> Float, takes(List(&Usd)) -> Usd, takes(List(&Duration)) -> Duration, many(Int) -> Int, many(Float) -> Float, many(Usd) -> Usd, many(Duration) -> Duration]
            "The least of the numbers, or of a list of numbers."
            "math.least(3, 1, 2)" => "1";
        "math.greatest" Global Data greatest, [takes(List(&Int)) -> Int, takes(List(&Float)) -> Float, takes(List(&Usd)) -> Usd, takes(List(&Duration)) -> Duration, many(Int) -> Int, many(Float) -> Float, many(Usd) -> Usd, many(Duration) -> Duration]
            "The greatest of the numbers, or of a list of numbers."
            "math.greatest([3, 1, 2])" => "3";
        "math.ceil" Global Fixed ceil, [takes(Float) -> Float]
            "The least whole float not below the float."
            "math.ceil(1.2)" => "2.0";
        "math.floor" Global Fixed floor, [takes(Float) -> Float]
            "The greatest whole float not above the float."
            "math.floor(1.8)" => "1.0";
        "math.round" Global Fixed round, [takes(Float) -> Float]
            "The nearest whole float; a half away from zero."
            "math.round(1.5)" => "2.0";
        "math.trunc" Global Fixed trunc, [takes(Float) -> Float]
            "The float without its fraction."
            "math.trunc(-1.8)" => "-1.0";
        "math.abs" Global Fixed abs, [takes(Int) -> Int, takes(Float) -> Float, takes(Usd) -> Usd, takes(Duration) -> Duration]
            "The number without its sign."
            "math.abs(-3)" => "3";
        "math.sign" Global Fixed sign, [takes(Int) -> Int, takes(Float) -> Float, takes(Usd) -> Int, takes(Duration) -> Int]
            "-1, 0 or 1, as the number's sign is."
            "math.sign(-3)" => "-1";
        "math.isNaN" Global Fixed is_nan, [takes(Float) -> Bool]
            "True if the float is not a number."
            "math.isNaN(0.0 / 0.0)" => "true";
        "math.isInf" Global Fixed is_inf, [takes(Float) -> Bool]
            "True if the float is infinite."
            "math.isInf(1.0 / 0.0)" => "true";
        "math.isFinite" Global Fixed is_finite, [takes(Float) -> Bool]
            "True if the float is finite."
            "math.isFinite(1.5)" => "true";
        "math.sqrt" Global Fixed sqrt, [takes(Float) -> Float, takes(Int) -> Float]
            "The square root, NaN of a negative number."
            "math.sqrt(9)" => "3.0";
        "math.bitAnd" Global Fixed bit_and, [takes(Int, Int) -> Int]
            "The bits set in both."
            "math.bitAnd(6, 3)" => "2";
        "math.bitOr" Global Fixed bit_or, [takes(Int, Int) -> Int]
            "The bits set in either."
            "math.bitOr(6, 3)" => "7";
        "math.bitXor" Global Fixed bit_xor, [takes(Int, Int) -> Int]
            "The bits set in one of the two."
            "math.bitXor(6, 3)" => "5";
        "math.bitNot" Global Fixed bit_not, [takes(Int) -> Int]
            "The bits not set."
            "math.bitNot(0)" => "-1";
        "math.bitShiftLeft" Global Fixed shift_left, [takes(Int, Int) -> Int]
            "The bits moved to the left."
            "math.bitShiftLeft(1, 3)" => "8";
        "math.bitShiftRight" Global Fixed shift_right, [takes(Int, Int) -> Int]
            "The bits moved to the right, zeros filled in."
            "math.bitShiftRight(8, 2)" => "2";
    },
};

/// The sum of a list; the type checker puts the zero of the list's type in place of that of an empty one.
fn sum(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let list = args.list(0)?;
    meter.charge_items(list.len())?;
    let Some(first) = list.get(0) else { return Ok(Value::Int(0)) };
    if !matches!(first, Value::Int(_) | Value::Float(_) | Value::Usd(_) | Value::Duration(_)) {
        return Err(args.wrong("numbers, amounts or durations", first));
    }
    list.iter().skip(1).try_fold(first.clone(), |sum, item| operator::add(&sum, item, meter))
}

fn least(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    extreme(args, Ordering::Less, meter)
}

fn greatest(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    extreme(args, Ordering::Greater, meter)
}

/// The first of the arguments, or of the one list among them, that no other surpasses.
fn extreme(args: Args<'_>, wanted: Ordering, meter: &mut Meter) -> FunctionResult {
    match args.all() {
        [Value::List(list)] => {
            meter.charge_items(list.len())?;
            extreme_of(args, list.iter(), wanted, true)
        }
        several => extreme_of(args, several.iter(), wanted, false),
    }
}

fn extreme_of<'v>(
    args: Args<'_>,
    mut items: impl Iterator<Item = &'v Value>,
    wanted: Ordering,
    single: bool,
) -> FunctionResult {
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

fn ceil(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.float(0).map(|value| Value::Float(value.ceil()))
}

fn floor(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.float(0).map(|value| Value::Float(value.floor()))
}

fn round(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.float(0).map(|value| Value::Float(value.round()))
}

fn trunc(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.float(0).map(|value| Value::Float(value.trunc()))
}

fn abs(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    let (value, make): (i64, fn(i64) -> Value) = match args.at(0) {
        Value::Float(value) => return Ok(Value::Float(value.abs())),
        Value::Int(value) => (*value, Value::Int),
        Value::Usd(value) => (*value, Value::Usd),
        Value::Duration(value) => (*value, Value::Duration),
        other => return Err(args.wrong("a number", other)),
    };
    value.checked_abs().map(make).ok_or_else(|| args.overflow())
}

fn sign(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    match args.at(0) {
        Value::Int(value) | Value::Usd(value) | Value::Duration(value) => Ok(Value::Int(value.signum())),
        Value::Float(value) if *value == 0.0 || value.is_nan() => Ok(Value::Float(*value)),
        Value::Float(value) => Ok(Value::Float(value.signum())),
        other => Err(args.wrong("a number", other)),
    }
}

fn is_nan(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.float(0).map(|value| Value::Bool(value.is_nan()))
}

fn is_inf(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.float(0).map(|value| Value::Bool(value.is_infinite()))
}

fn is_finite(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.float(0).map(|value| Value::Bool(value.is_finite()))
}

fn sqrt(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    match args.at(0) {
        Value::Int(value) => Ok(Value::Float(float_of_int(*value).sqrt())),
        _ => args.float(0).map(|value| Value::Float(value.sqrt())),
    }
}

fn bit_and(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    Ok(Value::Int(args.int(0)? & args.int(1)?))
}

fn bit_or(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    Ok(Value::Int(args.int(0)? | args.int(1)?))
}

fn bit_xor(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    Ok(Value::Int(args.int(0)? ^ args.int(1)?))
}

fn bit_not(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.int(0).map(|value| Value::Int(!value))
}

fn shift_left(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    shift(args, |value, by| value.checked_shl(by).unwrap_or(0))
}

fn shift_right(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    // Zeros are filled in from the left, also for a negative number.
    shift(args, |value, by| value.cast_unsigned().checked_shr(by).unwrap_or(0).cast_signed())
}

fn shift(args: Args<'_>, moved: impl FnOnce(i64, u32) -> i64) -> FunctionResult {
    let (value, by) = (args.int(0)?, args.int(1)?);
    if by < 0 {
        return Err(args.fault("wants a number of bits that is not negative"));
    }
    Ok(Value::Int(moved(value, u32::try_from(by).unwrap_or(u32::MAX))))
}
