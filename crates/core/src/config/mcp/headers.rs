//! `headers` of a server: texts, and variables of the environment.

use serde_json::{Value, json};
use toml::de::DeValue;

use crate::config::faults::Faults;
use crate::config::fields::{TableFields, article, in_order};
use crate::syntax::{FileKey, KeyForm, by_name, keys_schema};

/// The keys of a header whose value is a variable.
const KEYS: &[FileKey] = &[
    FileKey::new("env", KeyForm::Text, "The environment variable that holds the value.").required(),
    FileKey::new("prefix", KeyForm::Text, "The text before its value, such as `\"Bearer \"`."),
];

/// The JSON Schema of `headers`.
pub(super) fn schema() -> Value {
    by_name(&json!({"anyOf": [{"type": "string"}, keys_schema(KEYS)]}))
}

/// The headers that the transport sets itself.
const OWN: [&str; 6] =
    ["accept", "content-type", "content-length", "host", "mcp-session-id", "mcp-protocol-version"];

/// A header of every request to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpHeader {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: HeaderValue,
}

/// The value of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderValue {
    /// A text. In an imported file it may hold `${VAR}`.
    Text(String),
    /// A text before the value of a variable of the environment.
    Env {
        /// The name of the variable.
        variable: String,
        /// The text before its value, like `Bearer `.
        prefix: String,
    },
}

/// The fault of a header's name, if it has one.
pub(super) fn name_fault(name: &str) -> Option<String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if name.is_empty() || !name.bytes().all(plain) {
        return Some(format!("`{name}` is not the name of a header"));
    }
    let own = OWN.iter().any(|own| own.eq_ignore_ascii_case(name));
    own.then(|| format!("the header `{name}` is set by the protocol"))
}

/// Returns true if a text may be the value of a header.
pub(super) fn is_value(text: &str) -> bool {
    text.bytes().all(|b| b == b'\t' || (b' '..=b'~').contains(&b))
}

pub(super) fn read(fields: &TableFields<'_>, faults: &mut Faults) -> Vec<McpHeader> {
    let Some(table) = fields.table("headers", faults) else { return Vec::new() };
    let mut headers = Vec::new();
    for (key, value) in in_order(table) {
        let name = key.get_ref().to_string();
        if let Some(fault) = name_fault(&name) {
            faults.say(key.span(), fault);
            continue;
        }
        match value.get_ref() {
            DeValue::String(text) if is_value(text) => {
                headers.push(McpHeader { name, value: HeaderValue::Text(text.to_string()) });
            }
            DeValue::Table(table) => {
                let own = TableFields::new(format!("the header `{name}`"), KEYS, table);
                let variable = own.string("env", faults).map(str::to_owned);
                let prefix = own.string("prefix", faults).unwrap_or_default().to_owned();
                // An unknown key is refused as such; that is one fault, not two.
                let missing = !own.has("env") && table.keys().all(|key| key.get_ref() == "prefix");
                own.finish(faults);
                if missing {
                    faults
                        .say(value.span(), format!("the header `{name}` names no variable"))
                        .help("write {env = \"TOKEN\", prefix = \"Bearer \"}");
                }
                if !is_value(&prefix) {
                    faults.say(value.span(), "a header holds letters of ASCII alone");
                }
                headers.extend(
                    variable.map(|variable| McpHeader { name, value: HeaderValue::Env { variable, prefix } }),
                );
            }
            other => {
                faults
                    .say(value.span(), format!("found {}, wanted a text of ASCII or a table", article(other)))
                    .help(format!("write {name} = {{env = \"TOKEN\", prefix = \"Bearer \"}}"));
            }
        }
    }
    headers
}
