//! JSON Schema as each provider takes it.
//!
//! A provider refuses a request whose schema has a keyword that it does not know. So a copy of the schema goes out, with
//! what the provider does not take written into the `description`, where the model reads it. Nothing is lost by that: the
//! machine checks each answer against the whole type. A schema that cannot be had so is put into words instead.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value, json};

/// From so many repetitions on, some versions of the servers that make a grammar of a schema (llama.cpp, Ollama) refuse it.
const MAX_ENUM_MEMBERS: u64 = 1_000;

/// The subset of JSON Schema that a provider takes.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one question with two answers, and all combinations may occur"
)]
pub(super) struct Subset {
    /// True if it takes a keyword with this value.
    pub(super) takes: fn(&str, &Value) -> bool,
    /// Records without further fields, and nothing that may be anything.
    pub(super) closed: bool,
    /// Records have each of their fields in each answer.
    pub(super) whole: bool,
    /// The answer is a record.
    pub(super) record: bool,
    /// Records may contain themselves.
    pub(super) recursive: bool,
    /// `null` may be among the members of an `enum`.
    pub(super) null_member: bool,
}

impl Subset {
    /// Takes these keywords with these values, in all combinations.
    pub(super) const fn taking(takes: fn(&str, &Value) -> bool) -> Self {
        Self { takes, closed: false, whole: false, record: false, recursive: true, null_member: true }
    }

    /// Servers that make a grammar of the schema.
    pub(super) const fn local() -> Self {
        Self::taking(|key, value| {
            !(matches!(key, "maxLength" | "maxItems")
                && value.as_u64().is_none_or(|most| most >= MAX_ENUM_MEMBERS))
        })
    }

    /// Returns true where a schema goes out as it is: it may be asked for as a strict one.
    pub(super) fn is_all_of(&self, schema: &Value) -> bool {
        self.schema(schema).as_ref() == Some(schema)
    }

    /// A schema as the provider takes it; nothing if it takes none that says as much.
    pub(super) fn schema(&self, schema: &Value) -> Option<Value> {
        if (self.record && schema.get("type") != Some(&json!("object")))
            || (!self.recursive && recurses(schema))
        {
            return None;
        }
        self.node(schema)
    }

    fn node(&self, schema: &Value) -> Option<Value> {
        let schema = schema.as_object()?;
        let says = |key| schema.contains_key(key);
        if self.closed && !["type", "$ref", "anyOf", "oneOf"].into_iter().any(says) {
            return None;
        }
        let mut own = Map::new();
        let mut rest = Vec::new();
        if self.closed && is_object(schema) && !says("additionalProperties") {
            // What may have any fields cannot be had; where some are named, the model is kept to them.
            schema.get("properties")?;
            own.insert("additionalProperties".to_owned(), false.into());
        }
        for (key, value) in schema {
            if key == "oneOf" && !(self.takes)(key, value) && !says("anyOf") {
                own.insert("anyOf".to_owned(), self.keyword("anyOf", value)?);
            } else if key == "const" && !(self.takes)(key, value) && !says("enum") {
                own.insert("enum".to_owned(), json!([value]));
            } else if !(self.takes)(key, value) {
                rest.push(format!("{key}: {value}"));
            } else if key == "required" && self.whole {
                let fields = schema.get("properties").and_then(Value::as_object).into_iter();
                own.insert(key.clone(), fields.flat_map(Map::keys).cloned().collect());
            } else {
                own.insert(key.clone(), self.keyword(key, value)?);
            }
        }
        if !rest.is_empty() {
            let rest = rest.join(", ");
            let text = own.get("description").and_then(Value::as_str);
            let text = text.map_or_else(|| rest.clone(), |text| format!("{text} ({rest})"));
            own.insert("description".to_owned(), text.into());
        }
        Some(if self.null_member { own.into() } else { without_null_member(own) })
    }

    fn keyword(&self, key: &str, value: &Value) -> Option<Value> {
        match (key, value) {
            ("properties" | "$defs", Value::Object(all)) => {
                let all: Option<Map<_, _>> =
                    all.iter().map(|(name, schema)| Some((name.clone(), self.node(schema)?))).collect();
                Some(all?.into())
            }
            ("anyOf" | "oneOf", Value::Array(all)) => all.iter().map(|schema| self.node(schema)).collect(),
            ("additionalProperties", Value::Bool(open)) => (!(self.closed && *open)).then(|| value.clone()),
            ("additionalProperties", _) if self.closed => None,
            ("items" | "additionalProperties", _) => self.node(value),
            _ => Some(value.clone()),
        }
    }
}

fn is_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
        None => false,
    }
}

/// Returns true for keywords that every provider takes.
pub(super) fn is_common(key: &str) -> bool {
    let common = ["type", "description", "enum", "anyOf", "items", "$ref", "$defs"];
    common.contains(&key) || matches!(key, "properties" | "required" | "additionalProperties")
}

/// Returns true for bounds of numbers and of lengths of lists.
pub(super) fn is_range(key: &str) -> bool {
    matches!(key, "minimum" | "maximum" | "minItems" | "maxItems")
}

/// `null` beside an `enum` instead of in it.
fn without_null_member(mut own: Map<String, Value>) -> Value {
    let Some(Value::Array(members)) = own.get_mut("enum") else { return own.into() };
    let all = members.len();
    members.retain(|member| !member.is_null());
    if members.len() == all {
        return own.into();
    }
    own.insert("type".to_owned(), "string".into());
    json!({"anyOf": [own, {"type": "null"}]})
}

/// Returns true if a record contains itself.
fn recurses(schema: &Value) -> bool {
    let Some(defs) = schema.get("$defs").and_then(Value::as_object) else { return false };
    let mut left: Vec<_> = defs
        .iter()
        .map(|(name, body)| {
            let mut held = Vec::new();
            references(body, &mut held);
            (format!("#/$defs/{name}"), held)
        })
        .collect();
    // What contains none of those that are left cannot contain itself.
    loop {
        let before = left.len();
        let names: FxHashSet<String> = left.iter().map(|(name, _)| name.clone()).collect();
        left.retain(|(_, held)| held.iter().any(|name| names.contains(*name)));
        if left.len() == before {
            return before > 0;
        }
    }
}

fn references<'v>(schema: &'v Value, held: &mut Vec<&'v str>) {
    match schema {
        Value::Object(map) => {
            held.extend(map.get("$ref").and_then(Value::as_str));
            map.values().for_each(|inner| references(inner, held));
        }
        Value::Array(items) => items.iter().for_each(|inner| references(inner, held)),
        _ => {}
    }
}
