//! The JSON Schema of the YAML form, for editors and generators.
//!
//! It is made from the tables the reader itself uses, so a key that is read is in the schema and the other way
//! round. A schema cannot look into expressions; `check` does.

use serde_json::{Map, Value, json};

use super::lower::tables::{
    BRANCH_KEYS, CLASSES, EDGE_KEYS, FAMILY_KEYS, METER_KEYS, MIGRATE_KEYS, NODE_KEYS, NODE_KINDS,
    PAUSE_KEYS, RETRY_KEYS, ROLE_KEYS, SECTIONS, START_KEYS, TEXT_KEYS, VIEW_KEYS,
};
use super::lower::{Form, Key};
use crate::diag::rule;

/// The JSON Schema (draft 2020-12) of a graph file in YAML.
#[must_use]
pub fn schema() -> Value {
    let mut root = object(SECTIONS, &[]);
    root["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    root["title"] = "A Loopwright graph file".into();
    root["$defs"] = definitions();
    root
}

fn definitions() -> Value {
    json!({
        "name": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$"},
        "tool": {"type": "string", "pattern": "^[A-Za-z0-9_./:-]{1,128}$"},
        "text": {"type": ["string", "number", "boolean"]},
        "expression": {
            "description": "Text of an expression; a mapping is a map of expressions, a list a list of them.",
            "anyOf": [
                {"type": ["string", "number", "boolean", "null"]},
                {"type": "array", "items": definition("expression")},
                {"type": "object", "additionalProperties": definition("expression")},
            ],
        },
        "statements": {"anyOf": [{"type": "string"}, list(&json!({"type": "string"}))]},
        "fields": named(&json!({"type": "string"})),
        "budget": {"anyOf": [{"type": ["string", "number"]}, object(METER_KEYS, &["limit"]), object(FAMILY_KEYS, &["each", "meters"])]},
        "meter": {"anyOf": [{"type": ["string", "number"]}, object(METER_KEYS, &["limit"])]},
        "edge": object(EDGE_KEYS, &["to"]),
        "branch": branch(),
        "node": node(),
    })
}

/// The schema of a form.
fn form(form: Form) -> Value {
    match form {
        Form::Name => definition("name"),
        Form::ToolName => definition("tool"),
        Form::Names => one_or_more(&definition("name")),
        Form::ToolNames => one_or_more(&definition("tool")),
        Form::Word(words) => json!({"enum": words}),
        Form::Text => definition("text"),
        Form::Paths | Form::Triggers => one_or_more(&json!({"type": "string"})),
        Form::Bool => json!({"type": "boolean"}),
        Form::Expr => definition("expression"),
        Form::TextName => json!({"anyOf": [definition("text"), text_source()]}),
        Form::Fields => json!({"anyOf": [{"type": "string"}, named(&definition("expression"))]}),
        Form::Statements => definition("statements"),
        Form::Graph => graph(),
        Form::Graphs => json!({"anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
            {"type": "object", "propertyNames": definition("name"), "additionalProperties": graph(), "minProperties": 1},
        ]}),
        Form::Path | Form::Place | Form::Type => json!({"type": "string"}),
        Form::Start => json!({"anyOf": [definition("name"), object(START_KEYS, &["to"])]}),
        Form::Pause => object(PAUSE_KEYS, &["when"]),
        Form::Retry => json!({"anyOf": [{"type": ["string", "number"]}, object(RETRY_KEYS, &[])]}),
        Form::Edges => json!({"anyOf": [edge(), list(&edge()), {"type": "null"}]}),
        by_name => declarations(by_name),
    }
}

/// A text given as a mapping.
fn text_source() -> Value {
    let mut source = object(TEXT_KEYS, &[]);
    source["minProperties"] = 1.into();
    source["maxProperties"] = 1.into();
    source
}

/// A path, or a graph in place.
fn graph() -> Value {
    json!({"anyOf": [{"type": "string"}, {"$ref": "#"}]})
}

