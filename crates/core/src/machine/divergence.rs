//! Comparison of a rebuilt state with the one that was lived through.

use std::fmt;

use serde_json::Value as Json;

use super::snapshot::Snapshot;

/// Longer values are cut when they are shown.
const MAX_VALUE_CHARS: usize = 200;

/// The first difference between a rebuilt state and the one that was lived through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// The path of the first difference, as in `lanes[0].frame.steps`; empty where only the order of keys differs.
    pub place: String,
    /// The value there in the state that was lived through, as JSON; empty where nothing does.
    pub lived: String,
    /// The value there in the rebuilt state.
    pub built: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, lived, built } = self;
        if place.is_empty() {
            return write!(f, "the state that was built again has other bytes than the one of the run");
        }
        let shown = |text: &str| match text.char_indices().nth(MAX_VALUE_CHARS) {
            _ if text.is_empty() => "nothing".to_owned(),
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        write!(
            f,
            "{place} is {} in the run and {} in the state that was built again",
            shown(lived),
            shown(built)
        )
    }
}

impl Divergence {
    /// The first difference between a state and what was built to be the same, byte for byte as JSON.
    #[must_use]
    pub fn between(lived: &Snapshot, built: &Snapshot) -> Option<Self> {
        if bytes(lived) == bytes(built) {
            return None;
        }
        let first = first(String::new(), Some(&json(lived)), Some(&json(built)));
        Some(first.unwrap_or_else(|| Self {
            place: String::new(),
            lived: String::new(),
            built: String::new(),
        }))
    }
}

fn bytes(snapshot: &Snapshot) -> Vec<u8> {
    serde_json::to_vec(snapshot).expect("a snapshot has only names for keys")
}

fn json(snapshot: &Snapshot) -> Json {
    serde_json::to_value(snapshot).expect("a snapshot has only names for keys")
}

fn first(place: String, lived: Option<&Json>, built: Option<&Json>) -> Option<Divergence> {
    match (lived, built) {
        (Some(Json::Object(lived)), Some(Json::Object(built))) => {
            let added = built.keys().filter(|key| !lived.contains_key(*key));
            let dot = if place.is_empty() { "" } else { "." };
            lived
                .keys()
                .chain(added)
                .find_map(|key| first(format!("{place}{dot}{key}"), lived.get(key), built.get(key)))
        }
        (Some(Json::Array(lived)), Some(Json::Array(built))) => (0..lived.len().max(built.len()))
            .find_map(|at| first(format!("{place}[{at}]"), lived.get(at), built.get(at))),
        (lived, built) if lived == built => None,
        (lived, built) => {
            let text = |value: Option<&Json>| value.map(ToString::to_string).unwrap_or_default();
            Some(Divergence { place, lived: text(lived), built: text(built) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Map, Str, Value};

    fn with(fields: [(&str, i64); 2]) -> Snapshot {
        let fields: Map = fields.into_iter().map(|(name, n)| (Str::from(name), Value::Int(n))).collect();
        Snapshot { tools: [Value::Map(fields)].into_iter().collect(), ..Snapshot::new() }
    }

    #[test]
    fn the_first_difference_is_told_with_its_place() {
        let difference =
            |built: &Snapshot| Divergence::between(&with([("a", 1), ("b", 2)]), built).map(|d| d.to_string());
        let is = |place: &str, lived: &str, built: &str| {
            Some(format!("{place} is {lived} in the run and {built} in the state that was built again"))
        };
        assert_eq!(difference(&with([("a", 1), ("b", 2)])), None);
        assert_eq!(difference(&with([("a", 1), ("b", 3)])), is("tools[0].b", "2", "3"));
        assert_eq!(difference(&with([("a", 1), ("c", 2)])), is("tools[0].b", "2", "nothing"));
        assert_eq!(difference(&Snapshot::new()), is("tools[0]", r#"{"a":1,"b":2}"#, "nothing"));
        // The order of keys is seen in what a run prints.
        let bytes = "the state that was built again has other bytes than the one of the run";
        assert_eq!(difference(&with([("b", 2), ("a", 1)])).as_deref(), Some(bytes));
    }
}
