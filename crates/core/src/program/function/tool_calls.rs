//! The JSON Schema of calls of tools.

use super::args::Args;
use super::references::without_references;
use super::row::FunctionResult;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{List, Map, Value};

/// `tool_calls(names, tools)`.
pub(super) fn tool_calls(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let (Value::List(names), Value::List(tools)) = (args.at(0), args.at(1)) else {
        return Err(args.wrong("names and a list of tools", args.at(0)));
    };
    let mut calls = Vec::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        meter.charge_items(tools.len() + names.len())?;
        if names.iter().take(place).any(|other| other == name) {
            continue;
        }
        let Some(name) = name.as_str() else { return Err(args.wrong("a list of names", args.at(0))) };
        let is_it = |tool: &&Map| tool.get("name").is_some_and(|own| own.is_str(name));
        let Some(tool) = tools.iter().filter_map(Value::as_map).find(is_it) else {
            return Err(Fault::unknown_tool(name));
        };
        calls.push(call(name, tool.get("schema"), meter)?);
    }
    Ok(Value::Map(Map::from_iter([("oneOf", Value::List(List::from(calls)))])))
}

/// The schema of a call of one tool.
fn call(name: &str, schema: Option<&Value>, meter: &mut Meter) -> FunctionResult {
    let args = match schema {
        Some(schema @ Value::Map(_)) => {
            meter.charge_whole(schema)?;
            without_references(schema, &mut || meter.charge(1))?
        }
        _ => Value::Map(Map::from_iter([("type", Value::from("object"))])),
    };
    meter.reserve(args.size_estimate())?;
    let tool = Map::from_iter([("type", Value::from("string")), ("const", Value::from(name))]);
    Ok(Value::Map(Map::from_iter([
        ("type", Value::from("object")),
        ("properties", Value::Map(Map::from_iter([("tool", Value::Map(tool)), ("args", args)]))),
        ("required", Value::List(List::from_iter([Value::from("tool"), Value::from("args")]))),
        ("additionalProperties", Value::Bool(false)),
    ])))
}
