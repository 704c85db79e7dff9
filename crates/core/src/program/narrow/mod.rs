//! Answers of models narrowed by what is known only at run time: the schema that is sent, and the test of the answer.

mod merge;
mod outside;

use std::cell::RefCell;

pub use outside::outside;

use self::merge::merge;
use super::function::{Fault, Schema, without_references};
use super::shape::{Shape, ShapeKind, Shapes, found};
use crate::value::{Exact, List, Map, Str, Value};

/// The most parts of a schema whose references are written out.
const MAX_PARTS: usize = 20_000;

/// Forms of answers that are remembered for a thread: a graph asks with the same limits again and again.
const MAX_REMEMBERED: usize = 16;

thread_local! {
    static REMEMBERED: RefCell<Vec<KnownForm>> = const { RefCell::new(Vec::new()) };
}

/// A form of an answer, and what it was made of. The schema is that of one program alone, and so stands for its types.
struct KnownForm {
    answer: u32,
    schema: Value,
    limits: Exact<Value>,
    form: NarrowedAnswer,
}

/// The form of an answer in one request.
#[derive(Debug, Clone)]
pub struct NarrowedAnswer {
    /// Its JSON Schema.
    pub schema: Value,
    /// JSON Schemas that the narrowed fields have to fit beside their types.
    pub limits: Map,
}

/// Narrows the JSON Schema of an answer. `limits` has, by field, a list of the texts that are allowed or a JSON Schema. Of a
/// field that is a list its items are narrowed. Null stays allowed where the type lets it in.
///
/// # Errors
/// In words: nothing is left for a field, or a schema cannot be used.
pub fn narrowed(
    shapes: &Shapes,
    answer: u32,
    schema: &Value,
    limits: &Value,
) -> Result<NarrowedAnswer, String> {
    let is_it = |known: &&KnownForm| {
        known.answer == answer && known.schema.is_same(schema) && known.limits == Exact(limits)
    };
    let known = |all: &[KnownForm]| all.iter().find(is_it).map(|known| known.form.clone());
    if let Some(known) = REMEMBERED.with_borrow(|all| known(all)) {
        return Ok(known);
    }
    let form = narrowed_anew(shapes, answer, schema, limits)?;
    REMEMBERED.with_borrow_mut(|all| {
        if all.len() >= MAX_REMEMBERED {
            all.remove(0);
        }
        let (schema, limits) = (schema.clone(), Exact(limits.clone()));
        all.push(KnownForm { answer, schema, limits, form: form.clone() });
    });
    Ok(form)
}

fn narrowed_anew(
    shapes: &Shapes,
    answer: u32,
    schema: &Value,
    limits: &Value,
) -> Result<NarrowedAnswer, String> {
    let mut narrowed = NarrowedAnswer { schema: schema.clone(), limits: Map::new() };
    let (ShapeKind::Record { fields, .. }, Value::Map(schema), Value::Map(limits)) =
        (&shapes.shape(answer).kind, schema, limits)
    else {
        return Ok(narrowed);
    };
    let (mut properties, mut required) = (map_at(schema, "properties"), list_at(schema, "required"));
    for field in fields {
        let Some(limit) = limits.get(&field.name) else { continue };
        let own = own_schema(&narrowed.schema, &field.name)?;
        let (property, limit) = narrowed_field(shapes, shapes.shape(field.shape), field.shape, &own, limit)
            .map_err(|why| format!("`limits` of the field `{}`: {why}", field.name))?;
        properties.set(field.name.clone(), property);
        narrowed.limits.set(field.name.clone(), limit);
        let Shape { kind, nullable } = shapes.shape(field.shape);
        let free = *nullable || matches!(kind, ShapeKind::List(..));
        if !free && !required.iter().any(|own| own.is_str(&field.name)) {
            required.push(Value::Str(field.name.clone()));
        }
    }
    let mut schema = schema.clone();
    schema.set("properties", properties);
    schema.set("required", required);
    narrowed.schema = Value::Map(schema);
    Ok(narrowed)
}

/// The schema of a field with its limit, and the limit alone.
fn narrowed_field(
    shapes: &Shapes,
    shape: &Shape,
    id: u32,
    own: &Map,
    limit: &Value,
) -> Result<(Map, Map), String> {
    let nothing = || "no value is allowed, and null is none of the type".to_owned();
    if let ShapeKind::List(item, _) = &shape.kind {
        let nullable = shapes.shape(*item).nullable;
        let limit = one(shapes, *item, limit)?;
        let items = limit.as_ref().and_then(|limit| merge(&without_null(&map_at(own, "items")), limit));
        let mut list = own.clone();
        let Some((limit, items)) = limit.zip(items) else {
            list.set("maxItems", 0);
            return Ok((list, Map::from_iter([("maxItems", Value::Int(0))])));
        };
        list.set("items", or_null(items, nullable));
        return Ok((list, Map::from_iter([("items", Value::Map(or_null(limit, nullable)))])));
    }
    let limit = one(shapes, id, limit)?;
    let property = limit.as_ref().and_then(|limit| merge(&without_null(own), limit));
    match limit.zip(property) {
        Some((limit, property)) => Ok((or_null(property, shape.nullable), or_null(limit, shape.nullable))),
        None if shape.nullable => Ok((null(), null())),
        None => Err(nothing()),
    }
}

