//! One JSON Schema for what fits two.

use super::{list_at, map_at};
use crate::value::{List, Map, Value};

/// The schema of a type with a limit written into it; nothing where no value fits both. Both are written so that providers take
/// them, without `allOf`: where a keyword cannot be in one schema with that of the type, the type's stays, and the test of
/// the answer is stricter than what was sent.
pub(super) fn merge(own: &Map, limit: &Map) -> Option<Map> {
    for key in ["oneOf", "anyOf"] {
        if let Some(Value::List(choices)) = limit.get(key) {
            let mut beside = limit.clone();
            beside.remove(key);
            let own = &merge(own, &beside)?;
            let fitting = choices.iter().filter_map(Value::as_map).filter_map(|choice| merge(own, choice));
            let fitting: List = fitting.map(Value::Map).collect();
            return (!fitting.is_empty()).then(|| Map::from_iter([(key, Value::List(fitting))]));
        }
    }
    let mut merged = own.clone();
    let is_map = matches!(own.get("additionalProperties"), Some(Value::Map(any)) if any.is_empty());
    if is_map && !own.contains_key("properties") {
        // A map of anything says nothing of its fields.
        merged.remove("additionalProperties");
    }
    let own = &merged.clone();
    for (key, wanted) in limit {
        let value = match (key.as_str(), own.get(key), wanted) {
            (_, None, _) | ("additionalProperties", Some(Value::Bool(true)), _) => wanted.clone(),
            ("required", Some(Value::List(names)), Value::List(more)) => names
                .iter()
                .chain(more.iter().filter(|name| !names.iter().any(|own| own == *name)))
                .cloned()
                .collect(),
            ("type", Some(kinds), _) => types(kinds, wanted)?,
            ("enum", Some(Value::List(members)), Value::List(allowed)) => {
                let both: List = members
                    .iter()
                    .filter(|member| allowed.iter().any(|one| one == *member))
                    .cloned()
                    .collect();
                (!both.is_empty()).then(|| both.into())?
            }
            ("additionalProperties", Some(Value::Map(any)), _) if any.is_empty() => wanted.clone(),
            ("items", Some(Value::Map(items)), Value::Map(limit)) => merge(items, limit)?.into(),
            _ => continue,
        };
        merged.set(key.clone(), value);
    }
    if let (Some(Value::Map(_)), Some(Value::Map(_))) = (own.get("properties"), limit.get("properties")) {
        merged.set("properties", properties(own, limit, &list_at(&merged, "required"))?);
    }
    Some(merged)
}

/// The fields of both. What cannot be is left out, unless it has to be there.
fn properties(own: &Map, limit: &Map, required: &List) -> Option<Map> {
    let closed = own.get("additionalProperties") == Some(&Value::Bool(false));
    let mut merged = map_at(own, "properties");
    for (name, wanted) in &map_at(limit, "properties") {
        let wanted = match (merged.get(name), wanted) {
            (Some(Value::Map(own)), Value::Map(limit)) => merge(own, limit).map(Value::Map),
            (Some(_), _) => continue,
            (None, _) => (!closed).then(|| wanted.clone()),
        };
        match wanted {
            Some(wanted) => merged.set(name.clone(), wanted),
            None if required.iter().any(|own| own.is_str(name)) => return None,
            None => {
                merged.remove(name);
            }
        }
    }
    Some(merged)
}

/// The types that are in both lists, each of which may be one name.
fn types(own: &Value, wanted: &Value) -> Option<Value> {
    let names = |kinds: &Value| match kinds {
        Value::List(names) => names.iter().cloned().collect(),
        one => vec![one.clone()],
    };
    let mut wanted = names(wanted);
    // A whole number is a number.
    if wanted.iter().any(|kind| kind.is_str("number")) {
        wanted.push(Value::from("integer"));
    }
    let mut own = names(own);
    if own.iter().any(|kind| kind.is_str("number")) && !wanted.iter().any(|kind| kind.is_str("number")) {
        own.push(Value::from("integer"));
    }
    let mut both: Vec<Value> = own.into_iter().filter(|kind| wanted.contains(kind)).collect();
    match both.len() {
        0 => None,
        1 => both.pop(),
        _ => Some(Value::List(both.into())),
    }
}
