//! The form in which scripted answers are given.

use crate::machine::Request;
use crate::value::json::{JsonLimits, parse_strict};
use crate::value::{Map, Str, Value};

/// A text as it is, another value as JSON.
pub(super) fn text(value: Value) -> Str {
    match value {
        Value::Str(text) => text,
        other => other.to_json().to_string().into(),
    }
}

/// An answer as its caller gets it. A model speaks text: a value is written as JSON. A text is sent as it is, unless
/// a text is what the answer's type wants and this one is no JSON.
pub(crate) fn encoded(value: Value, request: &Request) -> Value {
    let Request::Model { schema, offer, .. } = request else { return value };
    match value {
        // A reply with calls of tools is given as a map.
        Value::Map(_) if offer.is_some() => value,
        Value::Str(text) => {
            let quoted = wants_text(schema) && parse_strict(&text, JsonLimits::default()).is_err();
            if quoted { Value::Str(Value::Str(text).to_json().to_string().into()) } else { Value::Str(text) }
        }
        other if schema.is_null() => Value::Str(text(other)),
        other => Value::Str(other.to_json().to_string().into()),
    }
}

/// Returns true if a JSON Schema asks for a string or one of some strings.
fn wants_text(schema: &Value) -> bool {
    let Value::Map(schema) = schema else { return false };
    let is_text = |name: &Value| name.is_str("string");
    match schema.get("type") {
        Some(Value::List(names)) => names.iter().any(is_text),
        Some(name) => is_text(name),
        None => match schema.get("enum") {
            Some(Value::List(members)) => members.iter().any(|m| matches!(m, Value::Str(_))),
            _ => any_of(schema),
        },
    }
}

fn any_of(schema: &Map) -> bool {
    match schema.get("anyOf") {
        Some(Value::List(choices)) => choices.iter().any(wants_text),
        _ => false,
    }
}
