//! One tool as its server describes it.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::text::cut;
use crate::config::validator;
use crate::value::{Value, json::canonical};

/// The longest description that is handed on, in bytes.
const MAX_DESCRIPTION: usize = 8 << 10;

/// The longest description of a tool that is on offer, in bytes.
const MAX_WORDS: usize = 32 << 10;

/// The longest title of a tool that is on offer, and the longest JSON of its hints, in bytes.
const MAX_TITLE: usize = 2 << 10;

/// The longest schema of a tool that is on offer, in bytes.
const MAX_SCHEMA: usize = 256 << 10;

/// The longest name of a tool with that of its server, in bytes: graphs take no longer one.
const MAX_NAME: usize = 128;

/// The part of a text before its first difference and after its last that is shown, in characters.
const AROUND: usize = 20;

/// The longest part of a text that differs and is shown whole, in characters: a whole description.
const SHOWN: usize = MAX_WORDS;

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

    /// The length of all of it, in bytes of JSON.
    pub(super) fn len(&self) -> usize {
        self.document().to_string().len()
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
        if self.description.as_ref().is_some_and(|text| text.len() > MAX_WORDS) {
            return Some(format!("its description is longer than {MAX_WORDS} bytes"));
        }
        if self.title.as_ref().is_some_and(|text| text.len() > MAX_TITLE) {
            return Some(format!("its title is longer than {MAX_TITLE} bytes"));
        }
        if self.annotations.as_ref().is_some_and(|hints| hints.to_string().len() > MAX_TITLE) {
            return Some(format!("its hints are longer than {MAX_TITLE} bytes"));
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
    let (then, now): (Vec<char>, Vec<char>) = (words(then).chars().collect(), words(now).chars().collect());
    let same = then.iter().zip(&now).take_while(|(a, b)| a == b).count();
    let ends = then[same..].iter().rev().zip(now[same..].iter().rev()).take_while(|(a, b)| a == b).count();
    lines.push(format!("{field}, from character {}:", same + 1));
    lines.push(format!("- {}", part(&then, same, ends)));
    lines.push(format!("+ {}", part(&now, same, ends)));
}

fn words(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => "(nothing)".to_owned(),
        other => other.to_string(),
    }
}

/// All of a text that differs, between what is the same at its beginning and at its end.
fn part(text: &[char], same: usize, ends: usize) -> String {
    let begin = same.saturating_sub(AROUND);
    let end = (text.len() - ends + AROUND).min(text.len());
    let shown = end.min(begin + SHOWN);
    let before = if begin > 0 { "…" } else { "" };
    let after = match (end - shown, end < text.len()) {
        (0, false) => String::new(),
        (0, true) => "…".to_owned(),
        (more, _) => format!("… and {more} further characters"),
    };
    format!("{before}{}{after}", text[begin..shown].iter().collect::<String>())
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
    fn words_far_behind_the_first_difference_are_shown() {
        let same = "x".repeat(300);
        let new = facts(&format!("Reads A file. {same} Then sends it away. {same}"));
        let lines = new.differences(&facts(&format!("Reads a file. {same} {same}")));
        assert!(lines[2].contains("Reads A") && lines[2].contains("Then sends it away."), "{lines:?}");
        let lines = facts(&"y".repeat(40_000)).differences(&facts("x"));
        assert!(lines[2].ends_with("y… and 7232 further characters"), "{}", &lines[2][lines[2].len() - 60..]);
    }

    #[test]
    fn a_tool_with_long_words_is_not_on_offer() {
        assert_eq!(facts(&"x".repeat(32 << 10)).fault("t"), None);
        let fault = |facts: ToolFacts| facts.fault("t").expect("it is too long");
        assert!(fault(facts(&"x".repeat((32 << 10) + 1))).contains("description"));
        assert!(fault(ToolFacts { title: Some("x".repeat(3000)), ..facts("") }).contains("title"));
        let hints = Some(json!({"title": "x".repeat(3000)}));
        assert!(fault(ToolFacts { annotations: hints, ..facts("") }).contains("hints"));
    }

    #[test]
    fn the_digest_does_not_depend_on_the_order_of_keys() {
        let mut other = facts("a");
        other.input_schema = json!({"properties": {"path": {"type": "string"}}, "type": "object"});
        assert_eq!(other.digest(), facts("a").digest());
    }
}