/// The schema of a value by its limit alone, null aside; nothing where no value is left.
fn one(shapes: &Shapes, shape: u32, limit: &Value) -> Result<Option<Map>, String> {
    match limit {
        Value::List(values) => Ok(one_of(shapes, shape, values)),
        Value::Map(schema) if ["oneOf", "anyOf", "enum"].iter().any(|key| is_empty_list(schema, key)) => {
            Ok(None)
        }
        Value::Map(_) => {
            let schema = inlined(limit)?;
            Schema::compiled(&schema).map_err(|fault| fault.to_string())?;
            Ok(schema.as_map().cloned())
        }
        other => Err(format!("found {} where a list of texts or a JSON Schema is wanted", found(other))),
    }
}

/// The schema of one of these texts, each once; those that the type does not let in are left out.
fn one_of(shapes: &Shapes, shape: u32, values: &List) -> Option<Map> {
    let mut members: Vec<Value> = Vec::with_capacity(values.len());
    let mut seen = rustc_hash::FxHashSet::default();
    for value in values {
        if let Value::Str(text) = value
            && shapes.is(shape, value)
            && seen.insert(text)
        {
            members.push(value.clone());
        }
    }
    let members = (!members.is_empty()).then(|| Value::List(members.into()));
    members.map(|members| Map::from_iter([("type", Value::from("string")), ("enum", members)]))
}

/// The schema of a field by its type. One that refers to another part of the document is written out.
fn own_schema(schema: &Value, field: &Str) -> Result<Map, String> {
    let property =
        |schema: &Value| schema.as_map().map(|schema| map_at(&map_at(schema, "properties"), field));
    let own = property(schema).unwrap_or_default();
    let refers = own.contains_key("$ref") || own.contains_key("anyOf");
    if refers { Ok(property(&inlined(schema)?).unwrap_or_default()) } else { Ok(own) }
}

fn inlined(schema: &Value) -> Result<Value, String> {
    let mut parts = 0;
    let schema = without_references(schema, &mut || {
        parts += 1;
        let fault = || Fault::too_large("the schema is too large where its references are written out");
        if parts > MAX_PARTS { Err(fault()) } else { Ok(()) }
    });
    schema.map_err(|fault| fault.to_string())
}

/// The same schema, with null beside it.
fn or_null(mut schema: Map, nullable: bool) -> Map {
    if !nullable {
        return schema;
    }
    if let (Some(kind @ Value::Str(_)), Some(Value::List(members))) = (schema.get("type"), schema.get("enum"))
    {
        let (kind, mut members) = (kind.clone(), members.clone());
        members.push(Value::Null);
        schema.set("type", List::from_iter([kind, Value::from("null")]));
        schema.set("enum", members);
        return schema;
    }
    let either = List::from_iter([Value::Map(schema), Value::Map(null())]);
    Map::from_iter([("anyOf", Value::List(either))])
}

/// The same schema without null.
fn without_null(schema: &Map) -> Map {
    if let Some(Value::List(either)) = schema.get("anyOf")
        && let (2, Some(Value::Map(first))) = (either.len(), either.get(0))
        && either.get(1) == Some(&Value::Map(null()))
    {
        return first.clone();
    }
    let mut own = schema.clone();
    if let Some(Value::List(kinds)) = schema.get("type") {
        let kinds: Vec<Value> = kinds.iter().filter(|kind| !kind.is_str("null")).cloned().collect();
        own.set("type", if let [only] = kinds.as_slice() { only.clone() } else { Value::List(kinds.into()) });
    }
    if let Some(Value::List(members)) = schema.get("enum") {
        own.set("enum", members.iter().filter(|member| !member.is_null()).cloned().collect::<List>());
    }
    own
}

fn null() -> Map {
    Map::from_iter([("type", Value::from("null"))])
}

fn map_at(map: &Map, key: &str) -> Map {
    map.get(key).and_then(Value::as_map).cloned().unwrap_or_default()
}

fn list_at(map: &Map, key: &str) -> List {
    match map.get(key) {
        Some(Value::List(list)) => list.clone(),
        _ => List::new(),
    }
}

fn is_empty_list(schema: &Map, key: &str) -> bool {
    matches!(schema.get(key), Some(Value::List(list)) if list.is_empty())
}
