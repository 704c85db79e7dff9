//! What goes over the wire, one module for each shape.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use serde_json::Value;

use super::frames::Framing;
use super::question::Question;
use super::reply::Reply;
use super::secret::Secret;
use crate::config::{ModelConfig, Provider};

/// A request as a provider wants it.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    /// Where to.
    pub(super) url: String,
    /// Headers beside `content-type`, names in lower case.
    pub(super) headers: Vec<(&'static str, Secret)>,
    pub(super) body: Value,
}

/// What is wrong with a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is not what this provider sends.
    Garbage(String),
    /// The provider says in the middle of a reply that it failed. The first is its word for the kind, if it has one.
    Failed(String, String),
}

/// A request for a model.
pub(super) fn prepare(config: &ModelConfig, key: Option<&Secret>, question: &Question) -> Prepared {
    match config.provider {
        Provider::OpenAi => openai::prepare(config, key, question),
        Provider::Anthropic => anthropic::prepare(config, key, question),
        Provider::Gemini => gemini::prepare(config, key, question),
        Provider::Ollama => ollama::prepare(config, key, question),
    }
}

/// How a reply is cut into frames.
pub(super) const fn framing(provider: Provider) -> Framing {
    match provider {
        Provider::OpenAi | Provider::Anthropic | Provider::Gemini => Framing::Events,
        Provider::Ollama => Framing::Lines,
    }
}

/// Takes a frame of a reply.
pub(super) fn read(provider: Provider, frame: &str, reply: &mut Reply) -> Result<(), Fault> {
    if provider == Provider::OpenAi && frame.trim() == "[DONE]" {
        reply.ended = true;
        return Ok(());
    }
    let value: Value = serde_json::from_str(frame).map_err(|error| Fault::Garbage(error.to_string()))?;
    if !value.is_object() {
        return Err(Fault::Garbage("it is no object".to_owned()));
    }
    match provider {
        Provider::OpenAi => openai::read(&value, reply),
        Provider::Anthropic => anthropic::read(&value, reply),
        Provider::Gemini => gemini::read(&value, reply),
        Provider::Ollama => ollama::read(&value, reply),
    }
}

/// What a provider says in the body of a refusal: its word for the kind, if it has one, and its message.
pub(super) fn complaint(body: &str) -> (String, String) {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    // Gemini puts it into a list where the reply was to be a stream.
    let value = value.get(0).unwrap_or(&value);
    let error = value.get("error").unwrap_or(value);
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    let kind = text("code").or_else(|| text("type")).or_else(|| text("status")).unwrap_or_default();
    let message = text("message").or_else(|| error.as_str()).unwrap_or_else(|| body.trim());
    (kind.to_owned(), message.to_owned())
}

/// A number of tokens, where it is one.
fn tokens(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path).and_then(Value::as_u64)
}

/// A text that is there and says something.
fn text<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    value.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty())
}
