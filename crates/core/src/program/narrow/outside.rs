//! The test of an answer against the limits of its request.

use super::{map_at, null, without_null};
use crate::program::function::Schema;
use crate::program::shape::{Misfit, found};
use crate::value::{List, Map, Value};

/// So many allowed values are named in a message.
const MAX_NAMED: usize = 50;

/// The parts of an answer that lie outside of the limits of its request, in words. `raw` is the answer as it came, `answer` the same with
/// its defaults.
#[must_use]
pub fn outside(limits: &Map, raw: &Value, answer: &Value) -> List {
    let mut words = Vec::new();
    for (name, limit) in limits {
        let value = |of: &Value| of.as_map().and_then(|map| map.get(name).cloned());
        let (Some(value), Value::Map(limit)) = (value(raw).or_else(|| value(answer)), limit) else {
            continue;
        };
        match (&value, limit.get("items")) {
            (Value::List(items), Some(Value::Map(item))) => {
                for (place, value) in items.iter().enumerate() {
                    judge(&format!("{name}[{place}]"), item, value, &mut words);
                }
            }
            (Value::Null, Some(_)) => {}
            _ => judge(name, limit, &value, &mut words),
        }
    }
    words.into_iter().map(Value::from).collect()
}

fn allows_null(schema: &Map) -> bool {
    let among = |key: &str, wanted: &Value| match schema.get(key) {
        Some(Value::List(all)) => all.iter().any(|one| one == wanted),
        _ => false,
    };
    *schema == null() || among("enum", &Value::Null) || among("anyOf", &Value::Map(null()))
}

fn judge(place: &str, schema: &Map, value: &Value, words: &mut Vec<String>) {
    if value.is_null() && allows_null(schema) {
        return;
    }
    let misfit = |place: &str, names: &[Value], value: &Value| {
        let (path, expected) = (place.to_owned(), one_of_words(names));
        Misfit { path, expected, found: found(value) }.to_string()
    };
    if let Some(Value::List(names)) = schema.get("enum") {
        let names: Vec<Value> = names.iter().cloned().collect();
        if !names.contains(value) {
            words.push(misfit(place, &names, value));
        }
        return;
    }
    let schema = &without_null(schema);
    if let Some(Value::List(choices)) = schema.get("oneOf")
        && let Some((key, named)) = discriminated(choices)
    {
        let name = value.as_map().and_then(|map| map.get(&key)).cloned().unwrap_or_default();
        match named.iter().position(|own| *own == name) {
            Some(at) => {
                violations(place, choices.get(at), value, words);
                let mut beside = schema.clone();
                beside.remove("oneOf");
                violations(place, Some(&Value::Map(beside)), value, words);
            }
            None => words.push(misfit(&format!("{place}.{key}"), &named, &name)),
        }
        return;
    }
    violations(place, Some(&Value::Map(schema.clone())), value, words);
}

fn violations(place: &str, schema: Option<&Value>, value: &Value, words: &mut Vec<String>) {
    // Each was compiled before it was sent.
    let Some(schema) = schema.and_then(|schema| Schema::compiled(schema).ok()) else { return };
    for misfit in schema.misfits(value) {
        let path = dotted(place, &misfit.place);
        words.push(match misfit.found {
            Some((value, allowed)) => {
                let allowed: Vec<Value> = allowed.iter().cloned().collect();
                Misfit { path, expected: one_of_words(&allowed), found: found(&value) }.to_string()
            }
            None => format!("at {path}: {}", misfit.text),
        });
    }
}

/// A place and the way down from it, as an expression would write it.
fn dotted(place: &str, pointer: &str) -> String {
    let mut path = place.to_owned();
    for step in pointer.split('/').skip(1) {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            path.extend(["[", step, "]"]);
        } else {
            path.extend([".", step]);
        }
    }
    path
}

/// The field by which choices are told apart, and its value in each of them: another one everywhere.
fn discriminated(choices: &List) -> Option<(String, Vec<Value>)> {
    let fixed = |choice: &Value, key: &str| {
        map_at(choice.as_map()?, "properties").get(key)?.as_map()?.get("const").cloned()
    };
    let first = map_at(choices.get(0)?.as_map()?, "properties");
    first.keys().find_map(|key| {
        let named: Option<Vec<Value>> = choices.iter().map(|choice| fixed(choice, key)).collect();
        let named = named?;
        let differ = named.iter().enumerate().all(|(at, own)| !named[..at].contains(own));
        differ.then(|| (key.to_string(), named))
    })
}

fn one_of_words(names: &[Value]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_NAMED).map(|name| name.to_json().to_string()).collect();
    match (shown.as_slice(), names.len().saturating_sub(MAX_NAMED)) {
        ([only], 0) => only.clone(),
        (_, 0) => format!("one of {}", shown.join(", ")),
        (_, more) => format!("one of {} and {more} more", shown.join(", ")),
    }
}
