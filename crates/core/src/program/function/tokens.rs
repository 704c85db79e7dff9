//! Estimates of tokens: a quarter of the bytes that a model reads, and at least one for each text or message.

use super::args::Args;
use super::row::FunctionResult;
use super::text::as_int;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::json::canonical;
use crate::value::{Map, Value};

/// The sum over a list, or the estimate for one text or message.
pub(super) fn estimate(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let Value::List(list) = args.at(0) else { return one(args.at(0), args, meter).map(Value::Int) };
    meter.charge_items(list.len())?;
    let mut sum = 0_i64;
    for item in list {
        sum = sum.saturating_add(one(item, args, meter)?);
    }
    Ok(Value::Int(sum))
}

fn one(value: &Value, args: Args<'_>, meter: &mut Meter) -> Result<i64, Fault> {
    match value {
        Value::Str(text) => Ok(of_bytes(text.len())),
        Value::Map(message) => Ok(of_bytes(bytes(message, meter)?)),
        other => Err(args.wrong("a text, a message or a list of them", other)),
    }
}

fn of_bytes(bytes: usize) -> i64 {
    as_int(bytes / 4).max(1)
}

/// The bytes of a message that a model reads: its text, texts among its parts, and its calls of tools.
fn bytes(message: &Map, meter: &mut Meter) -> Result<usize, Fault> {
    let of = |map: &Map, key: &str| map.get(key).and_then(Value::as_str).map_or(0, str::len);
    let mut sum = of(message, "text");
    for part in maps(message, "parts") {
        meter.charge(1)?;
        sum += of(part, "text");
    }
    for call in maps(message, "tool_calls") {
        meter.charge_whole(call.get("args").unwrap_or(&Value::Null))?;
        sum += of(call, "tool") + call.get("args").map_or(0, |args| canonical(args).len());
    }
    Ok(sum)
}

/// The records of a list in a field.
fn maps<'v>(message: &'v Map, key: &str) -> impl Iterator<Item = &'v Map> {
    let list = match message.get(key) {
        Some(Value::List(list)) => Some(list),
        _ => None,
    };
    list.into_iter().flatten().filter_map(Value::as_map)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::bytes;
    use crate::program::meter::Meter;
    use crate::value::Value;

    #[test]
    fn what_a_model_reads_of_a_message_is_counted() {
        let counted = |message: serde_json::Value| {
            let message = Value::from_json(&message);
            bytes(message.as_map().expect("a map"), &mut Meter::default()).expect("little")
        };
        assert_eq!(counted(json!({"from": "user", "text": "12345678"})), 8);
        assert_eq!(counted(json!({"from": "user", "signed": "12345678", "tool_call": "c1"})), 0);
        let parts = json!([{"kind": "text", "text": "1234"}, {"kind": "image", "file": "a.png"}]);
        assert_eq!(counted(json!({"text": "12", "parts": parts})), 6);
        let calls = json!([{"id": "c1", "tool": "find", "args": {"q": 1}}]);
        assert_eq!(counted(json!({"text": "", "tool_calls": calls})), 4 + 7);
    }
}
