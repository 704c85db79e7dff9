//! Requests to a model, in whatever shape that goes to its provider.

use serde_json::Value;

use super::ModelTarget;
use super::message::{ChatMessage, OfferedTool};
use crate::machine::Request;
use crate::value::List;

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
    /// The messages: a prompt is one of a user.
    pub(crate) messages: Vec<ChatMessage>,
    /// True where the graph keeps the conversation, which grows from request to request.
    pub(crate) grows: bool,
    /// The tools on offer; none where the answer holds no calls.
    pub(crate) tools: Option<Vec<OfferedTool>>,
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
    /// The question of a request to a model; none for a request to a tool. The catalogue describes the tools on offer.
    pub(crate) fn of(request: &Request, target: &ModelTarget, catalogue: &List) -> Option<Self> {
        let Request::Model { system, prompt, messages, offer, schema, .. } = request else { return None };
        let grows = messages.is_some();
        let mut own = Self {
            system: system.as_ref().map(ToString::to_string),
            messages: messages.as_ref().map(ChatMessage::all).unwrap_or_default(),
            grows,
            tools: offer.as_ref().map(|names| OfferedTool::all(names, catalogue)),
            form: AnswerForm::Free,
        };
        if !grows {
            own.messages.push(ChatMessage::user(prompt.as_str()));
        }
        if !schema.is_null() {
            own.ask_for(&schema.to_json(), target);
        }
        Some(own)
    }

    /// The own name of a tool that the provider knows by this one.
    pub(crate) fn own_name(&self, name: &str) -> String {
        let tool = self.tools.iter().flatten().find(|tool| tool.name == name);
        tool.map_or_else(|| name.to_owned(), |tool| tool.own.clone())
    }

    /// Asks for an answer of a type.
    fn ask_for(&mut self, schema: &Value, target: &ModelTarget) {
        let wire = target.provider.0;
        let offers = self.tools.as_ref().is_some_and(|tools| !tools.is_empty());
        let free = offers && !wire.schema_beside_tools(target);
        if target.structured == Structured::Schema
            && !free
            && let Some(taken) = wire.subset(target).schema(schema)
        {
            self.form = AnswerForm::Schema(taken);
            return;
        }
        let wish = format!(
            "Answer with one JSON value that fits this JSON Schema, and with nothing else:\n{schema}"
        );
        self.system = Some(self.system.take().map_or(wish.clone(), |text| format!("{text}\n\n{wish}")));
        // What is called JSON mode gives objects, and mostly nothing else.
        let suits = wire.any_json() || may_be_object(schema);
        if target.structured != Structured::Prompt && suits && !free {
            self.form = AnswerForm::Json;
        }
    }
}

fn may_be_object(schema: &Value) -> bool {
    match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    }
}
