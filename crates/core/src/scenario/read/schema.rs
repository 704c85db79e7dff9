//! The JSON Schemas of scenario files and scripts, for editors and generators.
//!
//! They are made from the tables of keys that the reader itself uses. A schema cannot look into the graph: roles, nodes and the
//! types of answers are held against it by [`Suite`](crate::scenario::Suite).

use serde_json::{Value, json};

use super::forms::{list, text};
use super::keys::{AROUND, FAILURE, HUMAN_ANSWER, MODEL_ANSWER, SCRIPT, SECTIONS, TOOL_ANSWER};
use crate::syntax::{FileKey, keys_schema, root_schema};

/// The JSON Schema (draft 2020-12) of a scenario file.
#[must_use]
pub fn file_schema() -> Value {
    with_answers(root_schema("A Loopwright scenario file", SECTIONS))
}

/// The JSON Schema (draft 2020-12) of a script: a file that holds the answers alone.
#[must_use]
pub fn script_schema() -> Value {
    let mut root = root_schema("A Loopwright script", SCRIPT);
    root["type"] = json!(["object", "null"]);
    with_answers(root)
}

fn with_answers(mut root: Value) -> Value {
    let answers = list(&json!({"$ref": "#/$defs/model_answer"}));
    let mut tool = keys_schema(TOOL_ANSWER);
    tool["oneOf"] = json!([{"required": ["ok"]}, {"required": ["error"]}]);
    root["$defs"] = json!({
        "model_answer": wrapped(MODEL_ANSWER),
        "models": {"anyOf": [answers, {"type": "object", "additionalProperties": answers}]},
        "tools": list(&tool),
        "people": list(&wrapped(HUMAN_ANSWER)),
        "error": {"anyOf": [text(), keys_schema(FAILURE)]},
    });
    root
}

/// An answer that is the value itself, or a mapping around it: one that has no keys but these, and an `error` with a `kind` or
/// `ok` with another key.
fn wrapped(keys: &[FileKey]) -> Value {
    let names = |keys: &[FileKey]| keys.iter().map(|key| key.name).collect::<Vec<_>>();
    let around: Vec<_> = names(AROUND).into_iter().map(|name| json!({"required": [name]})).collect();
    let mut signs = vec![json!({"required": ["ok"], "anyOf": around})];
    if names(keys).contains(&"error") {
        let error = json!({"type": "object", "required": ["kind"]});
        signs.push(json!({"required": ["error"], "properties": {"error": error}}));
    }
    let mut around_it = keys_schema(keys);
    around_it["not"] = json!({"required": ["ok", "error"]});
    json!({
        "if": {"type": "object", "propertyNames": {"enum": names(keys)}, "anyOf": signs},
        "then": around_it,
    })
}
