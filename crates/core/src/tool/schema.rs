//! Schemas of the built-in tools.

use crate::value::{List, Map, Value};

/// The type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgType {
    /// A text.
    String,
    /// True or false.
    Flag,
    /// A whole number from 1.
    Count,
    /// A list of texts.
    Strings,
}

/// A closed object schema of described fields.
pub(super) fn closed(fields: &[(&str, ArgType, &str)], required: &[&str]) -> Value {
    let mut properties = Map::new();
    for (name, kind, text) in fields {
        let mut property = kind.schema();
        property.set("description", *text);
        properties.set(*name, property);
    }
    let mut schema = Map::new();
    schema.set("type", "object");
    schema.set("properties", properties);
    schema.set("required", required.iter().map(|name| Value::from(*name)).collect::<List>());
    schema.set("additionalProperties", false);
    Value::Map(schema)
}

impl ArgType {
    fn schema(self) -> Map {
        let mut schema = Map::new();
        let name = match self {
            Self::String => "string",
            Self::Flag => "boolean",
            Self::Count => "integer",
            Self::Strings => "array",
        };
        schema.set("type", name);
        match self {
            Self::Count => schema.set("minimum", 1),
            Self::Strings => schema.set("items", Self::String.schema()),
            Self::String | Self::Flag => {}
        }
        schema
    }
}
