//! JSON Schemas without references, so that they can be parts of other schemas.

use crate::program::fault::Fault;
use crate::value::{Map, Value};

/// Deeper than this, anything fits. A value that holds a schema nests no deeper than [`MAX_DEPTH`](crate::value::MAX_DEPTH).
const MAX_NESTING: u32 = 32;

/// The most references that lead to each other; anything fits beyond.
const MAX_REFERENCES: usize = 32;

/// Keywords whose values are data, not schemas.
const DATA: [&str; 5] = ["enum", "const", "default", "example", "examples"];

/// Keywords whose values are schemas by name.
const BY_NAME: [&str; 4] = ["properties", "patternProperties", "dependentSchemas", "$defs"];

/// Keywords of a whole document that mean nothing inside another one.
const DOCUMENT: [&str; 4] = ["$schema", "$id", "$defs", "definitions"];

/// A schema in which every local reference is replaced by what it stands for. Where one leads back to itself or nowhere, anything
/// fits.
/// `part` is called for each part that is written and may refuse it.
///
/// # Errors
/// Those of `part`.
pub fn without_references(
    schema: &Value,
    part: &mut dyn FnMut() -> Result<(), Fault>,
) -> Result<Value, Fault> {
    let mut writer = Inliner { root: schema, open: Vec::new(), part };
    writer.schema(schema, 0)
}

struct Inliner<'a> {
    root: &'a Value,
    /// The references on the way down.
    open: Vec<&'a str>,
    part: &'a mut dyn FnMut() -> Result<(), Fault>,
}

impl<'a> Inliner<'a> {
    fn schema(&mut self, schema: &'a Value, depth: u32) -> Result<Value, Fault> {
        (self.part)()?;
        match schema {
            Value::Map(_) if depth >= MAX_NESTING => Ok(Value::Map(Map::new())),
            Value::Map(map) => match map.get("$ref").and_then(Value::as_str) {
                Some(reference) => self.target(map, reference, depth),
                None => self.parts(map, depth),
            },
            Value::List(items) => items.iter().map(|item| self.schema(item, depth + 1)).collect(),
            other => Ok(other.clone()),
        }
    }

    /// The schema that a reference stands for, with the keywords beside it.
    fn target(&mut self, beside: &'a Map, reference: &'a str, depth: u32) -> Result<Value, Fault> {
        let is_deep = self.open.len() >= MAX_REFERENCES || self.open.contains(&reference);
        let mut own = match pointed(self.root, reference).filter(|_| !is_deep) {
            None => Map::new(),
            Some(target) => {
                self.open.push(reference);
                let target = self.schema(target, depth)?;
                self.open.pop();
                match target {
                    Value::Map(own) => own,
                    other => return Ok(other),
                }
            }
        };
        for (key, value) in beside.iter().filter(|(key, _)| *key != "$ref") {
            let value = self.keyword(key, value, depth + 1)?;
            own.set(key.clone(), value);
        }
        Ok(Value::Map(own))
    }

    fn parts(&mut self, map: &'a Map, depth: u32) -> Result<Value, Fault> {
        let mut own = Map::new();
        for (key, value) in map.iter().filter(|(key, _)| depth > 0 || !DOCUMENT.contains(&key.as_str())) {
            let value = self.keyword(key, value, depth + 1)?;
            own.set(key.clone(), value);
        }
        Ok(Value::Map(own))
    }

    fn keyword(&mut self, key: &str, value: &'a Value, depth: u32) -> Result<Value, Fault> {
        match value {
            _ if DATA.contains(&key) => Ok(value.clone()),
            Value::Map(named) if BY_NAME.contains(&key) => {
                let schemas =
                    named.iter().map(|(name, schema)| Ok((name.clone(), self.schema(schema, depth + 1)?)));
                Ok(Value::Map(schemas.collect::<Result<Map, Fault>>()?))
            }
            _ => self.schema(value, depth),
        }
    }
}

/// The part of a document that a local reference names: `#` or `#/$defs/Name`.
fn pointed<'v>(root: &'v Value, reference: &str) -> Option<&'v Value> {
    let steps = reference.strip_prefix('#')?;
    if steps.is_empty() {
        return Some(root);
    }
    steps.strip_prefix('/')?.split('/').try_fold(root, |value, step| {
        let step = without_percents(step)?.replace("~1", "/").replace("~0", "~");
        match value {
            Value::Map(map) => map.get(&step),
            Value::List(list) => list.get(step.parse().ok()?),
            _ => None,
        }
    })
}

/// A step of a pointer as it is in a URI, where some bytes are written as `%5B`.
fn without_percents(step: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(step.len());
    let mut parts = step.split('%');
    bytes.extend(parts.next()?.bytes());
    for part in parts {
        let code = part.get(..2)?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).ok()
}
