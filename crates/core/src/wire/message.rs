//! Messages of a conversation, in whatever shape they go to a provider.

use serde_json::Value as Json;

use super::ModelTarget;
use super::asked::{AskedCall, wire_name};
use super::media::{ContentPart, MediaPart};
use super::signed::{SignedPart, SignedReasoning};
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
    /// All of its texts together.
    pub(crate) text: String,
    /// Its pieces in their order, where some of them are files; else nothing.
    pub(crate) content: Vec<ContentPart>,
    /// The calls that an assistant asked for.
    pub(crate) calls: Vec<AskedCall>,
    /// The id of the call that a tool's message answers.
    pub(crate) answers: String,
    /// The name of the tool that answers.
    pub(crate) tool: String,
    /// Reasoning that the provider wants back with the message.
    pub(crate) signed: Option<SignedReasoning>,
    /// True if all up to here is worth to be cached.
    pub(crate) cached: bool,
}

impl ChatMessage {
    /// A message of a user.
    pub(crate) fn user(text: impl Into<String>) -> Self {
        Self {
            from: Sender::User,
            text: text.into(),
            content: Vec::new(),
            calls: Vec::new(),
            answers: String::new(),
            tool: String::new(),
            signed: None,
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
            let mut content = vec![ContentPart::Text(words.clone())];
            for part in parts(message) {
                let of = |name: &str| part.get(name).and_then(Value::as_str);
                words.push_str(of("text").unwrap_or_default());
                content.extend(of("text").map(|text| ContentPart::Text(text.to_owned())));
                if is_file(part) {
                    let (kind, path) = (of("kind").unwrap_or_default(), of("file").unwrap_or_default());
                    content.push(ContentPart::Media(MediaPart::new(kind, path, of("media_type"))));
                }
            }
            content.retain(|part| !matches!(part, ContentPart::Text(text) if text.is_empty()));
            if !content.iter().any(|part| matches!(part, ContentPart::Media(_))) {
                content.clear();
            }
            let cached = message.get("cached").and_then(Value::as_bool).unwrap_or_default();
            let signed = SignedReasoning::read(&text("signed")).filter(|_| from == Sender::Assistant);
            all.push(Self { from, text: words, content, calls, answers, tool, signed, cached });
        }
        all
    }

    /// Returns true if any of these messages carries a file.
    pub(crate) fn carry_files(messages: &List) -> bool {
        messages.iter().filter_map(Value::as_map).flat_map(parts).any(is_file)
    }

    pub(crate) const fn is_from_user(&self) -> bool {
        matches!(self.from, Sender::User)
    }

    pub(super) const fn carries_files(&self) -> bool {
        !self.content.is_empty()
    }

    /// The files that it carries.
    pub(crate) fn media_mut(&mut self) -> impl Iterator<Item = &mut MediaPart> {
        self.content.iter_mut().filter_map(|part| match part {
            ContentPart::Text(_) => None,
            ContentPart::Media(part) => Some(part),
        })
    }

    /// The parts of the message in the order in which they were signed. Nothing where another model has signed them, or the message
    /// is no longer the one that was signed.
    pub(super) fn signed_parts(&self, target: &ModelTarget) -> Option<Vec<SignedPart<'_>>> {
        self.signed.as_ref()?.parts(target, &self.text, &self.calls)
    }

    /// The bytes of it that a model reads.
    pub(crate) fn len(&self) -> usize {
        let calls = self.calls.iter().map(|call| call.tool.len() + call.args.to_string().len());
        self.text.len() + calls.sum::<usize>()
    }
}

/// Returns true if a part is a file, or was to be one.
fn is_file(part: &Record) -> bool {
    let of = |name: &str| part.get(name).and_then(Value::as_str);
    of("kind").is_some_and(|kind| kind != "text") || of("file").is_some()
}

/// The parts of a message.
fn parts(message: &Record) -> impl Iterator<Item = &Record> {
    let parts = match message.get("parts") {
        Some(Value::List(parts)) => Some(parts),
        _ => None,
    };
    parts.into_iter().flatten().filter_map(Value::as_map)
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
