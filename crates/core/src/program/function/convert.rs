//! Conversions between types.

use super::args::Args;
use super::format::{float_text, plain_text};
use super::operator::brief;
use super::row::{FunctionResult, Topic, rows};
use super::text::as_int;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{Str, Value, duration, float_of_int, int_of_float, usd};

/// Any value.
pub(super) const TOPIC: Topic = Topic {
    title: "Any value",
    rows: rows! {
        "size" Either Data size, [takes(String) -> Int, takes(List(&Nullable)) -> Int, takes(Map(&Nullable)) -> Int]
            "Number of characters, elements or entries."
            "size('abc')" => "3";
        "type" Global Fixed |args, _| Ok(args.at(0).type_name().into()), [takes(Nullable) -> TypeName]
            "Name of the value's type."
            "type(1.5) == float" => "true";
        "string" Global Fixed to_text, [takes(String) -> String, takes(Int) -> String, takes(Float) -> String, takes(Bool) -> String, takes(Usd) -> String, takes(Duration) -> String, takes(TypeName) -> String]
            "The value as text."
            "string(1.5)" => "'1.5'";
        "int" Global Fixed to_int, [takes(Int) -> Int, takes(Float) -> Int, takes(String) -> Int]
            "The value as an integer: a text is read, a float cut towards zero."
            "int('42')" => "42";
        "double" Global Fixed to_float, [takes(Float) -> Float, takes(Int) -> Float, takes(String) -> Float, takes(Usd) -> Float]
            "The value as a float: a text is read."
            "double('0.5')" => "0.5";
        "bool" Global Fixed to_bool, [takes(Bool) -> Bool, takes(String) -> Bool]
            "The text `true` or `false` as a boolean."
            "bool('true')" => "true";
        "duration" Global Fixed to_duration, [takes(String) -> Duration, takes(Duration) -> Duration]
            "The text, like `1m30s`, as a duration."
            "duration('90s')" => "1m30s";
        "usd" Global Fixed to_usd, [takes(Usd) -> Usd, takes(String) -> Usd, takes(Int) -> Usd, takes(Float) -> Usd]
            "The text or number as an amount of money."
            "usd('0.25') * 2" => "usd('0.5')";
        "dyn" Global Fixed |args, _| Ok(args.at(0).clone()), [takes(Nullable) -> Any]
            "The value itself, with its type forgotten."
            "dyn(1)" => "1";
    },
};

fn size(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let count = match args.at(0) {
        Value::Str(text) => {
            meter.charge_bytes(text.len())?;
            text.chars().count()
        }
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        other => return Err(args.wrong("a string, a list or a map", other)),
    };
    Ok(Value::Int(as_int(count)))
}

fn to_text(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    match args.at(0) {
        Value::Str(text) => Ok(Value::Str(text.clone())),
        value @ (Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Usd(_) | Value::Duration(_)) => {
            meter.charge(2)?;
            Ok(plain_text(value).into())
        }
        other => Err(args.wrong("a scalar (`json` writes lists and maps)", other)),
    }
}

fn to_int(args: Args<'_>, _: &mut Meter) -> FunctionResult {
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

fn to_float(args: Args<'_>, _: &mut Meter) -> FunctionResult {
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

fn to_bool(args: Args<'_>, _: &mut Meter) -> FunctionResult {
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

fn to_duration(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    match args.at(0) {
        Value::Duration(value) => Ok(Value::Duration(*value)),
        Value::Str(text) => duration::parse(text).map(Value::Duration).map_err(|fault| {
            args.fault(format_args!("cannot read '{}' (like '1m30s'): {fault}", brief(text)))
        }),
        other => Err(args.wrong("a duration or a string", other)),
    }
}

fn to_usd(args: Args<'_>, _: &mut Meter) -> FunctionResult {
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

fn unreadable(args: Args<'_>, text: &Str, wanted: &str) -> Fault {
    args.fault(format_args!("cannot read '{}' as {wanted}", brief(text)))
}
