//! The shapes of what goes to providers of models and of what comes back, one file for each provider.
//!
//! Nothing is sent from here. To add a provider, write a file that implements [`Wire`] and add its row to [`PROVIDERS`].
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod anthropic;
mod asked;
mod called;
mod complaint;
mod frames;
mod gemini;
mod media;
mod message;
mod ollama;
mod openai;
mod question;
mod reasoning;
mod reply;
mod secret;
mod signed;
mod subset;

use std::fmt;

use serde_json::{Value, json};

use crate::value::Str;

use asked::AskedCall;
pub(crate) use complaint::{Complaint, wait_of};
pub(crate) use frames::{Frames, Framing};
pub(crate) use media::MediaContent;
use media::{ContentPart, MediaPart, is_image};
pub(crate) use message::ChatMessage;
use message::{OfferedTool, Sender};
pub use question::Structured;
pub(crate) use question::{AnswerForm, ModelQuestion};
pub use reasoning::{Reasoning, ReasoningEffort};
pub(crate) use reply::{Finish, PartialReply, TokenCounts};
pub use secret::Secret;
use signed::SignedPart;
use subset::Subset;

/// All providers.
static PROVIDERS: [&dyn Wire; 4] = [&openai::OpenAi, &anthropic::Anthropic, &gemini::Gemini, &ollama::Ollama];

/// The shape of requests to a provider and of its replies.
trait Wire: fmt::Debug + Sync {
    /// Its name in configurations.
    fn name(&self) -> &'static str;

    /// Its name, as OpenTelemetry writes it where it has one.
    fn telemetry(&self) -> &'static str {
        self.name()
    }

    /// The address of the provider unless the configuration says otherwise.
    fn home(&self) -> &'static str;

    /// The layout of frames in a reply.
    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// The part of JSON Schema that it takes.
    fn subset(&self, target: &ModelTarget) -> Subset;

    /// Returns true if its JSON mode gives any JSON. Most give objects alone.
    fn any_json(&self) -> bool {
        false
    }

    /// Returns true if the type of an answer and tools may be in one request. Otherwise the type is put into words.
    fn schema_beside_tools(&self, _target: &ModelTarget) -> bool {
        false
    }

    /// The fault of a setting for reasoning that it does not take, and the cure.
    fn reasoning_fault(&self, target: &ModelTarget, reasoning: Reasoning) -> Option<(String, &'static str)>;

    /// Returns true if a message of a user may carry a file of this media type.
    fn takes(&self, media_type: &str) -> bool;

    /// Makes a request.
    fn prepare(
        &self,
        target: &ModelTarget,
        key: Option<&Secret>,
        question: &ModelQuestion,
    ) -> PreparedRequest;

    /// Returns true for a frame that is not JSON and ends a reply.
    fn is_end(&self, _frame: &str) -> bool {
        false
    }

    /// Takes a frame of a reply, which is an object.
    fn read(&self, frame: &Value, reply: &mut PartialReply) -> Result<(), FrameFault>;
}

/// A provider of models.
#[derive(Clone, Copy)]
pub struct Provider(&'static dyn Wire);

impl Provider {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        PROVIDERS.iter().map(|wire| Self(*wire))
    }

    /// Its name in configurations.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Its name, as OpenTelemetry writes it where it has one.
    #[must_use]
    pub fn telemetry(self) -> &'static str {
        self.0.telemetry()
    }

    /// The address of the provider unless the configuration says otherwise.
    #[must_use]
    pub fn home(self) -> &'static str {
        self.0.home()
    }

    /// The fault of a setting for reasoning that it does not take, and the cure.
    pub(crate) fn reasoning_fault(
        self,
        target: &ModelTarget,
        reasoning: Reasoning,
    ) -> Option<(String, &'static str)> {
        self.0.reasoning_fault(target, reasoning)
    }

    /// The layout of frames in a reply.
    pub(crate) fn framing(self) -> Framing {
        self.0.framing()
    }

    /// Takes a frame of a reply.
    pub(crate) fn read(self, frame: &str, reply: &mut PartialReply) -> Result<(), FrameFault> {
        if self.0.is_end(frame) {
            reply.ended = true;
            return Ok(());
        }
        let value: Value =
            serde_json::from_str(frame).map_err(|error| FrameFault::Garbage(error.to_string()))?;
        if value.is_object() {
            self.0.read(&value, reply)
        } else {
            Err(FrameFault::Garbage("it is not an object".to_owned()))
        }
    }
}

