//! Requests to a model, in whatever shape that goes to its provider.

use serde_json::Value;

use super::ModelTarget;
use crate::machine::Request;

/// The means to ask for a typed answer. However it is, the answer is held against the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structured {
    /// The provider gets the type as JSON Schema and keeps the model to it.
    Schema,
    /// The provider keeps the model to JSON; the schema is in the system text.
    Json,
    /// The schema is in the system text, and nothing else is done.
    Prompt,
}

impl Structured {
    /// All of them, with their names in configurations.
    pub(crate) const ALL: [(&str, Self); 3] =
        [("schema", Self::Schema), ("json", Self::Json), ("prompt", Self::Prompt)];
}

/// The request to a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelQuestion {
    /// The system text, with the schema where the provider does not take it.
    pub(crate) system: Option<String>,
    pub(crate) prompt: String,
    pub(crate) form: AnswerForm,
}

/// The constraint of the provider on an answer. The machine checks every answer against its type in any case.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnswerForm {
    /// None: the answer may be any text.
    Free,
    /// Any JSON document.
    Json,
    /// A JSON Schema, as the provider takes it.
    Schema(Value),
}

impl ModelQuestion {
    /// The question of a request to a model; none for a request to a tool.
    pub(crate) fn of(request: &Request, target: &ModelTarget) -> Option<Self> {
        let Request::Model { system, prompt, schema, .. } = request else { return None };
        let system = system.as_ref().map(ToString::to_string);
        let prompt = prompt.to_string();
        if schema.is_null() {
            return Some(Self { system, prompt, form: AnswerForm::Free });
        }
        let schema = schema.to_json();
        let wire = target.provider.0;
        if target.structured == Structured::Schema
            && let Some(taken) = wire.subset(target).schema(&schema)
        {
            return Some(Self { system, prompt, form: AnswerForm::Schema(taken) });
        }
        let wish = format!(
            "Answer with one JSON value that fits this JSON Schema, and with nothing else:\n{schema}"
        );
        let system = Some(system.map_or(wish.clone(), |text| format!("{text}\n\n{wish}")));
        // What is called JSON mode gives objects, and mostly nothing else.
        let suits = wire.any_json() || may_be_object(&schema);
        let json = target.structured != Structured::Prompt && suits;
        Some(Self { system, prompt, form: if json { AnswerForm::Json } else { AnswerForm::Free } })
    }
}

fn may_be_object(schema: &Value) -> bool {
    match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    }
}
