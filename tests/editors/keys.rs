//! The keys of graph files as words of the highlighting of VS Code.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::loop_dsl::root;

/// The keys that the loop DSL has no word for: an edge is an arrow to its target, with its label in quotes.
const ONLY_IN_YAML: [&str; 2] = ["label", "to"];

/// The names of all properties of a schema.
fn keys(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                let properties = value.as_object().filter(|_| name == "properties");
                match properties {
                    Some(properties) => {
                        found.extend(properties.keys().cloned());
                        properties.values().for_each(|property| keys(property, found));
                    }
                    None => keys(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

/// The words in the patterns of the grammar.
fn words(pattern: &Value, found: &mut BTreeSet<String>) {
    match pattern {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if matches!(name.as_str(), "match" | "begin" | "end") => {
                        let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                        found.extend(parts.map(str::to_owned));
                    }
                    _ => words(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| words(item, found)),
        _ => {}
    }
}

#[test]
fn every_key_is_a_word_of_the_textmate_grammar() {
    let path = root().join("editors/vscode/syntaxes/loop.tmLanguage.json");
    let text = fs::read_to_string(path).expect("the grammar can be read");
    let grammar: Value = serde_json::from_str(&text).expect("the grammar is JSON");
    let (mut all, mut known) = (BTreeSet::new(), BTreeSet::new());
    keys(&loopwright::syntax::schema(), &mut all);
    words(&grammar, &mut known);
    let missing: Vec<_> = all.difference(&known).map(String::as_str).collect();
    assert_eq!(missing, ONLY_IN_YAML, "add the keys to the last keyword pattern of the grammar");
    assert!(all.len() > 80, "{} keys", all.len());
}
