//! Two documents, field by field.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::cli::screen;

/// The longest piece of a value that is shown, in characters, and how much of it is before the first difference.
const MAX_SHOWN_CHARS: usize = 100;
const CHARS_BEFORE_DIFFERENCE: usize = 30;

/// More fields than these are only counted.
const MAX_FIELDS: usize = 20;

/// A field that differs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DifferingField {
    /// The way to it: `writes[0].value`; empty for the whole.
    pub(super) path: String,
    /// The stored value; [`None`] where there is no such field.
    pub(super) stored: Option<Json>,
    /// The value now; [`None`] where there is no such field.
    pub(super) now: Option<Json>,
}

/// The fields in which two documents differ, as deep as they can be distinguished.
pub(super) fn fields(stored: &Json, now: &Json) -> Vec<DifferingField> {
    let mut found = Vec::new();
    walk(&mut String::new(), Some(stored), Some(now), &mut found);
    found
}

fn walk(path: &mut String, stored: Option<&Json>, now: Option<&Json>, found: &mut Vec<DifferingField>) {
    let length = path.len();
    match (stored, now) {
        (stored, now) if stored == now => {}
        (Some(Json::Object(stored)), Some(Json::Object(now))) => {
            let later = now.keys().filter(|key| !stored.contains_key(*key));
            for key in stored.keys().chain(later) {
                let dot = if path.is_empty() { "" } else { "." };
                let _ = write!(path, "{dot}{key}");
                walk(path, stored.get(key), now.get(key), found);
                path.truncate(length);
            }
        }
        (Some(Json::Array(stored)), Some(Json::Array(now))) => {
            for index in 0..stored.len().max(now.len()) {
                let _ = write!(path, "[{index}]");
                walk(path, stored.get(index), now.get(index), found);
                path.truncate(length);
            }
        }
        (stored, now) => {
            found.push(DifferingField { path: path.clone(), stored: stored.cloned(), now: now.cloned() });
        }
    }
}

/// The fields for people: the path, what was stored, and under `name` what it is.
pub(super) fn human(fields: &[DifferingField], depth: usize, name: &str) -> String {
    let mut text = String::new();
    let width = name.len().max("kept".len()) + 1;
    let indent = "  ".repeat(depth);
    for field in fields.iter().take(MAX_FIELDS) {
        let path = if field.path.is_empty() { "the whole" } else { &field.path };
        let (stored, now) = shown(field.stored.as_ref(), field.now.as_ref());
        let _ = writeln!(text, "{indent}{}", screen::line(path));
        let _ = writeln!(text, "{indent}  {:width$} {stored}", "kept:");
        let _ = writeln!(text, "{indent}  {:width$} {now}", format!("{name}:"));
    }
    if fields.len() > MAX_FIELDS {
        let _ = writeln!(text, "{indent}and {} more fields (see `--format json`)", fields.len() - MAX_FIELDS);
    }
    text
}

/// The fields for programs.
pub(super) fn json(fields: &[DifferingField], name: &str) -> Json {
    let one = |field: &DifferingField| {
        let mut object = json!({"path": field.path});
        for (key, value) in [("kept", &field.stored), (name, &field.now)] {
            if let Some(value) = value {
                object[key] = value.clone();
            }
        }
        object
    };
    fields.iter().map(one).collect()
}

/// Two values on a line each. Of long ones the piece around the first difference is shown.
pub(super) fn shown(stored: Option<&Json>, now: Option<&Json>) -> (String, String) {
    let text = |value: Option<&Json>| value.map_or("nothing".to_owned(), |v| screen::line(&v.to_string()));
    let (stored, now) = (text(stored), text(now));
    let same = stored.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
    let from = if stored.chars().count().max(now.chars().count()) > MAX_SHOWN_CHARS {
        same.saturating_sub(CHARS_BEFORE_DIFFERENCE)
    } else {
        0
    };
    (piece(&stored, from), piece(&now, from))
}

fn piece(text: &str, from: usize) -> String {
    let mut piece: String = text.chars().skip(from).take(MAX_SHOWN_CHARS).collect();
    if from > 0 {
        piece.insert(0, '…');
    }
    if text.chars().nth(from + MAX_SHOWN_CHARS).is_some() {
        piece.push('…');
    }
    piece
}

/// The names of the fields that differ at the top.
pub(super) fn names(fields: &[DifferingField]) -> Vec<&str> {
    let names = fields.iter().map(|field| field.path.split(['.', '[']).next().unwrap_or_default());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_apart_as_deep_as_can_be() {
        let stored = json!({"a": {"b": [1, 2, 3]}, "c": 1, "gone": null});
        let now = json!({"a": {"b": [1, 5]}, "c": 1, "new": "x"});
        let found = fields(&stored, &now);
        let paths: Vec<&str> = found.iter().map(|field| field.path.as_str()).collect();
        assert_eq!(paths, ["a.b[1]", "a.b[2]", "gone", "new"]);
        assert_eq!(found[1].now, None);
        assert_eq!(names(&found), ["a", "gone", "new"]);
        assert!(fields(&stored, &stored).is_empty());
    }

    #[test]
    fn of_long_texts_the_piece_around_the_difference_is_shown() {
        let (one, other) =
            (format!("{}x{}", "a".repeat(500), "b".repeat(500)), format!("{}y", "a".repeat(500)));
        let (stored, now) = shown(Some(&json!(one)), Some(&json!(other)));
        assert!(stored.starts_with("…aaa") && stored.contains('x') && stored.ends_with("b…"), "{stored}");
        assert!(now.starts_with("…aaa") && now.ends_with("y\""), "{now}");
        assert_eq!(shown(None, Some(&json!("a\u{7}"))), ("nothing".to_owned(), "\"a\\u0007\"".to_owned()));
    }
}
