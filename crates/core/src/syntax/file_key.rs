//! Tables of keys outside of graphs: one source of the keys that a reader takes and of the JSON Schema for editors.

use serde_json::{Map, Value, json};

/// One key of a mapping or a table with fixed keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileKey {
    /// The key.
    pub(crate) name: &'static str,
    /// The form of its value.
    pub(crate) form: KeyForm,
    /// Its meaning, in one sentence.
    pub(crate) doc: &'static str,
    /// True if it has to be there.
    pub(crate) is_required: bool,
}

/// The form of a value.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "runtime"), expect(dead_code, reason = "configurations alone have some of them"))]
pub(crate) enum KeyForm {
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// `true` or `false`.
    Flag,
    /// A duration above zero, as a text.
    Duration,
    /// A whole number from the first to the second.
    Count(usize, usize),
    /// A number from the first to the second.
    Number(f64, f64),
    /// One of these words.
    Words(fn() -> Vec<&'static str>),
    /// A mapping with these keys.
    Keys(&'static [FileKey]),
    /// A value of another form, by its schema.
    Schema(fn() -> Value),
}

impl FileKey {
    /// A key that may be left out.
    pub(crate) const fn new(name: &'static str, form: KeyForm, doc: &'static str) -> Self {
        Self { name, form, doc, is_required: false }
    }

    /// The same key, where it has to be there.
    pub(crate) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// The JSON Schema of its value.
    fn schema(&self) -> Value {
        let mut schema = self.form.schema();
        schema["description"] = self.doc.into();
        schema
    }
}

impl KeyForm {
    fn schema(self) -> Value {
        match self {
            Self::Text | Self::Duration => json!({"type": "string"}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Count(least, usize::MAX) => json!({"type": "integer", "minimum": least}),
            Self::Count(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Self::Number(least, most) => json!({"type": "number", "minimum": least, "maximum": most}),
            Self::Words(words) => json!({"enum": words()}),
            Self::Keys(keys) => keys_schema(keys),
            Self::Schema(schema) => schema(),
        }
    }
}

/// The JSON Schema of a mapping with the keys of a table and no others.
pub(crate) fn keys_schema(keys: &[FileKey]) -> Value {
    let properties: Map<_, _> = keys.iter().map(|key| (key.name.to_owned(), key.schema())).collect();
    let required: Vec<_> = keys.iter().filter(|key| key.is_required).map(|key| key.name).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// The JSON Schema of a whole file with the keys of a table.
pub(crate) fn root_schema(title: &str, keys: &[FileKey]) -> Value {
    let mut root = keys_schema(keys);
    root["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    root["title"] = title.into();
    root
}

/// The JSON Schema of a mapping from free names.
pub(crate) fn by_name(value: &Value) -> Value {
    json!({"type": "object", "additionalProperties": value})
}
