//! A file with every key, changed in one place, as a reader and a schema judge it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// The schemas that one may stand for: what references lead to, and the cases.
fn cases<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
    if let Some(path) = schema["$ref"].as_str() {
        let to = root.pointer(path.trim_start_matches('#')).expect("the reference leads somewhere");
        return cases(root, to);
    }
    let inner = schema["anyOf"].as_array().into_iter().flatten().chain(schema.get("then"));
    inner.flat_map(|case| cases(root, case)).chain([schema]).collect()
}

/// The schemas of the values of a mapping or a list.
fn below<'s>(root: &'s Value, schemas: &[&'s Value], key: Option<&str>) -> Vec<&'s Value> {
    let inner = schemas.iter().filter_map(|schema| match key {
        None => schema.get("items"),
        Some(key) => schema["properties"]
            .get(key)
            .or_else(|| schema.get("additionalProperties").filter(|other| other.is_object())),
    });
    inner.flat_map(|schema| cases(root, schema)).collect()
}

/// Tables whose keys come from elsewhere: the rules.
const FROM_ELSEWHERE: &[&str] = &["/properties/check"];

/// The pointers of all keys in a schema.
pub(super) fn keys_of(schema: &Value) -> BTreeSet<String> {
    fn collect(schema: &Value, pointer: &str, found: &mut BTreeSet<String>) {
        match schema {
            Value::Object(fields) => {
                for (name, inner) in fields {
                    let pointer = format!("{pointer}/{name}");
                    if name == "properties" && !FROM_ELSEWHERE.iter().any(|own| pointer.starts_with(own)) {
                        found.extend(properties(inner).map(|key| format!("{pointer}/{key}")));
                    }
                    // What a condition looks at is no key.
                    if name != "if" {
                        collect(inner, &pointer, found);
                    }
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    collect(item, &format!("{pointer}/{at}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    collect(schema, "", &mut found);
    found
}

fn properties(properties: &Value) -> impl Iterator<Item = &String> {
    properties.as_object().into_iter().flat_map(|properties| properties.keys())
}

/// The pointers of the keys of a schema that a value has.
pub(super) fn keys_in(root: &Value, value: &Value) -> BTreeSet<String> {
    let places = places(root, value);
    let pointers: Vec<(*const Value, String)> = keys_of(root)
        .into_iter()
        .map(|pointer| (std::ptr::from_ref(root.pointer(&pointer).expect("it is there")), pointer))
        .collect();
    let mut found = BTreeSet::new();
    for place in &places {
        for schema in &place.written {
            let own = pointers.iter().filter(|(at, _)| std::ptr::eq(*at, *schema));
            found.extend(own.map(|(_, pointer)| pointer.clone()));
        }
    }
    found
}

/// A place of a value, with the schemas that are about it.
struct Place<'s> {
    pointer: String,
    /// The schemas as they stand under their keys.
    written: Vec<&'s Value>,
    is_mapping: bool,
}

/// All places of a value of which a schema says something.
fn places<'s>(root: &'s Value, value: &Value) -> Vec<Place<'s>> {
    fn collect<'s>(
        root: &'s Value,
        schemas: &[&'s Value],
        value: &Value,
        place: &str,
        found: &mut Vec<Place<'s>>,
    ) {
        let mut go = |key: Option<&str>, step: &str, inner: &Value| {
            let written = schemas.iter().filter_map(|schema| schema["properties"].get(key?)).collect();
            let pointer = format!("{place}/{}", step.replace('~', "~0").replace('/', "~1"));
            let schemas = below(root, schemas, key);
            if schemas.is_empty() {
                return;
            }
            found.push(Place { pointer: pointer.clone(), written, is_mapping: inner.is_object() });
            collect(root, &schemas, inner, &pointer, found);
        };
        match value {
            Value::Object(fields) => fields.iter().for_each(|(key, inner)| go(Some(key), key, inner)),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(at, item)| go(None, &at.to_string(), item));
            }
            _ => {}
        }
    }
    let mut found = vec![Place { pointer: String::new(), written: Vec::new(), is_mapping: true }];
    collect(root, &cases(root, root), value, "", &mut found);
    found
}

/// A value with one change, and the words about it.
pub(super) type Mutant = (String, Value);

/// The value with a key that nobody knows in each of its mappings, and with a value of no use in each of its places.
pub(super) fn mutants(root: &Value, value: &Value) -> Vec<Mutant> {
    let mut found = Vec::new();
    for place in places(root, value) {
        let mut changed = |words: &str, change: &dyn Fn(&mut Value)| {
            let mut mutant = value.clone();
            change(mutant.pointer_mut(&place.pointer).expect("the place is there"));
            found.push((format!("{words} at {:?}", place.pointer), mutant));
        };
        if place.is_mapping {
            changed("an unknown key", &|mapping| mapping["zz_nobody_knows"] = json!(1));
        }
        if !place.pointer.is_empty() {
            changed("a list of lists", &|inner| *inner = json!([[1]]));
        }
    }
    found
}
