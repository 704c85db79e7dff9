//! The schema of a command's arguments: written out, in short, or read off the argument list.

use jsonschema::{PatternOptions, Validator};
use serde_json::json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::arguments::Argument;
use super::faults::Faults;
use super::fields::{TableFields, article, in_order, value_of, words};
use crate::diag::{did_you_mean, nearest};
use crate::syntax::{FileKey, KeyForm, by_name};
use crate::value::{List, Map, Str, Value};

/// The most faults of one value that are reported.
const MAX_FAULTS: usize = 8;

/// The keys of a tool that describe its arguments.
pub(super) const KEYS: [FileKey; 2] = [
    FileKey::new(
        "schema",
        KeyForm::Schema(|| json!({"type": "object"})),
        "The arguments as one JSON Schema.",
    ),
    FileKey::new(
        "args",
        KeyForm::Schema(|| {
            let names = words(&SHORT_TYPE_NAMES).join("|");
            let short = format!(r"^\s*(({names})|list<\s*({names})\s*>)\s*\??$");
            by_name(&json!({"anyOf": [{"type": "string", "pattern": short}, {"type": "object"}]}))
        }),
        "The arguments in short form, such as `{text = \"string\", limit = \"int?\"}`, or a JSON Schema for each.",
    ),
];

/// The short names of types and the JSON Schema types they stand for.
const SHORT_TYPE_NAMES: [(&str, &str); 6] = [
    ("string", "string"),
    ("int", "integer"),
    ("float", "number"),
    ("number", "number"),
    ("bool", "boolean"),
    ("object", "object"),
];

/// A schema for checking values: patterns run in linear time, nothing is fetched.
///
/// # Errors
/// What is wrong with the schema.
pub(crate) fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_pattern_options(PatternOptions::regex())
        .offline()
        .build(&schema.to_json())
        .map_err(|fault| fault.to_string())
}

/// What in a value does not fit a schema, each with its place if that is not the whole value. At most [`MAX_FAULTS`].
pub(crate) fn faults_of(validator: &Validator, value: &serde_json::Value) -> Vec<String> {
    let described = validator.iter_errors(value).take(MAX_FAULTS).map(|fault| {
        let place = fault.instance_path().to_string();
        if place.is_empty() { fault.to_string() } else { format!("{place}: {fault}") }
    });
    described.collect()
}

/// An object with the defaults of its schema for the fields that it does not have.
#[must_use]
pub(crate) fn with_defaults(schema: &Value, object: &Map) -> Map {
    let mut object = object.clone();
    let properties = schema.as_map().and_then(|schema| schema.get("properties")).and_then(Value::as_map);
    for (name, property) in properties.into_iter().flatten() {
        if let Some(default) = property.as_map().and_then(|property| property.get("default"))
            && !object.contains_key(name)
        {
            object.insert(name.clone(), default.clone());
        }
    }
    object
}

/// The schema of a command: `schema`, or `args`, or a text for every place in the argument list.
pub(super) fn read(fields: &TableFields<'_>, list: &[Argument], faults: &mut Faults) -> Option<Value> {
    let full = fields.get("schema");
    let short = fields.get("args");
    match (full, short) {
        (Some(full), Some(_)) => {
            faults
                .say(full.span(), "both `schema` and `args` say what the arguments are")
                .help("keep one of them");
            None
        }
        (Some(full), None) => checked(full, value_of(full, faults)?, faults),
        (None, Some(short)) => {
            let schema = from_short(short, faults)?;
            if holds_schemas(short) { checked(short, schema, faults) } else { Some(schema) }
        }
        (None, None) => Some(from_list(list)),
    }
}

fn checked(place: &Spanned<DeValue<'_>>, schema: Value, faults: &mut Faults) -> Option<Value> {
    if !schema.as_map().and_then(|map| map.get("type")).is_some_and(|kind| kind.is_str("object")) {
        faults
            .say(place.span(), "the schema of a tool's arguments describes an object")
            .help("give it type = \"object\" and its properties");
        return None;
    }
    match validator(&schema) {
        Ok(_) => Some(schema),
        Err(fault) => {
            faults.say(place.span(), format!("this is not a JSON Schema: {fault}"));
            None
        }
    }
}

