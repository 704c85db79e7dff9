//! Operators: arithmetic with checked integers, comparison, membership, indexing.

use std::cmp::Ordering;

use super::Function;
use super::row::FunctionResult;
use crate::program::fault::Fault;
use crate::program::meter::{Meter, limit_size};
use crate::value::{List, Str, Value, float_of_int, int_of_float, usd};

/// Elements up to which a shared list is copied whole when it is written.
const MAX_COPIED_ELEMENTS: usize = 64;

/// An operator of two operands, over references: they need not be copied.
///
/// # Errors
/// As the operator's own function.
#[inline]
pub(in crate::program) fn binary(
    function: Function,
    a: &Value,
    b: &Value,
    meter: &mut Meter,
) -> FunctionResult {
    match function {
        Function::ADD => add(a, b, meter),
        Function::SUBTRACT => subtract(a, b),
        Function::MULTIPLY => multiply(a, b),
        Function::DIVIDE => divide(a, b),
        Function::MODULO => modulo(a, b),
        Function::INDEX => index(a, b).cloned(),
        _ => relation(function, a, b, meter).map(Value::Bool),
    }
}

/// A comparison, or `in`.
///
/// # Errors
/// As [`compare`], [`is_in`] or [`equal`]; other functions are refused.
#[inline]
pub(in crate::program) fn relation(
    function: Function,
    a: &Value,
    b: &Value,
    meter: &mut Meter,
) -> Result<bool, Fault> {
    match (function, a, b) {
        (Function::LESS, Value::Int(a), Value::Int(b)) => Ok(a < b),
        (Function::LESS_OR_EQUAL, Value::Int(a), Value::Int(b)) => Ok(a <= b),
        (Function::GREATER, Value::Int(a), Value::Int(b)) => Ok(a > b),
        (Function::GREATER_OR_EQUAL, Value::Int(a), Value::Int(b)) => Ok(a >= b),
        (Function::EQUAL, a, b) => equal(a, b, meter),
        (Function::NOT_EQUAL, a, b) => equal(a, b, meter).map(|same| !same),
        (Function::IN, a, b) => is_in(a, b, meter),
        (Function::LESS | Function::LESS_OR_EQUAL | Function::GREATER | Function::GREATER_OR_EQUAL, a, b) => {
            compare(function, a, b)
        }
        _ => Err(mismatch(function, a, b)),
    }
}

/// `a + b`.
///
/// # Errors
/// Types that do not add, overflow, limits.
#[inline]
pub fn add(a: &Value, b: &Value, meter: &mut Meter) -> FunctionResult {
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        return int(a.checked_add(*b), Function::ADD);
    }
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(a + b)),
        (Value::Usd(a), Value::Usd(b)) => checked(a.checked_add(*b), Value::Usd, Function::ADD),
        (Value::Duration(a), Value::Duration(b)) => {
            checked(a.checked_add(*b), Value::Duration, Function::ADD)
        }
        (Value::Str(a), Value::Str(b)) => {
            meter.reserve(a.len().saturating_add(b.len()))?;
            let mut joined = Str::with_capacity(a.len() + b.len());
            joined.push_str(a);
            joined.push_str(b);
            Ok(Value::Str(joined))
        }
        (Value::List(a), Value::List(b)) => join_lists(a, b, meter),
        _ => Err(mismatch(Function::ADD, a, b)),
    }
}

fn join_lists(a: &List, b: &List, meter: &mut Meter) -> FunctionResult {
    if a.is_empty() {
        return Ok(Value::List(b.clone()));
    }
    meter.charge_items(a.len().min(MAX_COPIED_ELEMENTS) + b.len())?;
    let size = |list: &List| Value::List(list.clone()).size_estimate();
    if size(a).saturating_add(size(b)) > crate::program::meter::MAX_RESULT {
        meter.reserve(usize::MAX)?;
    }
    let mut joined = a.clone();
    joined.extend(b.iter().cloned());
    limit_size(Value::List(joined))
}

/// `a - b`.
///
/// # Errors
/// Types that do not subtract, overflow.
#[inline]
pub fn subtract(a: &Value, b: &Value) -> FunctionResult {
    const SELF: Function = Function::SUBTRACT;
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_sub(*b), SELF),
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(a - b)),
        (Value::Usd(a), Value::Usd(b)) => checked(a.checked_sub(*b), Value::Usd, SELF),
        (Value::Duration(a), Value::Duration(b)) => checked(a.checked_sub(*b), Value::Duration, SELF),
        _ => Err(mismatch(SELF, a, b)),
    }
}

