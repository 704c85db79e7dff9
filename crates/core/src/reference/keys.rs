//! The keys of a graph file, from the schema that the tables of keys give.

use serde_json::{Map, Value};

use super::part::ReferencePart;
use crate::source::Sources;
use crate::syntax::{Syntax, schema, write};

const PAGE: &str = "language/keys.md";

/// A table of keys outside of nodes: its name, a title, a word before the table, and the path to the properties in the schema.
struct KeyTable {
    name: &'static str,
    title: &'static str,
    word: &'static str,
    path: &'static str,
}

const fn table(name: &'static str, title: &'static str, word: &'static str, path: &'static str) -> KeyTable {
    KeyTable { name, title, word, path }
}

const SECTIONS: KeyTable = table("sections", "Sections of a file", "", "/properties");

const OTHERS: [KeyTable; 8] = [
    table(
        "edge-keys",
        "Edges",
        "An entry of `next`. An edge without other keys is the name of its node alone.",
        "/$defs/edge/properties",
    ),
    table(
        "retry-keys",
        "Retry",
        "A number alone is `attempts`.",
        "/$defs/node/properties/retry/anyOf/1/properties",
    ),
    table("branch-keys", "Branches of a parallel node", "", "/$defs/branch/properties"),
    table("budget-keys", "Budgets", "An expression alone is `limit`.", "/$defs/budget/anyOf/1/properties"),
    table("family-keys", "Families of budgets", "", "/$defs/budget/anyOf/2/properties"),
    table("pause-keys", "Pause", "", "/properties/pause/properties"),
    table("migrate-keys", "Migration", "", "/properties/migrate/properties"),
    table("view-keys", "Views", "", "/properties/views/additionalProperties/properties"),
];

/// The keys that nodes of all kinds have.
const COMMON: [&str; 5] = ["kind", "title", "doc", "ignore", "new"];

/// Builds the table of examples: one graph a kind, found by the kind's name.
macro_rules! examples {
    ($($kind:literal)*) => {
        &[$(($kind, include_str!(concat!("kinds/", $kind, ".yaml")))),*]
    };
}

/// A graph for each kind of node.
const EXAMPLES: &[(&str, &str)] = examples![
    "action" "choice" "composite" "model" "tool" "human" "call" "each" "parallel" "wait" "final"
];

pub(super) fn parts() -> Vec<ReferencePart> {
    let schema = schema();
    let mut parts = vec![own(&schema, &SECTIONS)];
    for case in schema["$defs"]["node"]["allOf"].as_array().into_iter().flatten() {
        // The last case, of nodes without a kind, is that of `action` once more.
        let (Some(kind), Some(doc)) =
            (case["if"]["properties"]["kind"]["const"].as_str(), case["then"]["description"].as_str())
        else {
            continue;
        };
        let keys = case["then"]["propertyNames"]["enum"].as_array().cloned().unwrap_or_default();
        parts.push(node(&schema, kind, doc, &keys));
    }
    parts.extend(OTHERS.iter().map(|table| own(&schema, table)));
    parts
}

fn properties<'s>(schema: &'s Value, path: &str) -> &'s Map<String, Value> {
    schema.pointer(path).and_then(Value::as_object).expect("the schema has the tables that are named here")
}

/// The part of a table outside of nodes.
fn own(schema: &Value, table: &KeyTable) -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, table.name);
    part.write(&format!("## {}\n", table.title));
    if !table.word.is_empty() {
        part.write(&format!("{}\n", table.word));
    }
    rows(&mut part, properties(schema, table.path), |_| true);
    part
}

/// The part of a kind of node: its keys, and a graph in both syntaxes.
fn node(schema: &Value, kind: &str, doc: &str, keys: &[Value]) -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, format!("kind-{kind}")).about("kind", kind);
    part.write(&format!("### {kind}\n\n{doc}\n"));
    rows(&mut part, properties(schema, "/$defs/node/properties"), |name| {
        !COMMON.contains(&name) && keys.iter().any(|key| key == name)
    });
    if let Some((_, text)) = EXAMPLES.iter().find(|(own, _)| *own == kind) {
        let file = format!("{kind}.yaml");
        part.write(&format!("\n```yaml\n# {file}\n{text}```\n"));
        part.write(&format!(
            "```console\n$ loopwright convert {file} | tail -n +2\n{}```",
            in_other_syntax(&file, text)
        ));
    }
    part
}

/// A graph in the loop DSL, without the comment that names its file.
fn in_other_syntax(file: &str, text: &str) -> String {
    let mut sources = Sources::new();
    let file = sources.add(file, format!("# {file}\n{text}"));
    let text = write(&sources, file, Syntax::Loop).unwrap_or_default();
    text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned())
}

fn rows(part: &mut ReferencePart, keys: &Map<String, Value>, wanted: impl Fn(&str) -> bool) {
    part.table(&["key", "value", ""]);
    for (name, schema) in keys.iter().filter(|(name, _)| wanted(name)) {
        let doc = schema["description"].as_str().unwrap_or_default();
        part.entry("key", name, format!("| `{name}` | {} | {doc} |", form(schema)));
    }
}

/// The form of a value in a word or two.
pub(super) fn form(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return if name == "#" { "graph" } else { name.trim_start_matches("#/$defs/") }.to_owned();
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<_> = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
        return words.join(", ");
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        let mut forms: Vec<String> =
            forms.iter().filter(|form| form["type"] != "null").map(form_of_one).collect();
        forms.dedup();
        return forms.join(" or ");
    }
    form_of_one(schema)
}

fn form_of_one(schema: &Value) -> String {
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind {
        Some("array") => format!("list of {}", form(&schema["items"])),
        Some("object") if schema["additionalProperties"].is_object() => {
            format!("{} by name", form(&schema["additionalProperties"]))
        }
        Some("object") => "mapping".to_owned(),
        Some("string") => "text".to_owned(),
        Some(other) => other.to_owned(),
        None => form(schema),
    }
}

/// The kinds of node, each with what it does and its own keys.
pub(super) fn kinds() -> Vec<(String, String, Vec<String>)> {
    let schema = schema();
    let cases = schema["$defs"]["node"]["allOf"].as_array().cloned().unwrap_or_default();
    let kind = |case: &Value| {
        let kind = case["if"]["properties"]["kind"]["const"].as_str()?.to_owned();
        let doc = case["then"]["description"].as_str()?.to_owned();
        let keys = case["then"]["propertyNames"]["enum"].as_array()?;
        let keys =
            keys.iter().filter_map(Value::as_str).filter(|key| !COMMON.contains(key)).map(str::to_owned);
        Some((kind, doc, keys.collect()))
    };
    cases.iter().filter_map(kind).collect()
}
