//! Conversions between types.

use super::args::Args;
use super::format::{float_text, plain_text};
use super::operator::brief;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{Str, Value, duration, float_of_int, int_of_float, usd};

type Outcome = Result<Value, Fault>;

pub(super) fn to_text(args: Args<'_>, meter: &mut Meter) -> Outcome {
    match args.at(0) {
        Value::Str(text) => Ok(Value::Str(text.clone())),
        value @ (Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Usd(_) | Value::Duration(_)) => {
            meter.charge(2)?;
            Ok(plain_text(value).into())
        }
        other => Err(args.wrong("a scalar (`json` writes lists and maps)", other)),
    }
}

pub(super) fn to_int(args: Args<'_>, _: &mut Meter) -> Outcome {
    match args.at(0) {
        Value::Int(value) => Ok(Value::Int(*value)),
        // CEL refuses the least integer here as well, since a float that far out is rarely exact.
        Value::Float(value) => int_of_float(*value)
            .filter(|int| *int != i64::MIN)
            .map(Value::Int)
            .ok_or_else(|| args.fault(format_args!("cannot make an int of {}", float_text(*value)))),
        Value::Str(text) => text.parse().map(Value::Int).map_err(|_| unreadable(args, text, "an int")),
        other => Err(args.wrong("a number or a string", other)),
    }
}

pub(super) fn to_float(args: Args<'_>, _: &mut Meter) -> Outcome {
    match args.at(0) {
        Value::Float(value) => Ok(Value::Float(*value)),
        Value::Int(value) => Ok(Value::Float(float_of_int(*value))),
        Value::Usd(value) => Ok(Value::Float(usd::to_float(*value))),
        Value::Str(text) => {
            read_float(text).map(Value::Float).ok_or_else(|| unreadable(args, text, "a float"))
        }
        other => Err(args.wrong("a number, an amount or a string", other)),
    }
}

/// A number too great for a float is none; `Infinity` in words is one.
fn read_float(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    (!value.is_infinite() || !text.contains(|c: char| c.is_ascii_digit())).then_some(value)
}

pub(super) fn to_bool(args: Args<'_>, _: &mut Meter) -> Outcome {
    match args.at(0) {
        Value::Bool(value) => Ok(Value::Bool(*value)),
        Value::Str(text) => match text.as_str() {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => Err(unreadable(args, text, "a bool")),
        },
        other => Err(args.wrong("a bool or a string", other)),
    }
}

pub(super) fn to_duration(args: Args<'_>, _: &mut Meter) -> Outcome {
    match args.at(0) {
        Value::Duration(value) => Ok(Value::Duration(*value)),
        Value::Str(text) => duration::parse(text).map(Value::Duration).map_err(|fault| {
            args.fault(format_args!("cannot read '{}' (like '1m30s'): {fault}", brief(text)))
        }),
        other => Err(args.wrong("a duration or a string", other)),
    }
}

pub(super) fn to_usd(args: Args<'_>, _: &mut Meter) -> Outcome {
    let amount = match args.at(0) {
        Value::Usd(value) => Ok(*value),
        Value::Int(value) => value.checked_mul(usd::ONE).ok_or(crate::value::TextFault::OutOfRange),
        Value::Float(value) => usd::from_float(*value),
        Value::Str(text) => usd::parse(text),
        other => return Err(args.wrong("a number, an amount or a string", other)),
    };
    amount
        .map(Value::Usd)
        .map_err(|fault| args.fault(format_args!("cannot make an amount (like '0.25'): {fault}")))
}

pub(super) fn parse_int(args: Args<'_>, _: &mut Meter) -> Outcome {
    match args.at(0) {
        Value::Int(value) => Ok(Value::Int(*value)),
        Value::Str(text) => Ok(text.trim().parse().ok().map_or(Value::Null, Value::Int)),
        other => Err(args.wrong("a string", other)),
    }
}

pub(super) fn hours(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.duration(0).map(|nanos| Value::Int(nanos / 3_600_000_000_000))
}

pub(super) fn minutes(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.duration(0).map(|nanos| Value::Int(nanos / 60_000_000_000))
}

pub(super) fn seconds(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.duration(0).map(|nanos| Value::Int(nanos / 1_000_000_000))
}

pub(super) fn milliseconds(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.duration(0).map(|nanos| Value::Int(nanos / 1_000_000 % 1_000))
}

fn unreadable(args: Args<'_>, text: &Str, wanted: &str) -> Fault {
    args.fault(format_args!("cannot read '{}' as {wanted}", brief(text)))
}
