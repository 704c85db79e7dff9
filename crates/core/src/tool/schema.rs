//! Schemas of the built-in tools.

use crate::value::{List, Map, Value};

/// A closed object schema of described fields.
pub(super) fn closed(fields: &[(&str, &str, &str)], required: &[&str]) -> Value {
    let mut properties = Map::new();
    for (name, kind, text) in fields {
        let mut property = Map::new();
        property.set("type", *kind);
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
