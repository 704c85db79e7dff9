//! What goes over the wire, one module for each shape.

mod anthropic;
mod complaint;
mod gemini;
mod ollama;
mod openai;
mod subset;

use serde_json::{Value, json};

use super::frames::Framing;
use super::question::Question;
use super::reply::Reply;
use super::secret::Secret;
use crate::config::{ModelConfig, Provider};

pub(super) use complaint::Complaint;
pub(super) use subset::taken;

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
    /// The provider says in the middle of a reply that it failed.
    Failed(Complaint),
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

/// The system text and the prompt, in the shape that most follow.
fn messages(question: &Question) -> Value {
    let system = question.system.as_ref().map(|text| json!({"role": "system", "content": text}));
    let prompt = json!({"role": "user", "content": question.prompt});
    system.into_iter().chain([prompt]).collect()
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

/// A text that is there and says something.
fn text<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    value.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty())
}