/// `a * b`.
///
/// # Errors
/// Types that do not multiply, overflow.
pub fn multiply(a: &Value, b: &Value) -> FunctionResult {
    const SELF: Function = Function::MULTIPLY;
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_mul(*b), SELF),
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(a * b)),
        (Value::Usd(a), Value::Int(b)) | (Value::Int(b), Value::Usd(a)) => {
            checked(a.checked_mul(*b), Value::Usd, SELF)
        }
        (Value::Duration(a), Value::Int(b)) | (Value::Int(b), Value::Duration(a)) => {
            checked(a.checked_mul(*b), Value::Duration, SELF)
        }
        (Value::Usd(a), Value::Float(b)) | (Value::Float(b), Value::Usd(a)) => {
            checked(rounded(float_of_int(*a) * b), Value::Usd, SELF)
        }
        (Value::Duration(a), Value::Float(b)) | (Value::Float(b), Value::Duration(a)) => {
            checked(rounded(float_of_int(*a) * b), Value::Duration, SELF)
        }
        _ => Err(mismatch(SELF, a, b)),
    }
}

/// `a / b`. Integers are cut towards zero; an amount by an amount is a float.
///
/// # Errors
/// Types that do not divide, integer division by zero, overflow.
pub fn divide(a: &Value, b: &Value) -> FunctionResult {
    const SELF: Function = Function::DIVIDE;
    match (a, b) {
        (Value::Int(_) | Value::Usd(_) | Value::Duration(_), Value::Int(0)) => Err(by_zero(SELF)),
        (Value::Int(a), Value::Int(b)) => int(a.checked_div(*b), SELF),
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(a / b)),
        (Value::Usd(a), Value::Int(b)) => checked(a.checked_div(*b), Value::Usd, SELF),
        (Value::Duration(a), Value::Int(b)) => checked(a.checked_div(*b), Value::Duration, SELF),
        (Value::Usd(a), Value::Float(b)) => checked(rounded(float_of_int(*a) / b), Value::Usd, SELF),
        (Value::Duration(a), Value::Float(b)) => {
            checked(rounded(float_of_int(*a) / b), Value::Duration, SELF)
        }
        (Value::Usd(a), Value::Usd(b)) => Ok(Value::Float(usd::to_float(*a) / usd::to_float(*b))),
        (Value::Duration(a), Value::Duration(b)) => Ok(Value::Float(float_of_int(*a) / float_of_int(*b))),
        _ => Err(mismatch(SELF, a, b)),
    }
}

/// `a % b`, for integers.
///
/// # Errors
/// Other types, division by zero, overflow.
pub fn modulo(a: &Value, b: &Value) -> FunctionResult {
    match (a, b) {
        (Value::Int(_), Value::Int(0)) => Err(by_zero(Function::MODULO)),
        (Value::Int(a), Value::Int(b)) => int(a.checked_rem(*b), Function::MODULO),
        _ => Err(mismatch(Function::MODULO, a, b)),
    }
}

/// `-a`.
///
/// # Errors
/// No number, amount or duration; overflow.
pub fn negate(a: &Value) -> FunctionResult {
    const SELF: Function = Function::NEGATE;
    match a {
        Value::Int(a) => int(a.checked_neg(), SELF),
        Value::Float(a) => Ok(Value::Float(-a)),
        Value::Usd(a) => checked(a.checked_neg(), Value::Usd, SELF),
        Value::Duration(a) => checked(a.checked_neg(), Value::Duration, SELF),
        _ => Err(Fault::evaluation(format!("`-` does not take {}", a.type_name()))),
    }
}

/// `!a`.
///
/// # Errors
/// No boolean.
pub fn not(a: &Value) -> FunctionResult {
    a.as_bool()
        .map(|value| Value::Bool(!value))
        .ok_or_else(|| Fault::evaluation(format!("`!` wants a bool, found {}", a.type_name())))
}

