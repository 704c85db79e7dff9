//! `format`, and how values print as text.

use std::fmt::Write;

use super::args::Args;
use crate::program::fault::Fault;
use crate::program::meter::{MAX_RESULT, Meter};
use crate::value::{Value, duration, float_of_int, usd};

/// The most digits after a point that a clause may ask for.
const MAX_PRECISION: usize = 100;

/// `'%s is %d'.format(['x', 1])`.
pub(super) fn format(args: Args<'_>, meter: &mut Meter) -> Result<Value, Fault> {
    let (text, values) = (args.text(0)?, args.list(1)?);
    meter.reserve(text.len())?;
    let mut values = values.iter();
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let (clause, after_clause) = Clause::read(args, after)?;
        rest = after_clause;
        if clause.verb == '%' {
            out.push('%');
            continue;
        }
        let value = values.next().ok_or_else(|| args.fault("has more clauses than values"))?;
        meter.charge_whole(value)?;
        clause.write(args, &mut out, value)?;
        if out.len() > MAX_RESULT {
            meter.reserve(out.len())?;
        }
    }
    out.push_str(rest);
    Ok(out.into())
}

struct Clause {
    precision: usize,
    verb: char,
}

impl Clause {
    /// Reads what is after a `%`.
    fn read<'a>(args: Args<'_>, text: &'a str) -> Result<(Self, &'a str), Fault> {
        let (digits, rest) = match text.strip_prefix('.') {
            None => ("", text),
            Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())),
        };
        let precision = if digits.is_empty() { 6 } else { digits.parse().unwrap_or(usize::MAX) };
        if precision > MAX_PRECISION {
            return Err(args.fault(format_args!("allows at most {MAX_PRECISION} digits behind the point")));
        }
        let mut chars = rest.chars();
        let verb = chars.next().ok_or_else(|| args.fault("ends in the middle of a clause"))?;
        Ok((Self { precision, verb }, chars.as_str()))
    }

    fn write(&self, args: Args<'_>, out: &mut String, value: &Value) -> Result<(), Fault> {
        let wrong = || args.fault(format_args!("cannot write {} as `%{}`", value.type_name(), self.verb));
        let text = match (self.verb, value) {
            ('s', value) => {
                write_plain(out, value);
                return Ok(());
            }
            ('d' | 'f' | 'e', Value::Float(float)) if !float.is_finite() => float_text(*float),
            ('d', Value::Int(int)) => int.to_string(),
            ('f', Value::Float(float)) => format!("{float:.*}", self.precision),
            ('f', Value::Int(int)) => format!("{:.*}", self.precision, float_of_int(*int)),
            ('e', Value::Float(float)) => scientific(*float, self.precision),
            ('e', Value::Int(int)) => scientific(float_of_int(*int), self.precision),
            ('b', Value::Bool(bool)) => u8::from(*bool).to_string(),
            ('b', Value::Int(int)) => format!("{}{:b}", sign(*int), int.unsigned_abs()),
            ('o', Value::Int(int)) => format!("{}{:o}", sign(*int), int.unsigned_abs()),
            ('x', Value::Int(int)) => format!("{}{:x}", sign(*int), int.unsigned_abs()),
            ('X', Value::Int(int)) => format!("{}{:X}", sign(*int), int.unsigned_abs()),
            ('x' | 'X', Value::Str(text)) => hex(text, self.verb == 'X'),
            ('d' | 'f' | 'e' | 'b' | 'o' | 'x' | 'X', _) => return Err(wrong()),
            _ => return Err(args.fault(format_args!("does not know the clause `%{}`", self.verb))),
        };
        out.push_str(&text);
        Ok(())
    }
}

const fn sign(int: i64) -> &'static str {
    if int < 0 { "-" } else { "" }
}

fn hex(text: &str, upper: bool) -> String {
    let digits =
        |byte: u8| [byte >> 4, byte & 15].into_iter().filter_map(|half| char::from_digit(half.into(), 16));
    let text: String = text.bytes().flat_map(digits).collect();
    if upper { text.to_ascii_uppercase() } else { text }
}

/// With at least two digits of exponent and always a sign, as in C.
fn scientific(float: f64, precision: usize) -> String {
    let text = format!("{float:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// The text of a scalar as `string(x)` gives it; lists and maps as `%s` does.
pub(super) fn plain_text(value: &Value) -> String {
    let mut out = String::new();
    write_plain(&mut out, value);
    out
}

fn write_plain(out: &mut String, value: &Value) {
    let written = match value {
        Value::Null => write!(out, "null"),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Int(value) => write!(out, "{value}"),
        Value::Float(value) => write!(out, "{}", float_text(*value)),
        Value::Usd(value) => write!(out, "{}", usd::text(*value)),
        Value::Duration(value) => write!(out, "{}", duration::seconds_text(*value)),
        Value::Str(value) => write!(out, "{value}"),
        Value::List(list) => {
            out.push('[');
            for (place, item) in list.iter().enumerate() {
                out.push_str(if place > 0 { ", " } else { "" });
                write_plain(out, item);
            }
            write!(out, "]")
        }
        Value::Map(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by(|one, two| one.0.cmp(two.0));
            out.push('{');
            for (place, (key, item)) in entries.into_iter().enumerate() {
                out.push_str(if place > 0 { ", " } else { "" });
                out.push_str(key);
                out.push_str(": ");
                write_plain(out, item);
            }
            write!(out, "}}")
        }
    };
    // Writing to a string cannot fail.
    debug_assert!(written.is_ok());
}

/// The shortest text that reads back as the same float; an exponent only for very great and very small ones.
pub(super) fn float_text(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if value != 0.0 && !(1e-6..1e21).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}