fn from_short(short: &Spanned<DeValue<'_>>, faults: &mut Faults) -> Option<Value> {
    let DeValue::Table(table) = short.get_ref() else {
        faults
            .say(short.span(), format!("`args` is {}, wanted a table", article(short.get_ref())))
            .help("write it like this: args = {text = \"string\", limit = \"int?\"}");
        return None;
    };
    properties(table, faults)
}

/// Returns true if an argument is described by a JSON Schema of its own. Short types alone need no judge, which takes
/// several milliseconds to make.
fn holds_schemas(short: &Spanned<DeValue<'_>>) -> bool {
    let DeValue::Table(table) = short.get_ref() else { return false };
    table.values().any(|value| matches!(value.get_ref(), DeValue::Table(_)))
}

fn properties(table: &DeTable<'_>, faults: &mut Faults) -> Option<Value> {
    let mut properties = Map::new();
    let mut required = List::new();
    let mut whole = true;
    for (key, value) in in_order(table) {
        let name = Str::from(key.get_ref().as_ref());
        let Some((schema, optional)) = property(value, faults) else {
            whole = false;
            continue;
        };
        if !optional {
            required.push(Value::Str(name.clone()));
        }
        properties.insert(name, schema);
    }
    whole.then(|| object(properties, required))
}

/// An argument's schema and whether it may be missing.
fn property(value: &Spanned<DeValue<'_>>, faults: &mut Faults) -> Option<(Value, bool)> {
    match value.get_ref() {
        DeValue::String(text) => {
            let (name, optional) = text.strip_suffix('?').map_or((text.as_ref(), false), |name| (name, true));
            let Some(schema) = short_type(name) else {
                let near = nearest(name, SHORT_TYPE_NAMES.iter().map(|(short, _)| *short));
                let near = near.map(|near| did_you_mean(&format!("\"{near}\"")) + " ");
                faults.say(value.span(), format!("`{name}` is not a short type")).help(format!(
                    "{}the short types are string, int, float, bool, object and list<…> of these, with `?` if the \
                     argument may be missing; a table here is a JSON Schema",
                    near.unwrap_or_default()
                ));
                return None;
            };
            Some((schema, optional))
        }
        DeValue::Table(table) => {
            let schema = value_of(value, faults)?;
            Some((schema, table.contains_key("default")))
        }
        other => {
            faults.say(
                value.span(),
                format!("found {}, wanted a type's name or a JSON Schema", article(other)),
            );
            None
        }
    }
}

fn short_type(name: &str) -> Option<Value> {
    let name = name.trim();
    if let Some(item) = name.strip_prefix("list<").and_then(|rest| rest.strip_suffix('>')) {
        // One level of lists: deeper ones are rare enough to be written as a JSON Schema.
        let item = SHORT_TYPE_NAMES.iter().find(|(short, _)| *short == item.trim())?;
        let items = Value::Map([("type", Value::from(item.1))].into_iter().collect());
        return Some(Value::Map([("type", Value::from("array")), ("items", items)].into_iter().collect()));
    }
    let (_, kind) = SHORT_TYPE_NAMES.iter().find(|(short, _)| *short == name)?;
    Some(Value::Map([("type", Value::from(*kind))].into_iter().collect()))
}

fn from_list(list: &[Argument]) -> Value {
    let mut properties = Map::new();
    let text = Value::Map([("type", Value::from("string"))].into_iter().collect());
    for name in list.iter().flat_map(Argument::names) {
        properties.insert(name.clone(), text.clone());
    }
    let required = properties.keys().cloned().map(Value::Str).collect();
    object(properties, required)
}

fn object(properties: Map, required: List) -> Value {
    let mut schema = Map::new();
    schema.set("type", "object");
    schema.set("properties", properties);
    schema.set("required", required);
    schema.set("additionalProperties", false);
    Value::Map(schema)
}
