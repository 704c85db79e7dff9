//! Keys and words of the language that fit at a place, from the schema of graph files.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::syntax::{Syntax, declaration_words, schema};

/// A key, or a word that stands for a value.
pub(super) struct FittingKey {
    pub(super) name: String,
    /// The text to write.
    pub(super) insert: String,
    pub(super) doc: Option<String>,
    pub(super) is_value: bool,
}

/// The keys that fit at a byte where a word begins; words of a value where one is wanted.
pub(super) fn keys_at(name: &str, text: &str, start: usize) -> Vec<FittingKey> {
    let schema = schema();
    if Syntax::of(name) == Syntax::Loop {
        return dsl_keys(&schema, text, start);
    }
    let Some(place) = YamlPlace::at(text, start) else { return Vec::new() };
    let mut tables = vec![&schema];
    for key in &place.path {
        tables = tables.into_iter().flat_map(|table| below(&schema, table, key)).collect();
    }
    if let Some(key) = &place.value_of {
        let values = tables.iter().flat_map(|table| below(&schema, table, key));
        let words = values.flat_map(|value| words(&schema, value));
        return words
            .map(|name| FittingKey { insert: name.clone(), name, doc: None, is_value: true })
            .collect();
    }
    let mut seen = BTreeSet::new();
    let all = tables.iter().flat_map(|table| keys(&schema, table, place.kind.as_deref()));
    all.filter(|key| seen.insert(key.name.clone())).collect()
}

/// The place of a byte in a YAML text.
struct YamlPlace {
    /// The keys around it, outermost first.
    path: Vec<String>,
    /// The key whose value it is; none where a key is wanted.
    value_of: Option<String>,
    /// The `kind` of the mapping that it is in.
    kind: Option<String>,
}

impl YamlPlace {
    fn at(text: &str, start: usize) -> Option<Self> {
        let line_start = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
        let before = &text[line_start..start];
        let dashes = before.len() - before.trim_start_matches([' ', '-']).len();
        let own = &before[dashes..];
        let lines: Vec<&str> = text[..line_start].lines().collect();
        let mut path = ancestors(&lines, dashes);
        let kind = sibling_kind(text, line_start, dashes);
        // Inside of brackets on this line, the key before them is around it.
        if let Some(open) = own.rfind('{').filter(|open| !own[*open..].contains('}')) {
            path.extend(key_of(&own[..open]).map(str::to_owned));
            let part = own[open + 1..].rsplit(',').next().unwrap_or_default();
            let value_of = key_of(part).map(str::to_owned);
            let kind =
                own[open..].split(',').find_map(|part| part.trim_matches(['{', ' ']).strip_prefix("kind:"));
            return Some(Self { path, value_of, kind: kind.map(|kind| kind.trim().to_owned()) });
        }
        match (own.trim(), key_of(own)) {
            ("", _) => Some(Self { path, value_of: None, kind }),
            (written, Some(key))
                if written.ends_with(':') || written.ends_with('[') || written.ends_with(',') =>
            {
                Some(Self { path, value_of: Some(key.to_owned()), kind })
            }
            _ => None,
        }
    }
}

/// The key at the beginning of a piece of a line.
fn key_of(text: &str) -> Option<&str> {
    let key = text.trim_start_matches([' ', '-', '{']).split_once(':')?.0.trim_matches(['"', '\'', ' ']);
    (!key.is_empty() && !key.contains(' ')).then_some(key)
}

/// The keys of the lines above that are indented less, outermost first.
fn ancestors(lines: &[&str], depth: usize) -> Vec<String> {
    let mut path = Vec::new();
    let mut least = depth;
    for line in lines.iter().rev() {
        let own = line.len() - line.trim_start_matches([' ', '-']).len();
        if line.trim().is_empty() || line.trim_start().starts_with('#') || own >= least {
            continue;
        }
        least = own;
        path.extend(key_of(line).map(str::to_owned));
    }
    path.reverse();
    path
}

/// The `kind` that a line of the same mapping says.
fn sibling_kind(text: &str, line_start: usize, depth: usize) -> Option<String> {
    let own = |line: &&str| line.len() - line.trim_start().len() == depth;
    let kind = |line: &str| line.trim_start().strip_prefix("kind:").map(|kind| kind.trim().to_owned());
    let stays = |line: &&str| line.trim().is_empty() || line.len() - line.trim_start().len() >= depth;
    let above = text[..line_start].lines().rev().take_while(stays);
    let below = text[line_start..].lines().skip(1).take_while(stays);
    above.filter(own).find_map(kind).or_else(|| below.filter(own).find_map(kind))
}

/// The schema that a reference leads to, and those it may be.
fn alternatives<'s>(root: &'s Json, at: &'s Json) -> Vec<&'s Json> {
    if let Some(path) = at["$ref"].as_str() {
        return root
            .pointer(path.trim_start_matches('#'))
            .map(|to| alternatives(root, to))
            .unwrap_or_default();
    }
    match at["anyOf"].as_array() {
        Some(all) => all.iter().flat_map(|one| alternatives(root, one)).collect(),
        None => vec![at],
    }
}

/// The schemas of the value of a key. Those of the items of a list count as the list's own.
fn below<'s>(root: &'s Json, at: &'s Json, key: &str) -> Vec<&'s Json> {
    let mut found = Vec::new();
    for one in alternatives(root, at) {
        let value =
            one["properties"].get(key).or_else(|| one.get("additionalProperties")).filter(|v| v.is_object());
        for value in value.into_iter().flat_map(|value| alternatives(root, value)) {
            found.extend(value.get("items"));
            found.push(value);
        }
    }
    found
}

fn words(root: &Json, at: &Json) -> Vec<String> {
    let all = alternatives(root, at).into_iter().filter_map(|one| one["enum"].as_array()).flatten();
    all.filter_map(Json::as_str).map(str::to_owned).collect()
}

/// The keys of a mapping; those of a kind of node where it is one.
fn keys(root: &Json, at: &Json, kind: Option<&str>) -> Vec<FittingKey> {
    let mut found = Vec::new();
    for one in alternatives(root, at) {
        let of_kind = kind.and_then(|kind| keys_of_kind(one, kind));
        let fits = |name: &str| of_kind.as_ref().is_none_or(|keys| keys.iter().any(|key| key == name));
        for (name, schema) in
            one["properties"].as_object().into_iter().flatten().filter(|(name, _)| fits(name))
        {
            found.push(FittingKey {
                insert: format!("{name}: "),
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
    let mut found = keys(schema, node, Some(kind));
    // Statements and edges are written without a key.
    found.retain(|key| !matches!(key.name.as_str(), "kind" | "next" | "nodes" | "do"));
    for key in &mut found {
        key.insert = format!("{} ", key.name);
    }
    found
}
