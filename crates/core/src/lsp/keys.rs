//! Keys and words that fit at a place, from the schema of the kind of file.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::key_place::KeyPlace;
use crate::app::FileKind;
use crate::syntax::{Syntax, declaration_words};

/// A key, or a word that stands for a value.
pub(super) struct FittingKey {
    pub(super) name: String,
    /// The text to write.
    pub(super) insert: String,
    pub(super) doc: Option<String>,
    pub(super) is_value: bool,
}

/// The keys that fit at a byte of a file where a word begins; words of a value where one is wanted.
pub(super) fn keys_at(kind: FileKind, name: &str, text: &str, start: usize) -> Vec<FittingKey> {
    let schema = kind.schema();
    if Syntax::of(name) == Syntax::Loop {
        return dsl_keys(&schema, text, start);
    }
    let is_toml = kind == FileKind::Configuration;
    let place = if is_toml { KeyPlace::in_toml(text, start) } else { KeyPlace::in_yaml(text, start) };
    let Some(place) = place else { return Vec::new() };
    let mut tables = vec![&schema];
    for key in &place.path {
        tables = below(&schema, &tables, key);
    }
    if let Some(key) = &place.value_of {
        let values = below(&schema, &tables, key).into_iter();
        let quote = if is_toml && !place.is_quoted { "\"" } else { "" };
        let insert = |name: &str| format!("{quote}{name}{quote}");
        let mut seen = BTreeSet::new();
        return values
            .flat_map(|value| words(&schema, value))
            .filter(|name| seen.insert(name.clone()))
            .map(|name| FittingKey { insert: insert(&name), name, doc: None, is_value: true })
            .collect();
    }
    let after = match () {
        () if place.is_head => "",
        () if is_toml => " = ",
        () => ": ",
    };
    let mut seen = BTreeSet::new();
    let all = tables.iter().flat_map(|table| keys(&schema, table, place.kind.as_deref(), after));
    all.filter(|key| seen.insert(key.name.clone())).collect()
}

/// The schema that a reference leads to, and those that it may be.
fn alternatives<'s>(root: &'s Json, at: &'s Json) -> Vec<&'s Json> {
    if let Some(path) = at["$ref"].as_str() {
        return root
            .pointer(path.trim_start_matches('#'))
            .map(|to| alternatives(root, to))
            .unwrap_or_default();
    }
    let cases = at["anyOf"].as_array().into_iter().flatten().chain(at.get("then"));
    let mut all: Vec<&Json> = cases.flat_map(|one| alternatives(root, one)).collect();
    if all.is_empty() || at.get("properties").is_some() {
        all.push(at);
    }
    all
}

/// The schemas of the value of a key; a fixed key goes before a free name. Those of the items of a list count as the list's own.
fn below<'s>(root: &'s Json, tables: &[&'s Json], key: &str) -> Vec<&'s Json> {
    let tables: Vec<&Json> = tables.iter().flat_map(|table| alternatives(root, table)).collect();
    let mut values: Vec<&Json> = tables.iter().filter_map(|table| table["properties"].get(key)).collect();
    if values.is_empty() {
        let free = tables.iter().filter_map(|table| table.get("additionalProperties"));
        values.extend(free.filter(|value| value.is_object()));
    }
    let mut found = Vec::new();
    for value in values.into_iter().flat_map(|value| alternatives(root, value)) {
        found.extend(value.get("items"));
        found.push(value);
    }
    found
}

fn words(root: &Json, at: &Json) -> Vec<String> {
    let all = alternatives(root, at).into_iter().filter_map(|one| one["enum"].as_array()).flatten();
    all.filter_map(Json::as_str).map(str::to_owned).collect()
}

/// The keys of a mapping; those of a kind of node where it is one.
fn keys(root: &Json, at: &Json, kind: Option<&str>, after: &str) -> Vec<FittingKey> {
    let mut found = Vec::new();
    for one in alternatives(root, at) {
        let of_kind = kind.and_then(|kind| keys_of_kind(one, kind));
        let fits = |name: &str| of_kind.as_ref().is_none_or(|keys| keys.iter().any(|key| key == name));
        for (name, schema) in
            one["properties"].as_object().into_iter().flatten().filter(|(name, _)| fits(name))
        {
            found.push(FittingKey {
                insert: format!("{name}{after}"),
                name: name.clone(),
                doc: schema["description"].as_str().map(str::to_owned),
                is_value: false,
            });
        }
    }
    found
}

/// The keys that the schema of a node gives to a kind.
fn keys_of_kind(node: &Json, kind: &str) -> Option<Vec<String>> {
    let cases = node["allOf"].as_array()?.iter();
    let mut cases = cases.filter(|case| case["if"]["properties"]["kind"]["const"] == kind);
    let keys = cases.next()?["then"]["propertyNames"]["enum"].as_array()?;
    Some(keys.iter().filter_map(Json::as_str).map(str::to_owned).collect())
}

/// The words that fit at the beginning of a line of the loop DSL: keys of the node that it is in, else beginnings of declarations.
fn dsl_keys(schema: &Json, text: &str, start: usize) -> Vec<FittingKey> {
    let Some(before) = text.get(..start) else { return Vec::new() };
    let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
    if !line.trim().is_empty() {
        return Vec::new();
    }
    let depth = before.matches('{').count().saturating_sub(before.matches('}').count());
    if depth == 0 {
        let mut all: Vec<&str> = declaration_words().collect();
        all.sort_unstable();
        all.dedup();
        let key = |name: &str| FittingKey {
            name: name.to_owned(),
            insert: format!("{name} "),
            doc: None,
            is_value: false,
        };
        return all.into_iter().map(key).collect();
    }
    let Some(node) = schema.pointer("/$defs/node") else { return Vec::new() };
    // The head of the innermost block begins with the kind.
    let head = before.rfind("{\n").map(|at| before[..at].rsplit('\n').next().unwrap_or_default());
    let word = head.and_then(|head| head.split_whitespace().next()).unwrap_or_default();
    let kinds = words(schema, &node["properties"]["kind"]);
    let Some(kind) = kinds.iter().find(|kind| *kind == word) else { return Vec::new() };
    let mut found = keys(schema, node, Some(kind), " ");
    // Statements and edges are written without a key.
    found.retain(|key| !matches!(key.name.as_str(), "kind" | "next" | "nodes" | "do"));
    found
}