impl PartialEq for Provider {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A model at a provider, and what it is asked with.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelTarget {
    /// The provider.
    pub provider: Provider,
    /// The address of the provider, without a slash at the end.
    pub base_url: String,
    /// The provider's name of the model.
    pub model: Str,
    /// The sampling temperature; the provider's own when absent.
    pub temperature: Option<f64>,
    /// The random seed.
    pub seed: Option<i64>,
    /// The most tokens of an answer.
    pub max_tokens: Option<u32>,
    /// The amount of reasoning it may do; the provider's own when absent.
    pub reasoning: Option<Reasoning>,
    /// The means to ask for a typed answer.
    pub structured: Structured,
}

impl ModelTarget {
    /// Returns true if a message of a user may carry a file of this media type.
    pub(crate) fn takes(&self, media_type: &str) -> bool {
        self.provider.0.takes(media_type)
    }

    /// Makes a request.
    pub(crate) fn prepare(&self, key: Option<&Secret>, question: &ModelQuestion) -> PreparedRequest {
        self.provider.0.prepare(self, key, question)
    }
}

/// A request as a provider wants it.
#[derive(Debug, Clone)]
pub(crate) struct PreparedRequest {
    /// The address.
    pub(crate) url: String,
    /// Headers beside `content-type`, names in lower case.
    pub(crate) headers: Vec<(&'static str, Secret)>,
    pub(crate) body: Value,
}

/// A frame that is no part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FrameFault {
    /// It is not what this provider sends.
    Garbage(String),
    /// The provider says in the middle of a reply that it failed.
    Failed(Complaint),
}

/// The system text and the messages, in the shape that most follow; `user` gives a message of a user that carries files, `call` a
/// call of a tool, `answer` the message of one.
fn messages(
    question: &ModelQuestion,
    user: fn(&ChatMessage) -> Value,
    call: fn(&AskedCall) -> Value,
    answer: fn(&ChatMessage) -> Value,
) -> Value {
    let system = question.system.as_ref().map(|text| json!({"role": "system", "content": text}));
    let messages = question.messages.iter().map(|message| match message.from {
        Sender::System => json!({"role": "system", "content": message.text}),
        Sender::User if message.carries_files() => user(message),
        Sender::User => json!({"role": "user", "content": message.text}),
        Sender::Tool => answer(message),
        Sender::Assistant => {
            let mut own = json!({"role": "assistant", "content": message.text});
            if !message.calls.is_empty() {
                own["tool_calls"] = message.calls.iter().map(call).collect();
            }
            own
        }
    });
    system.into_iter().chain(messages).collect()
}

/// The tools on offer, in the shape that most follow.
fn functions(question: &ModelQuestion) -> Option<Value> {
    let tools = question.tools.as_ref().filter(|tools| !tools.is_empty())?;
    let function = |tool: &OfferedTool| {
        json!({
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
        })
    };
    Some(tools.iter().map(function).collect())
}

/// The system text with the system messages that a conversation begins with, each with its mark of the cache, and the
/// messages after them.
fn opening(question: &ModelQuestion) -> (Vec<(&str, bool)>, &[ChatMessage]) {
    let first = question.messages.iter().take_while(|message| message.from == Sender::System).count();
    let (first, rest) = question.messages.split_at(first);
    let own = question.system.as_deref().map(|text| (text, false));
    (own.into_iter().chain(first.iter().map(|one| (one.text.as_str(), one.cached))).collect(), rest)
}

/// The messages in turns of a user and an assistant, who never speaks twice in a row. Whatever is no assistant's goes to the
/// user's turn.
fn turns(messages: &[ChatMessage]) -> impl Iterator<Item = (bool, &[ChatMessage])> {
    let is_own = |message: &ChatMessage| message.from == Sender::Assistant;
    messages.chunk_by(move |a, b| is_own(a) == is_own(b)).map(move |turn| (is_own(&turn[0]), turn))
}

/// The fault of a number of tokens for reasoning, at a provider that takes words alone.
fn words_alone(provider: &str, reasoning: Reasoning) -> Option<(String, &'static str)> {
    let Reasoning::Tokens(tokens) = reasoning else { return None };
    let fault = format!("`reasoning` is {tokens}, and the provider `{provider}` takes no number of tokens");
    Some((fault, "write \"low\", \"medium\" or \"high\""))
}

/// The header that most want a key in.
fn bearer(key: Option<&Secret>) -> Vec<(&'static str, Secret)> {
    let header = |key: &Secret| ("authorization", Secret::new(format!("Bearer {}", key.reveal())));
    key.map(header).into_iter().collect()
}

/// A number of tokens, where it is one.
fn tokens(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path).and_then(Value::as_u64)
}

/// The number at the first of some paths that has one: servers with one shape count in fields of their own.
fn first_tokens(value: &Value, paths: &[&str]) -> Option<u64> {
    paths.iter().find_map(|path| tokens(value, path))
}

/// A text that is there and says something.
fn text<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    value.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty())
}
