//! Two documents, field by field.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::cli::screen;

/// The longest piece of a value that is shown, in characters, and how much of it stands before the first difference.
const SHOWN: usize = 100;
const BEFORE: usize = 30;

/// More fields than these are only counted.
const MAX_FIELDS: usize = 20;

/// A field that differs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    /// The way to it: `writes[0].value`; empty for the whole.
    pub(super) path: String,
    /// What was kept; [`None`] where there is no such field.
    pub(super) kept: Option<Json>,
    /// What it is.
    pub(super) now: Option<Json>,
}

/// The fields in which two documents differ, as deep as they can be told apart.
pub(super) fn fields(kept: &Json, now: &Json) -> Vec<Field> {
    let mut found = Vec::new();
    walk(&mut String::new(), Some(kept), Some(now), &mut found);
    found
}

fn walk(path: &mut String, kept: Option<&Json>, now: Option<&Json>, found: &mut Vec<Field>) {
    let length = path.len();
    match (kept, now) {
        (kept, now) if kept == now => {}
        (Some(Json::Object(kept)), Some(Json::Object(now))) => {
            let later = now.keys().filter(|key| !kept.contains_key(*key));
            for key in kept.keys().chain(later) {
                let dot = if path.is_empty() { "" } else { "." };
                let _ = write!(path, "{dot}{key}");
                walk(path, kept.get(key), now.get(key), found);
                path.truncate(length);
            }
        }
        (Some(Json::Array(kept)), Some(Json::Array(now))) => {
            for index in 0..kept.len().max(now.len()) {
                let _ = write!(path, "[{index}]");
                walk(path, kept.get(index), now.get(index), found);
                path.truncate(length);
            }
        }
        (kept, now) => found.push(Field { path: path.clone(), kept: kept.cloned(), now: now.cloned() }),
    }
}

/// The fields for people: the path, what was kept, and under `name` what it is.
pub(super) fn human(fields: &[Field], depth: usize, name: &str) -> String {
    let mut text = String::new();
    let width = name.len().max("kept".len()) + 1;
    let indent = "  ".repeat(depth);
    for field in fields.iter().take(MAX_FIELDS) {
        let path = if field.path.is_empty() { "the whole" } else { &field.path };
        let (kept, now) = shown(field.kept.as_ref(), field.now.as_ref());
        let _ = writeln!(text, "{indent}{}", screen::line(path));
        let _ = writeln!(text, "{indent}  {:width$} {kept}", "kept:");
        let _ = writeln!(text, "{indent}  {:width$} {now}", format!("{name}:"));
    }
    if fields.len() > MAX_FIELDS {
        let _ = writeln!(text, "{indent}and {} more fields (see `--format json`)", fields.len() - MAX_FIELDS);
    }
    text
}

/// The fields for programs.
pub(super) fn json(fields: &[Field], name: &str) -> Json {
    let one = |field: &Field| {
        let mut object = json!({"path": field.path});
        for (key, value) in [("kept", &field.kept), (name, &field.now)] {
            if let Some(value) = value {
                object[key] = value.clone();
            }
        }
        object
    };
    fields.iter().map(one).collect()
}

/// Two values on a line each. Of long ones the piece around the first difference is shown.
pub(super) fn shown(kept: Option<&Json>, now: Option<&Json>) -> (String, String) {
    let text = |value: Option<&Json>| value.map_or("nothing".to_owned(), |v| screen::line(&v.to_string()));
    let (kept, now) = (text(kept), text(now));
    let same = kept.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
    let from =
        if kept.chars().count().max(now.chars().count()) > SHOWN { same.saturating_sub(BEFORE) } else { 0 };
    (piece(&kept, from), piece(&now, from))
}

fn piece(text: &str, from: usize) -> String {
    let mut piece: String = text.chars().skip(from).take(SHOWN).collect();
    if from > 0 {
        piece.insert(0, '…');
    }
    if text.chars().nth(from + SHOWN).is_some() {
        piece.push('…');
    }
    piece
}

/// The names of the fields that differ at the top.
pub(super) fn names(fields: &[Field]) -> Vec<&str> {
    let names = fields.iter().map(|field| field.path.split(['.', '[']).next().unwrap_or_default());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_apart_as_deep_as_can_be() {
        let kept = json!({"a": {"b": [1, 2, 3]}, "c": 1, "gone": null});
        let now = json!({"a": {"b": [1, 5]}, "c": 1, "new": "x"});
        let found = fields(&kept, &now);
        let paths: Vec<&str> = found.iter().map(|field| field.path.as_str()).collect();
        assert_eq!(paths, ["a.b[1]", "a.b[2]", "gone", "new"]);
        assert_eq!(found[1].now, None);
        assert_eq!(names(&found), ["a", "gone", "new"]);
        assert!(fields(&kept, &kept).is_empty());
    }

    #[test]
    fn of_long_texts_the_piece_around_the_difference_is_shown() {
        let (one, other) =
            (format!("{}x{}", "a".repeat(500), "b".repeat(500)), format!("{}y", "a".repeat(500)));
        let (kept, now) = shown(Some(&json!(one)), Some(&json!(other)));
        assert!(kept.starts_with("…aaa") && kept.contains('x') && kept.ends_with("b…"), "{kept}");
        assert!(now.starts_with("…aaa") && now.ends_with("y\""), "{now}");
        assert_eq!(shown(None, Some(&json!("a\u{7}"))), ("nothing".to_owned(), "\"a\\u0007\"".to_owned()));
    }
}
