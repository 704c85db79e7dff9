//! Shapes as JSON Schema, draft 2020-12.

use rustc_hash::FxHashMap;

use super::{FieldShape, Shape, ShapeKind, Shapes};
use crate::value::{List, Map, Str, Value};

/// Up to so many records are written where they occur.
const MAX_IN_PLACE: usize = 32;

impl Shapes {
    /// The shape as a JSON Schema.
    ///
    /// Bounds of numbers, texts and lists are part of it. Closed records have `additionalProperties: false`. A field is
    /// `required` if it has no default and null does not fit. A record that holds itself, or that occurs at several
    /// places, occurs once under `$defs`.
    #[must_use]
    pub fn schema(&self, id: u32) -> Value {
        let shared = self.shared_records(id);
        let defs = shared.iter().cloned().collect();
        let writer = SchemaWriter { shapes: self, defs: &defs };
        let mut schema = writer.body(id);
        if !shared.is_empty() {
            let bodies: Map =
                shared.into_iter().map(|(base, name)| (name, writer.body(base).into())).collect();
            schema.set("$defs", bodies);
        }
        Value::Map(schema)
    }

    /// The records below `id` that a schema must not write in place, in the order they are met, with their names:
    /// those that occur more than once, or all where there are very many, since records written in place nest.
    fn shared_records(&self, id: u32) -> Vec<(u32, Str)> {
        let mut met: FxHashMap<u32, u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            let base = self.base(next);
            let count = met.entry(base.unwrap_or(next)).or_insert(0);
            *count += 1;
            if *count == 1 {
                open.extend(self.children(next).into_iter().rev());
                order.extend(base);
            }
        }
        if order.len() <= MAX_IN_PLACE {
            order.retain(|record| met.get(record).is_some_and(|count| *count > 1));
        }
        let mut taken = FxHashMap::default();
        order.into_iter().map(|record| (record, self.free_name(record, &mut taken))).collect()
    }

    /// The number that `T` and `T?` share, for a record.
    fn base(&self, id: u32) -> Option<u32> {
        if let ShapeKind::Record { base, .. } = &self.shape(id).kind { Some(*base) } else { None }
    }

    fn children(&self, id: u32) -> Vec<u32> {
        match &self.shape(id).kind {
            ShapeKind::List(item, _) | ShapeKind::Map(item) => vec![*item],
            ShapeKind::Record { fields, .. } => fields.iter().map(|field| field.shape).collect(),
            _ => Vec::new(),
        }
    }

    /// A name nobody has: the record's own or one with a number. `taken` holds for each name the last number tried.
    fn free_name(&self, record: u32, taken: &mut FxHashMap<Str, u32>) -> Str {
        let ShapeKind::Record { name, .. } = &self.shape(record).kind else { return Str::new() };
        let mut number = taken.get(name).copied().unwrap_or(0);
        let mut free = name.clone();
        while taken.contains_key(&free) {
            number += 1;
            free = ecow::eco_format!("{name}_{}", number + 1);
        }
        taken.insert(name.clone(), number);
        taken.entry(free.clone()).or_insert(0);
        free
    }
}

struct SchemaWriter<'a> {
    shapes: &'a Shapes,
    /// The names of the records that are written once, by base.
    defs: &'a FxHashMap<u32, Str>,
}

impl SchemaWriter<'_> {
    /// A shape below another: a reference if it is shared.
    fn inner(&self, id: u32) -> Map {
        let Some(name) = self.shapes.base(id).and_then(|base| self.defs.get(&base)) else {
            return self.body(id);
        };
        let reference = object([("$ref", format!("#/$defs/{name}").into())]);
        if self.shapes.shape(id).nullable {
            let null = object([("type", "null".into())]);
            object([("anyOf", Value::from(vec![reference, null]))])
        } else {
            reference
        }
    }

    fn body(&self, id: u32) -> Map {
        let Shape { kind, nullable } = self.shapes.shape(id);
        let mut schema = match kind {
            ShapeKind::Any => return Map::new(),
            ShapeKind::Null => return object([("type", "null".into())]),
            ShapeKind::Bool => object([("type", "boolean".into())]),
            ShapeKind::Int(bounds) => integer(*bounds),
            ShapeKind::Float => object([("type", "number".into())]),
            ShapeKind::Usd => object([
                ("type", "string".into()),
                ("description", "an amount of US dollars, for example 0.25".into()),
                ("pattern", "^-?[0-9]+(\\.[0-9]{1,9})?$".into()),
            ]),
            ShapeKind::Duration => object([
                ("type", "string".into()),
                ("description", "a duration, for example 1m30s".into()),
                ("pattern", "^-?(0|([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h|d))+)$".into()),
            ]),
            ShapeKind::String(most) => bounded("string", "maxLength", *most),
            ShapeKind::List(item, most) => {
                let mut schema = bounded("array", "maxItems", *most);
                schema.set("items", self.inner(*item));
                schema
            }
            ShapeKind::Map(item) => {
                let item = self.inner(*item);
                object([("type", "object".into()), ("additionalProperties", item.into())])
            }
            ShapeKind::Enum(members) => {
                let mut all: List = members.iter().cloned().map(Value::Str).collect();
                if *nullable {
                    all.push(Value::Null);
                }
                object([("type", "string".into()), ("enum", all.into())])
            }
            ShapeKind::Record { open, fields, .. } => self.record(*open, fields),
        };
        if *nullable {
            let either = schema.get("type").cloned().into_iter().chain([Value::from("null")]);
            let either: List = either.collect();
            schema.set("type", either);
        }
        schema
    }

    fn record(&self, open: bool, fields: &[FieldShape]) -> Map {
        let mut properties = Map::new();
        let mut required = List::new();
        for field in fields {
            properties.set(field.name.clone(), self.inner(field.shape));
            if field.default.is_none() && !self.shapes.shape(field.shape).nullable {
                required.push(field.name.clone().into());
            }
        }
        object([
            ("type", "object".into()),
            ("properties", properties.into()),
            ("required", required.into()),
            ("additionalProperties", open.into()),
        ])
    }
}

fn integer(bounds: Option<(i64, i64)>) -> Map {
    let mut schema = object([("type", "integer".into())]);
    if let Some((least, greatest)) = bounds {
        schema.set("minimum", least);
        schema.set("maximum", greatest);
    }
    schema
}

fn bounded(kind: &str, key: &str, most: Option<u64>) -> Map {
    let mut schema = object([("type", kind.into())]);
    if let Some(most) = most.and_then(|most| i64::try_from(most).ok()) {
        schema.set(key, most);
    }
    schema
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Map {
    entries.into_iter().collect()
}
