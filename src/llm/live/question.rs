//! What a model is asked, whatever goes over the wire.

use serde_json::Value;

use crate::config::{ModelConfig, Structured};
use crate::machine::Request;

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Question {
    /// The system text, with the schema where the provider does not take it.
    pub(super) system: Option<String>,
    pub(super) prompt: String,
    /// The JSON Schema of the answer; raw text when absent.
    pub(super) schema: Option<Value>,
}

impl Question {
    /// Nothing for a request to a tool.
    pub(super) fn of(request: &Request, config: &ModelConfig) -> Option<Self> {
        let Request::Model { system, prompt, schema, .. } = request else { return None };
        let schema = (!schema.is_null()).then(|| schema.to_json());
        let mut system = system.as_ref().map(ToString::to_string);
        if let Some(schema) = &schema
            && config.structured != Structured::Schema
        {
            let wish = format!(
                "Answer with one JSON value that fits this JSON Schema, and with nothing else:\n{schema}"
            );
            system = Some(system.map_or(wish.clone(), |text| format!("{text}\n\n{wish}")));
        }
        Some(Self { system, prompt: prompt.to_string(), schema })
    }
}
