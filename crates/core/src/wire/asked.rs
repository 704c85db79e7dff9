//! Calls of tools that a model asked for, as they go back to a provider, and names of tools as all of them take them.

use serde_json::{Map, Value as Json};

use crate::value::Value;

/// A call of a tool that a model asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AskedCall {
    pub(crate) id: String,
    /// The name of the tool as the provider knows it.
    pub(crate) tool: String,
    pub(crate) args: Json,
}

impl AskedCall {
    pub(super) fn of(call: &Value) -> Option<Self> {
        let call = call.as_map()?;
        let text = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
        let args = call.get("args").map_or_else(|| Json::Object(Map::new()), Value::to_json);
        Some(Self { id: text("id").to_owned(), tool: wire_name(text("tool")), args })
    }
}

/// The longest name that every provider takes, in bytes.
const MAX_NAME: usize = 64;

/// A tool's name as every provider takes it: letters, digits, `_` and `-`. Others are written as `_`, with a mark at the end
/// that tells such names apart. It depends on the name alone, so that a conversation stays as it was sent.
pub(super) fn wire_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.len() <= MAX_NAME && name.chars().all(plain) {
        return name.to_owned();
    }
    let start: String = name.chars().take(MAX_NAME - 9).map(|c| if plain(c) { c } else { '_' }).collect();
    let mark = blake3::hash(name.as_bytes()).to_hex();
    format!("{start}_{}", &mark[..8])
}

#[cfg(test)]
mod tests {
    use super::wire_name;

    #[test]
    fn names_are_taken_by_every_provider_and_told_apart() {
        assert_eq!(wire_name("read_file"), "read_file");
        let (dotted, lined) = (wire_name("react.read"), wire_name("react/read"));
        assert!(dotted.starts_with("react_read_"), "{dotted}");
        assert_ne!(dotted, lined);
        let long = wire_name(&"x".repeat(100));
        assert_eq!(long.len(), 64);
        assert_ne!(long, wire_name(&"x".repeat(101)));
        assert_eq!(wire_name("ü"), wire_name("ü"));
    }
}
