//! Messages of a conversation, in whatever shape they go to a provider.

use serde_json::{Map, Value as Json};

use crate::machine::in_catalogue;
use crate::value::{List, Map as Record, Value};

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    System,
    User,
    Assistant,
    Tool,
}

impl Sender {
    fn named(word: &str) -> Option<Self> {
        Some(match word {
            "system" => Self::System,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            _ => return None,
        })
    }
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChatMessage {
    pub(crate) from: Sender,
    pub(crate) text: String,
    /// The calls that an assistant asked for.
    pub(crate) calls: Vec<AskedCall>,
    /// The id of the call that a tool's message answers.
    pub(crate) answers: String,
    /// The name of the tool that answers.
    pub(crate) tool: String,
    /// True if all up to here is worth to be cached.
    pub(crate) cached: bool,
}

/// A call of a tool that a model asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AskedCall {
    pub(crate) id: String,
    /// The name of the tool as the provider knows it.
    pub(crate) tool: String,
    pub(crate) args: Json,
}

impl ChatMessage {
    /// A message of a user.
    pub(crate) fn user(text: impl Into<String>) -> Self {
        Self {
            from: Sender::User,
            text: text.into(),
            calls: Vec::new(),
            answers: String::new(),
            tool: String::new(),
            cached: false,
        }
    }

    /// The messages of a request, which are records of the type `Message`. What is none is left out: the types of a graph
    /// have seen to that.
    pub(super) fn all(messages: &List) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::with_capacity(messages.len());
        for message in messages.iter().filter_map(Value::as_map) {
            let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let Some(from) = Sender::named(&text("from")) else { continue };
            let calls = match message.get("tool_calls") {
                Some(Value::List(calls)) => calls.iter().filter_map(AskedCall::of).collect(),
                _ => Vec::new(),
            };
            let answers = text("tool_call");
            let called = || all.iter().rev().flat_map(|one| &one.calls).find(|call| call.id == answers);
            let tool = match from {
                Sender::Tool => called().map_or_else(|| wire_name(&text("name")), |call| call.tool.clone()),
                _ => String::new(),
            };
            let mut words = text("text");
            for part in parts(message) {
                words.push_str(part.get("text").and_then(Value::as_str).unwrap_or_default());
            }
            let cached = message.get("cached").and_then(Value::as_bool).unwrap_or_default();
            all.push(Self { from, text: words, calls, answers, tool, cached });
        }
        all
    }

    /// The kind of a part that is no text, of any of these messages.
    pub(crate) fn media(messages: &List) -> Option<&str> {
        let parts = messages.iter().filter_map(Value::as_map).flat_map(parts);
        parts.filter_map(|part| part.get("kind")?.as_str()).find(|kind| *kind != "text")
    }

    /// The bytes of it that a model reads.
    pub(crate) fn len(&self) -> usize {
        let calls = self.calls.iter().map(|call| call.tool.len() + call.args.to_string().len());
        self.text.len() + calls.sum::<usize>()
    }
}

/// The parts of a message.
fn parts(message: &Record) -> impl Iterator<Item = &Record> {
    let parts = match message.get("parts") {
        Some(Value::List(parts)) => Some(parts),
        _ => None,
    };
    parts.into_iter().flatten().filter_map(Value::as_map)
}

impl AskedCall {
    fn of(call: &Value) -> Option<Self> {
        let call = call.as_map()?;
        let text = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
        let args = call.get("args").map_or_else(|| Json::Object(Map::new()), Value::to_json);
        Some(Self { id: text("id").to_owned(), tool: wire_name(text("tool")), args })
    }
}

/// A tool that is offered to a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OfferedTool {
    /// Its name in the run's catalogue.
    pub(crate) own: String,
    /// Its name as the provider knows it.
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) schema: Json,
}

impl OfferedTool {
    /// The tools of these names, as the run's catalogue describes them.
    pub(super) fn all(names: &List, catalogue: &List) -> Vec<Self> {
        let of = |name: &Value| {
            let own = name.as_str()?;
            let tool = in_catalogue(catalogue, own)?;
            let description = tool.get("description").and_then(Value::as_str).unwrap_or_default();
            let schema = tool.get("schema").map(Value::to_json).filter(Json::is_object);
            Some(Self {
                own: own.to_owned(),
                name: wire_name(own),
                description: description.to_owned(),
                schema: schema.unwrap_or_else(|| serde_json::json!({"type": "object"})),
            })
        };
        names.iter().filter_map(of).collect()
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
