//! JSON, digests, token estimates.

use super::args::Args;
use super::row::{FunctionResult, Topic, rows};
use super::schema;
use super::tokens;
use super::tool_calls::tool_calls;
use crate::program::meter::{MAX_RESULT, Meter};
use crate::value::json::{JsonLimits, canonical, parse_strict};
use crate::value::{Value, digest};

/// Data.
pub(super) const TOPIC: Topic = Topic {
    title: "Data",
    rows: rows! {
        "parse_int" Global Fixed parse_int, [takes(String) -> OrNull(&Int)]
            "The integer the text writes, or null."
            "parse_int(' 42 ')" => "42";
        "parse_json" Global Data parse_json, [takes(String) -> Any]
            "The value the JSON text writes, or null."
            "parse_json('[1, 2]')" => "[1, 2]";
        "violations" Global Matching schema::violations, [takes(Nullable, Value) -> List(&String)]
            "What a JSON Schema (second argument) finds wrong with the value; empty if nothing."
            "violations(3, {'type': 'integer'})" => "[]";
        "tool_calls" Global Data tool_calls,
            [takes(List(&String), List(&Any)) -> Map(&Any), takes(List(&String)) -> Map(&Any)]
            "The JSON Schema of a call `{tool, args}` of one of these tools of the run's catalogue, or of another list of tools."
            "tool_calls(['now'], [{'name': 'now', 'schema': {'type': 'object'}}]).oneOf[0].properties.tool.const" => "'now'";
        "tokens" Global Data tokens::estimate, [
            takes(String) -> Int, takes(List(&String)) -> Int,
            takes(Message) -> Int, takes(List(&Message)) -> Int
        ]
            "Estimate of the tokens of a text, a message, or a list of them. Files are not counted."
            "tokens('some sixteen byte')" => "4";
        "json" Global Data json, [takes(Nullable) -> String]
            "The value as canonical JSON."
            "json({'b': 1, 'a': [2]})" => "'{\"a\":[2],\"b\":1}'";
        "digest" Global Data hash, [takes(Nullable) -> String]
            "A stable hash of the value, as hexadecimal digits."
            "digest(1) == digest(1.0)" => "true";
    },
};

fn parse_int(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    match args.at(0) {
        Value::Int(value) => Ok(Value::Int(*value)),
        Value::Str(text) => Ok(text.trim().parse().ok().map_or(Value::Null, Value::Int)),
        other => Err(args.wrong("a string", other)),
    }
}

fn parse_json(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let text = args.text(0)?;
    meter.charge_items(text.len() / 4)?;
    Ok(parse_strict(text, JsonLimits { bytes: MAX_RESULT, ..JsonLimits::default() }).unwrap_or_default())
}

fn json(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    meter.reserve(args.at(0).size_estimate())?;
    Ok(canonical(args.at(0)).into())
}

fn hash(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    meter.reserve(args.at(0).size_estimate())?;
    Ok(digest(args.at(0)).to_string().into())
}