/// A branch: its graph is fixed or chosen.
fn branch() -> Value {
    let mut branch = object(BRANCH_KEYS, &[]);
    branch["anyOf"] = json!([{"required": ["graph"]}, {"required": ["graph_of", "graphs"]}]);
    branch
}

/// The schema of a form that holds declarations by name.
fn declarations(form: Form) -> Value {
    match form {
        Form::FieldDecls => definition("fields"),
        Form::Types => json!({
            "type": ["object", "null"],
            "propertyNames": {"pattern": "^(open +)?[A-Za-z_][A-Za-z0-9_]{0,63}$"},
            "additionalProperties": {"anyOf": [{"type": "string"}, definition("fields")]},
        }),
        Form::Errors => named(&json!({"enum": CLASSES})),
        Form::Budgets => named(&definition("budget")),
        Form::Meters => named(&definition("meter")),
        Form::Lets => json!({
            "type": ["object", "null"],
            "propertyNames": {"pattern": r"^[A-Za-z_][A-Za-z0-9_]{0,63}(\(.*\))?$"},
            "additionalProperties": definition("expression"),
        }),
        Form::Actions => named(&definition("statements")),
        Form::Roles => json!({"anyOf": [
            list(&definition("name")),
            named(&json!({"anyOf": [{"type": ["string", "null"]}, object(ROLE_KEYS, &[])]})),
        ]}),
        Form::Texts => named(&json!({"anyOf": [definition("text"), text_source()]})),
        Form::Nodes => named(&definition("node")),
        Form::Branches => named(&definition("branch")),
        Form::Properties => named(&json!({"type": "string"})),
        Form::Ignores => json!({
            "type": ["object", "null"],
            "propertyNames": {"enum": rule::ALL.iter().map(|rule| rule.slug()).collect::<Vec<_>>()},
            "additionalProperties": {"type": "string", "minLength": 1},
        }),
        Form::Migrate => object(MIGRATE_KEYS, &[]),
        Form::Renames => named(&definition("name")),
        Form::Views => named(&object(VIEW_KEYS, &[])),
        // Outputs; every other form is one of single values.
        _ => named(&definition("expression")),
    }
}

/// A node: all keys, and for each kind those it has.
fn node() -> Value {
    let mut node = object(NODE_KEYS, &[]);
    node["type"] = json!(["object", "null"]);
    let cases = NODE_KINDS.iter().map(|(kind, doc)| {
        json!({
            "if": {"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"description": doc, "propertyNames": {"enum": keys_of(kind)}},
        })
    });
    let plain = json!({
        "if": {"type": "object", "not": {"anyOf": [{"required": ["kind"]}, {"required": ["nodes"]}]}},
        "then": {"propertyNames": {"enum": keys_of("action")}},
    });
    node["allOf"] = cases.chain([plain]).collect();
    node
}

fn keys_of(kind: &str) -> Vec<&'static str> {
    let has = |key: &&Key<_>| key.kinds.is_empty() || key.kinds.contains(&kind);
    NODE_KEYS.iter().filter(has).map(|key| key.name).collect()
}

/// A mapping with the fixed keys of a table.
fn object<T>(table: &[Key<T>], required: &[&str]) -> Value {
    let property = |key: &Key<T>| {
        let mut schema = form(key.form);
        schema["description"] = key.doc.into();
        (key.name.to_owned(), schema)
    };
    let properties: Map<_, _> = table.iter().map(property).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// A mapping from free names.
fn named(value: &Value) -> Value {
    json!({"type": ["object", "null"], "propertyNames": definition("name"), "additionalProperties": value})
}

fn edge() -> Value {
    json!({"anyOf": [definition("name"), definition("edge")]})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

fn one_or_more(item: &Value) -> Value {
    json!({"anyOf": [item, list(item)]})
}

fn definition(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}
