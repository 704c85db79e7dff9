//! Canonical JSON: no blanks, keys in byte order, one text for each number.

use super::float_name;
use crate::value::number::exact_int;
use crate::value::{Value, duration, usd};

/// Room for most texts, in bytes.
const USUAL_LENGTH: usize = 128;

/// The value as plain JSON in canonical form: equal values give the same text (`1` and `1.0` both `1`).
///
/// The text is as long as the data; see [`Value::size_estimate`] before writing a value from outside.
#[must_use]
pub fn canonical(value: &Value) -> String {
    text(value, false)
}

/// As [`canonical`], with tags where plain JSON would lose a type, and maps that look like tags escaped.
pub(super) fn tagged(value: &Value) -> String {
    text(value, true)
}

fn text(value: &Value, tags: bool) -> String {
    let mut out = String::with_capacity(USUAL_LENGTH);
    write(&mut out, value, tags);
    out
}

fn write(out: &mut String, value: &Value, tags: bool) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => out.push_str(&value.to_string()),
        Value::Float(value) => write_float(out, *value, tags),
        Value::Usd(value) => write_tagged(out, "$usd", &usd::text(*value), tags),
        Value::Duration(value) => write_tagged(out, "$duration", &duration::text(*value), tags),
        Value::Str(value) => write_text(out, value),
        Value::List(list) => {
            out.push('[');
            for (place, item) in list.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(out, item, tags);
            }
            out.push(']');
        }
        Value::Map(map) => {
            out.push('{');
            for (place, (key, item)) in map.sorted().into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                if tags && place == 0 && key.starts_with('$') {
                    write_text(out, &format!("${key}"));
                } else {
                    write_text(out, key);
                }
                out.push(':');
                write(out, item, tags);
            }
            out.push('}');
        }
    }
}

fn write_float(out: &mut String, value: f64, tags: bool) {
    match exact_int(value) {
        Some(int) => out.push_str(&int.to_string()),
        None if value.is_finite() => {
            // The shortest text that reads back as the same float.
            out.push_str(&serde_json::to_string(&value).unwrap_or_default());
        }
        None => write_tagged(out, "$float", float_name(value), tags),
    }
}

fn write_tagged(out: &mut String, tag: &str, text: &str, tags: bool) {
    if tags {
        out.push_str("{\"");
        out.push_str(tag);
        out.push_str("\":\"");
        out.push_str(text);
        out.push_str("\"}");
    } else {
        write_text(out, text);
    }
}

/// Writes `text` as a JSON string, with no more escapes than JSON demands.
fn write_text(out: &mut String, text: &str) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0x00..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        if escape.is_empty() {
            out.push_str("\\u00");
            out.extend(
                [byte >> 4, byte & 15].into_iter().filter_map(|digit| char::from_digit(digit.into(), 16)),
            );
        } else {
            out.push_str(escape);
        }
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
    out.push('"');
}
