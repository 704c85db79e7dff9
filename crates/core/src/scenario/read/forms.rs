//! The JSON Schema of the values in scenario files. Nothing at all is an empty list or an empty mapping there.

use serde_json::{Value, json};

use crate::syntax::{FileKey, KeyForm, by_name, keys_schema};

/// A text: numbers and the like are texts, too.
pub(super) const TEXT: KeyForm = KeyForm::Schema(text);
/// A list of texts.
pub(super) const TEXTS: KeyForm = KeyForm::Schema(|| list(&text()));
/// Any value.
pub(super) const VALUE: KeyForm = KeyForm::Schema(|| json!({}));
/// Any values by name.
pub(super) const VALUES: KeyForm = KeyForm::Schema(|| or_nothing(by_name(&json!({}))));
/// A whole number that is not negative.
pub(super) const COUNT: KeyForm = KeyForm::Count(0, usize::MAX);

pub(super) fn text() -> Value {
    json!({"type": ["string", "number", "boolean"]})
}

pub(super) fn list(items: &Value) -> Value {
    or_nothing(json!({"type": "array", "items": items}))
}

/// A mapping with the keys of a table.
pub(super) fn mapping(keys: &[FileKey]) -> Value {
    or_nothing(keys_schema(keys))
}

/// A list of mappings with these keys, or of texts for the first of them.
pub(super) fn named_items(keys: &[FileKey]) -> Value {
    list(&json!({"anyOf": [text(), keys_schema(keys)]}))
}

/// The same, where nothing at all is allowed.
pub(super) fn or_nothing(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"], "null"]);
    schema
}