/// `a == b`.
///
/// # Errors
/// The cost limit.
#[inline]
pub fn equal(a: &Value, b: &Value, meter: &mut Meter) -> Result<bool, Fault> {
    match (a, b) {
        (Value::List(_), Value::List(_)) | (Value::Map(_), Value::Map(_)) => {
            meter.charge_bytes(a.size_estimate().min(b.size_estimate()))?;
        }
        (Value::Str(a), Value::Str(b)) if a.len() == b.len() => meter.charge_bytes(a.len() / 4)?,
        _ => {}
    }
    Ok(a.equals(b))
}

/// The order of two values for `<`, `<=`, `>`, `>=`: `None` if one is NaN.
///
/// # Errors
/// Null, or types that have no order.
#[inline]
pub fn order(function: Function, a: &Value, b: &Value) -> Result<Option<Ordering>, Fault> {
    match (a.compare(b), a, b) {
        (None, Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => Ok(None),
        (None, ..) => Err(mismatch(function, a, b)),
        (found, ..) => Ok(found),
    }
}

/// `a < b` and its like.
///
/// # Errors
/// As [`order`].
#[inline]
pub fn compare(function: Function, a: &Value, b: &Value) -> Result<bool, Fault> {
    let order = order(function, a, b)?;
    Ok(order.is_some_and(|order| match function {
        Function::LESS => order.is_lt(),
        Function::LESS_OR_EQUAL => order.is_le(),
        Function::GREATER => order.is_gt(),
        _ => order.is_ge(),
    }))
}

/// `a in b`: whether a list holds the value or a map the key.
///
/// # Errors
/// `b` is neither, or the cost limit.
pub fn is_in(a: &Value, b: &Value, meter: &mut Meter) -> Result<bool, Fault> {
    match b {
        Value::List(list) => {
            meter.charge_items(list.len())?;
            if matches!(a, Value::List(_) | Value::Map(_)) {
                meter.charge_whole(b)?;
            }
            Ok(list.iter().any(|item| item.equals(a)))
        }
        Value::Map(map) => Ok(a.as_str().is_some_and(|key| map.contains_key(key))),
        _ => Err(Fault::evaluation(format!("`in` wants a list or a map, found {}", b.type_name()))),
    }
}

/// `a[b]`: an element of a list, the value of a map's key, null of null.
///
/// # Errors
/// No such element or key, or types that cannot be indexed so.
pub fn index<'a>(a: &'a Value, b: &Value) -> Result<&'a Value, Fault> {
    match (a, b) {
        (Value::Null, _) => Ok(a),
        (Value::List(list), Value::Int(place)) => element(list, *place),
        (Value::List(list), Value::Float(place)) => match int_of_float(*place) {
            Some(whole) if place.fract() == 0.0 => element(list, whole),
            _ => Err(Fault::evaluation("a list is indexed by a whole number")),
        },
        (Value::Map(map), Value::Str(key)) => {
            map.get(key).ok_or_else(|| Fault::evaluation(format!("the map has no key `{}`", brief(key))))
        }
        _ => Err(Fault::evaluation(format!("{} cannot be indexed by {}", a.type_name(), b.type_name()))),
    }
}

fn element(list: &List, place: i64) -> Result<&Value, Fault> {
    usize::try_from(place).ok().and_then(|place| list.get(place)).ok_or_else(|| {
        Fault::evaluation(format!("there is no element {place} in a list of {} (counted from 0)", list.len()))
    })
}

/// The start of a text, for messages.
pub(super) fn brief(text: &str) -> String {
    let cut: String = text.chars().take(60).collect();
    if cut.len() < text.len() { cut + "…" } else { cut }
}

fn int(result: Option<i64>, function: Function) -> FunctionResult {
    checked(result, Value::Int, function)
}

pub(super) fn checked(result: Option<i64>, make: fn(i64) -> Value, function: Function) -> FunctionResult {
    result.map(make).ok_or_else(|| overflow(function))
}

#[cold]
fn overflow(function: Function) -> Fault {
    Fault::evaluation(format!("`{}` overflows 64 bits", sign(function)))
}

fn rounded(value: f64) -> Option<i64> {
    int_of_float(value.round())
}

#[cold]
fn by_zero(function: Function) -> Fault {
    Fault::evaluation(format!("`{}` by zero", sign(function)))
}

#[cold]
fn mismatch(function: Function, a: &Value, b: &Value) -> Fault {
    Fault::evaluation(format!("`{}` does not take {} and {}", sign(function), a.type_name(), b.type_name()))
}

/// The sign of an operator.
fn sign(operator: Function) -> &'static str {
    operator.name().unwrap_or_default()
}
