//! What a server says of one of its tools.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::text::cut;
use crate::config::validator;
use crate::value::{Value, json::canonical};

/// The longest description that is handed on, in bytes.
const MAX_DESCRIPTION: usize = 8 << 10;

/// The longest schema of a tool that is on offer, in bytes.
const MAX_SCHEMA: usize = 256 << 10;

/// The longest name of a tool with that of its server, in bytes: graphs take no longer one.
const MAX_NAME: usize = 128;

/// The part of a text around its first difference that is shown, in characters.
const SHOWN: usize = 60;

/// All that a server says of a tool and that a person reads before they grant it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolFacts {
    /// Its name at the server.
    pub name: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Json>,
    /// JSON Schema of its arguments.
    pub input_schema: Json,
    /// JSON Schema of its results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Json>,
}

impl ToolFacts {
    pub(super) fn of(tool: rmcp::model::Tool) -> Self {
        Self {
            name: tool.name.into_owned(),
            title: tool.title,
            description: tool.description.map(std::borrow::Cow::into_owned),
            annotations: tool.annotations.and_then(|hints| serde_json::to_value(hints).ok()),
            input_schema: Json::Object((*tool.input_schema).clone()),
            output_schema: tool.output_schema.map(|schema| Json::Object((*schema).clone())),
        }
    }

    /// The digest of all of it.
    #[must_use]
    pub fn digest(&self) -> String {
        let all = Value::from_json(&self.document());
        blake3::hash(canonical(&all).as_bytes()).to_hex().to_string()
    }

    fn document(&self) -> Json {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "annotations": self.annotations,
            "input_schema": self.input_schema,
            "output_schema": self.output_schema,
        })
    }

    /// The reason for which it cannot be on offer under the name of its server, if there is one.
    pub(super) fn fault(&self, server: &str) -> Option<String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:".contains(c);
        if self.name.is_empty() || !self.name.chars().all(plain) {
            return Some("its name is none that a graph can write".to_owned());
        }
        if server.len() + 1 + self.name.len() > MAX_NAME {
            return Some(format!("its name with the server's is longer than {MAX_NAME} bytes"));
        }
        let long = |schema: &Json| schema.to_string().len() > MAX_SCHEMA;
        if long(&self.input_schema) || self.output_schema.as_ref().is_some_and(long) {
            return Some(format!("its schema is longer than {MAX_SCHEMA} bytes"));
        }
        let deep = |schema: &Json| Value::from_json(schema).depth() > crate::value::MAX_DEPTH;
        if deep(&self.input_schema) || self.output_schema.as_ref().is_some_and(deep) {
            return Some("its schema nests too deeply".to_owned());
        }
        let schemas = [Some(&self.input_schema), self.output_schema.as_ref()];
        let fault =
            schemas.into_iter().flatten().find_map(|schema| validator(&Value::from_json(schema)).err());
        fault.map(|why| format!("its schema is not a JSON Schema: {}", cut(&why, 300)))
    }

    /// A hint of the server, if it gives it.
    pub(super) fn hint(&self, name: &str) -> bool {
        self.annotations.as_ref().and_then(|hints| hints.get(name)).and_then(Json::as_bool) == Some(true)
    }

    /// Its purpose as it is handed on: cut where it is very long.
    pub(super) fn purpose(&self) -> String {
        let text = self.description.as_deref().or(self.title.as_deref()).unwrap_or_default();
        cut(text, MAX_DESCRIPTION)
    }

    /// The differences to what it was, a line each for what was and what is; the parts that differ alone.
    #[must_use]
    pub fn differences(&self, before: &Self) -> Vec<String> {
        let (Json::Object(old), Json::Object(new)) = (before.document(), self.document()) else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for (field, now) in &new {
            let then = old.get(field).unwrap_or(&Json::Null);
            if now != then {
                difference(field, then, now, &mut lines);
            }
        }
        lines
    }
}

/// Goes into objects that both are, so that what is shown is small.
fn difference(field: &str, then: &Json, now: &Json, lines: &mut Vec<String>) {
    if let (Json::Object(old), Json::Object(new)) = (then, now) {
        let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names {
            let (then, now) = (old.get(name).unwrap_or(&Json::Null), new.get(name).unwrap_or(&Json::Null));
            if then != now {
                difference(&format!("{field}.{name}"), then, now, lines);
            }
        }
        return;
    }
    let (then, now) = (words(then), words(now));
    let same = then.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
    let begin = same.saturating_sub(SHOWN / 3);
    lines.push(format!("{field}, from character {}:", same + 1));
    lines.push(format!("- {}", around(&then, begin)));
    lines.push(format!("+ {}", around(&now, begin)));
}

fn words(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => "(nothing)".to_owned(),
        other => other.to_string(),
    }
}

fn around(text: &str, begin: usize) -> String {
    let part: String = text.chars().skip(begin).take(SHOWN).collect();
    let before = if begin > 0 { "…" } else { "" };
    let after = if text.chars().count() > begin + SHOWN { "…" } else { "" };
    format!("{before}{part}{after}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ToolFacts;

    fn facts(description: &str) -> ToolFacts {
        ToolFacts {
            name: "read".to_owned(),
            title: None,
            description: Some(description.to_owned()),
            annotations: None,
            input_schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
            output_schema: None,
        }
    }

    #[test]
    fn one_character_makes_a_difference_that_is_shown() {
        let long = "x".repeat(200);
        let (old, new) =
            (facts(&format!("{long}reads a file{long}")), facts(&format!("{long}reads a fi1e{long}")));
        assert_ne!(old.digest(), new.digest());
        let lines = new.differences(&old);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[1].contains("reads a file") && lines[2].contains("reads a fi1e"), "{lines:?}");
        let mut other = facts("a");
        other.input_schema = json!({"type": "object", "properties": {"path": {"type": "number"}}});
        assert_eq!(other.differences(&facts("a"))[0], "input_schema.properties.path.type, from character 1:");
        assert_eq!(facts("a").differences(&facts("a")), Vec::<String>::new());
    }

    #[test]
    fn the_digest_does_not_depend_on_the_order_of_keys() {
        let mut other = facts("a");
        other.input_schema = json!({"properties": {"path": {"type": "string"}}, "type": "object"});
        assert_eq!(other.digest(), facts("a").digest());
    }
}
