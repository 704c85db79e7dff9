//! JSON Schema as each provider takes it.
//!
//! A provider refuses a request whose schema has a keyword that it does not know. So a copy of the schema goes out, with
//! what the provider does not take written into the `description`, where the model reads it. Nothing is lost by that: the
//! machine holds each answer against the whole type. A schema that cannot be had so is put into words instead.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value, json};

use crate::config::{ModelConfig, Provider};

/// From so many repetitions on, some versions of the servers that make a grammar of a schema (llama.cpp, Ollama) refuse it.
const MANY: u64 = 1_000;

/// What a provider takes of JSON Schema.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one question with two answers, and all combinations may occur"
)]
struct Subset {
    takes: fn(&str, &Value) -> bool,
    /// Records without further fields, and nothing that may be anything.
    closed: bool,
    /// Records have each of their fields in each answer.
    whole: bool,
    /// The answer is a record.
    record: bool,
    /// Records may hold themselves.
    recursive: bool,
    /// `null` may stand among the members of an `enum`.
    null_member: bool,
}

impl Subset {
    fn of(config: &ModelConfig) -> Self {
        let own = config.base_url == config.provider.home();
        match config.provider {
            Provider::OpenAi if own => Self::open_ai(),
            Provider::OpenAi | Provider::Ollama => Self::local(),
            Provider::Anthropic => Self::anthropic(),
            Provider::Gemini => Self::gemini(),
        }
    }

    /// See <https://platform.openai.com/docs/guides/structured-outputs>.
    const fn open_ai() -> Self {
        let takes = |key: &str, _: &Value| is_common(key) || is_range(key) || key == "pattern";
        Self { takes, closed: true, whole: true, record: true, recursive: true, null_member: true }
    }

    /// Servers that make a grammar of the schema.
    const fn local() -> Self {
        let takes = |key: &str, value: &Value| {
            !(matches!(key, "maxLength" | "maxItems") && value.as_u64().is_none_or(|most| most >= MANY))
        };
        Self { takes, closed: false, whole: false, record: false, recursive: true, null_member: true }
    }

    /// See <https://docs.claude.com/en/docs/build-with-claude/structured-outputs>.
    const fn anthropic() -> Self {
        let takes = |key: &str, _: &Value| is_common(key) || key == "pattern";
        Self { takes, closed: true, whole: false, record: false, recursive: false, null_member: true }
    }

    /// See <https://ai.google.dev/api/generate-content>. A record that holds itself is unrolled there, and only below fields
    /// that may be missing.
    const fn gemini() -> Self {
        let takes = |key: &str, _: &Value| is_common(key) || is_range(key);
        Self { takes, closed: false, whole: false, record: false, recursive: false, null_member: false }
    }

    fn schema(&self, schema: &Value) -> Option<Value> {
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
        if self.closed && !(says("type") || says("$ref") || says("anyOf")) {
            return None;
        }
        let mut own = Map::new();
        let mut rest = Vec::new();
        for (key, value) in schema {
            if !(self.takes)(key, value) {
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
            ("anyOf", Value::Array(all)) => all.iter().map(|schema| self.node(schema)).collect(),
            ("additionalProperties", Value::Bool(open)) => (!(self.closed && *open)).then(|| value.clone()),
            ("additionalProperties", _) if self.closed => None,
            ("items" | "additionalProperties", _) => self.node(value),
            _ => Some(value.clone()),
        }
    }
}

/// A schema as the provider of a model takes it; nothing if it takes none that says as much.
pub(in crate::llm::live) fn taken(config: &ModelConfig, schema: &Value) -> Option<Value> {
    Subset::of(config).schema(schema)
}

/// Whether a schema may be asked for as a strict one: every record is closed and every field required.
pub(super) fn is_strict(schema: &Value) -> bool {
    Subset::open_ai().schema(schema).as_ref() == Some(schema)
}

fn is_common(key: &str) -> bool {
    let common = ["type", "description", "enum", "anyOf", "items", "$ref", "$defs"];
    common.contains(&key) || matches!(key, "properties" | "required" | "additionalProperties")
}

fn is_range(key: &str) -> bool {
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

/// Whether a record holds itself.
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
    // What holds none of those that are left cannot hold itself.
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
