//! What a model is asked, whatever goes over the wire.

use serde_json::Value;

use super::wire;
use crate::config::{ModelConfig, Provider, Structured};
use crate::machine::Request;

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Question {
    /// The system text, with the schema where the provider does not take it.
    pub(super) system: Option<String>,
    pub(super) prompt: String,
    pub(super) form: Form,
}

/// What the provider keeps an answer to. The machine holds every answer against its type in any case.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// Nothing.
    Free,
    /// JSON.
    Json,
    /// A JSON Schema, as the provider takes it.
    Schema(Value),
}

impl Question {
    /// Nothing for a request to a tool.
    pub(super) fn of(request: &Request, config: &ModelConfig) -> Option<Self> {
        let Request::Model { system, prompt, schema, .. } = request else { return None };
        let system = system.as_ref().map(ToString::to_string);
        let prompt = prompt.to_string();
        if schema.is_null() {
            return Some(Self { system, prompt, form: Form::Free });
        }
        let schema = schema.to_json();
        if config.structured == Structured::Schema
            && let Some(taken) = wire::taken(config, &schema)
        {
            return Some(Self { system, prompt, form: Form::Schema(taken) });
        }
        let wish = format!(
            "Answer with one JSON value that fits this JSON Schema, and with nothing else:\n{schema}"
        );
        let system = Some(system.map_or(wish.clone(), |text| format!("{text}\n\n{wish}")));
        // What is called JSON mode gives objects, and mostly nothing else.
        let suits = config.provider == Provider::Gemini || may_be_object(&schema);
        let json = config.structured != Structured::Prompt && suits;
        Some(Self { system, prompt, form: if json { Form::Json } else { Form::Free } })
    }
}

fn may_be_object(schema: &Value) -> bool {
    match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    }
}
