//! Values as expressions write them; different values never read alike.

use std::fmt::Write;

use crate::value::{Value, duration, usd};

/// A value as an expression writes it.
#[must_use]
pub fn literal(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => text.push_str(&value.to_string()),
        Value::Float(value) if value.is_finite() => text.push_str(&debug(*value)),
        Value::Float(value) => text.extend(["double('", &debug(*value), "')"]),
        Value::Usd(value) => text.extend(["usd('", &usd::text(*value), "')"]),
        Value::Duration(value) => text.push_str(&duration::text(*value)),
        Value::Str(value) => quoted(value, text),
        Value::List(list) => {
            text.push('[');
            for (place, item) in list.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { ", " });
                write(item, text);
            }
            text.push(']');
        }
        Value::Map(map) => {
            text.push('{');
            for (place, (key, value)) in map.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { ", " });
                quoted(key, text);
                text.push_str(": ");
                write(value, text);
            }
            text.push('}');
        }
    }
}

fn debug(float: f64) -> String {
    format!("{float:?}")
}

pub(super) fn quote(text: &str) -> String {
    let mut quoted_text = String::new();
    quoted(text, &mut quoted_text);
    quoted_text
}

fn quoted(text: &str, out: &mut String) {
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('\'');
}
