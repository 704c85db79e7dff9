//! Reads replies of models: a text with the calls that the model asks for.
//!
//! Nothing is called from here. A reply whose calls cannot all be made is no answer, and none of them is made: the error's
//! details hold what to append to the conversation, so that the model learns of it.

use std::collections::BTreeSet;

use super::call::{Call, Request};
use super::catalogue::in_catalogue;
use super::resolve::unfit;
use super::step::Machine;

use crate::program::function::Schema;
use crate::program::graph::{GraphCode, ModelCode};
use crate::program::shape::ShapeKind;
use crate::value::json::{JsonLimits, parse_strict};
use crate::value::{List, Map, Str, Value, digest};

/// A reply that is no answer.
pub(super) struct UnfitReply {
    violations: List,
    /// The model's message, and one message for each call that it asked for.
    messages: Option<List>,
}

impl UnfitReply {
    fn of(violation: impl Into<Value>) -> Self {
        Self { violations: List::from_iter([violation.into()]), messages: None }
    }

    pub(super) fn error(self, graph: &GraphCode, attempt: u32, raw: &Value) -> Value {
        let mut details = Map::new();
        details.set("raw", raw.clone());
        if let Some(messages) = self.messages {
            details.set("messages", messages);
        }
        unfit(graph, self.violations, details, attempt)
    }
}

/// The parts of a reply.
struct ReplyParts {
    text: Str,
    /// The calls, with what is wrong with each.
    calls: Vec<(Map, Option<String>)>,
    finish: Str,
    reasoning: Value,
    /// Data that the provider wants back with the message, for itself alone.
    signed: Option<Str>,
}

impl Machine<'_> {
    /// Reads a reply: a record of the node's reply type.
    pub(super) fn reply(&self, call: &Call, model: &ModelCode, value: &Value) -> Result<Value, UnfitReply> {
        let parts = self.parts(call, value)?;
        let message = parts.message();
        let wrong: List =
            parts.calls.iter().filter_map(|(_, fault)| fault.clone()).map(Value::from).collect();
        if !wrong.is_empty() {
            return Err(UnfitReply { violations: wrong, messages: Some(parts.corrections(message)) });
        }
        let reply = model.reply.as_ref().expect("the node takes a reply");
        let mut record = Map::new();
        record.set("text", parts.text.clone());
        record.set("tool_calls", parts.calls());
        record.set("finish", parts.finish.clone());
        record.set("reasoning", parts.reasoning.clone());
        record.set("message", message);
        if self.has_answer(reply.shape) {
            record.set("answer", self.typed(call, model, &parts)?);
        }
        let several = |violations| UnfitReply { violations, messages: None };
        let fitted = self.fit(reply.shape, Value::Map(record)).map_err(several)?;
        if let Some(place) = model.into.as_ref().filter(|place| place.shape != reply.shape) {
            self.fit(place.shape, fitted.clone()).map_err(several)?;
        }
        Ok(fitted)
    }

    /// True if a reply of this shape holds a typed answer.
    fn has_answer(&self, shape: u32) -> bool {
        match &self.program.shapes.shape(shape).kind {
            ShapeKind::Record { fields, .. } => fields.iter().any(|field| field.name == "answer"),
            _ => false,
        }
    }

    /// The typed answer; null beside calls.
    fn typed(&self, call: &Call, model: &ModelCode, parts: &ReplyParts) -> Result<Value, UnfitReply> {
        if !parts.calls.is_empty() {
            return Ok(Value::Null);
        }
        let value = if model.output.raw {
            Value::Str(parts.text.clone())
        } else {
            parse_strict(&parts.text, JsonLimits::default())
                .map_err(|fault| UnfitReply::of(fault.to_string()))?
        };
        self.typed_answer(call, model, &value).map_err(|violations| UnfitReply { violations, messages: None })
    }

    /// Takes a reply apart: a text alone, or a map.
    fn parts(&self, call: &Call, value: &Value) -> Result<ReplyParts, UnfitReply> {
        let mut map = match value {
            Value::Str(text) => Map::from_iter([("text", Value::Str(text.clone()))]),
            Value::Map(map) => map.clone(),
            other => {
                let found = other.type_name();
                return Err(UnfitReply::of(format!(
                    "the reply of a model is a text or a map, found {found}"
                )));
            }
        };
        let text = match map.remove("text").unwrap_or_default() {
            Value::Str(text) => text,
            Value::Null => Str::new(),
            other => return Err(UnfitReply::of(format!("`text` is a string, found {}", other.type_name()))),
        };
        let asked = match map.remove("tool_calls").unwrap_or_default() {
            Value::List(calls) => calls,
            Value::Null => List::new(),
            other => {
                return Err(UnfitReply::of(format!("`tool_calls` is a list, found {}", other.type_name())));
            }
        };
        let calls = self.asked(call, &asked)?;
        let usual = if calls.is_empty() { "stop" } else { "tool_calls" };
        let finish = match map.remove("finish").unwrap_or_default() {
            Value::Str(word) if word == "length" && calls.is_empty() => word,
            Value::Str(word) if word == "length" => {
                return Err(UnfitReply::of("the reply was cut off in the middle of its calls"));
            }
            _ => usual.into(),
        };
        let signed = match map.remove("signed").unwrap_or_default() {
            Value::Str(signed) => Some(signed),
            Value::Null => None,
            other => {
                return Err(UnfitReply::of(format!("`signed` is a string, found {}", other.type_name())));
            }
        };
        let reasoning = map.remove("reasoning").unwrap_or_default();
        Ok(ReplyParts { text, calls, finish, reasoning, signed })
    }

    /// The calls that a model asks for, each with what is wrong with it.
    fn asked(&self, call: &Call, asked: &List) -> Result<Vec<(Map, Option<String>)>, UnfitReply> {
        let Request::Model { offer, messages, .. } = &call.request else { return Ok(Vec::new()) };
        let mut ids = used_ids(messages.as_ref());
        let mut calls = Vec::with_capacity(asked.len());
        for (place, one) in asked.iter().enumerate() {
            let Some(one) = one.as_map() else {
                return Err(UnfitReply::of(format!("a call is a map, found {}", one.type_name())));
            };
            let Some(tool) = one.get("tool").and_then(Value::as_str) else {
                return Err(UnfitReply::of("a call names a `tool`"));
            };
            let given = one.get("id").and_then(Value::as_str).map(Str::from);
            let id = given.filter(|id| !id.is_empty() && !ids.contains(id));
            let id = id.unwrap_or_else(|| own_id(call, place));
            ids.insert(id.clone());
            let args = one.get("args").cloned().unwrap_or_default();
            let fault = self.call_fault(offer.as_ref(), tool, &args);
            let args = if let Value::Map(args) = args { args } else { Map::new() };
            let mut made = Map::new();
            made.set("id", id);
            made.set("tool", tool);
            made.set("args", args);
            calls.push((made, fault));
        }
        Ok(calls)
    }

    /// What is wrong with a call, in words.
    fn call_fault(&self, offer: Option<&List>, tool: &str, args: &Value) -> Option<String> {
        let offered = || offer.into_iter().flatten().filter_map(Value::as_str);
        if !offered().any(|name| name == tool) {
            let names: Vec<&str> = offered().collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Some(format!("the tool `{tool}` was not offered; offered: {names}"));
        }
        let args = match args {
            Value::Map(_) => args.clone(),
            Value::Null => Value::Map(Map::new()),
            other => {
                let found = other.type_name();
                return Some(format!("the arguments of `{tool}` are a map, found {found}"));
            }
        };
        let schema = in_catalogue(&self.snap.tools, tool)?.get("schema")?;
        // A schema that cannot be used is the tool's affair: its host reports it where it is called.
        let violations = Schema::compiled(schema).ok()?.violations(&args);
        let words: Vec<&str> = violations.iter().filter_map(Value::as_str).collect();
        (!words.is_empty()).then(|| format!("the arguments of `{tool}` do not fit: {}", words.join("; ")))
    }
}

impl ReplyParts {
    fn calls(&self) -> List {
        self.calls.iter().map(|(call, _)| Value::Map(call.clone())).collect()
    }

    /// The reply as a message of the conversation.
    fn message(&self) -> Value {
        let mut message = Map::new();
        message.set("from", "assistant");
        message.set("text", self.text.clone());
        message.set("tool_calls", self.calls());
        if let Some(signed) = &self.signed {
            message.set("signed", signed.clone());
        }
        Value::Map(message)
    }

    /// The messages that say to the model what is wrong with its calls.
    fn corrections(&self, message: Value) -> List {
        let answers = self.calls.iter().map(|(call, fault)| {
            let text =
                fault.as_deref().unwrap_or("not called: another call of the same reply cannot be made");
            let mut answer = Map::new();
            answer.set("from", "tool");
            answer.set("tool_call", call.get("id").cloned().unwrap_or_default());
            answer.set("name", call.get("tool").cloned().unwrap_or_default());
            answer.set("text", text);
            Value::Map(answer)
        });
        std::iter::once(message).chain(answers).collect()
    }
}

/// The ids of all calls in a conversation.
fn used_ids(messages: Option<&List>) -> BTreeSet<Str> {
    let messages = messages.into_iter().flatten().filter_map(Value::as_map);
    let calls = messages.filter_map(|message| match message.get("tool_calls") {
        Some(Value::List(calls)) => Some(calls),
        _ => None,
    });
    let calls = calls.flat_map(|calls| calls.iter().filter_map(Value::as_map));
    calls.filter_map(|call| call.get("id").and_then(Value::as_str).map(Str::from)).collect()
}

/// An id of our own for a call whose id is missing or taken: the same one whenever the run is replayed. All providers take
/// letters, digits and `_`.
fn own_id(call: &Call, place: usize) -> Str {
    let mut of = Map::new();
    of.set("call", call.id.0.clone());
    of.set("place", i64::try_from(place).unwrap_or(i64::MAX));
    let digest = digest(&Value::Map(of)).to_string();
    let hex: String = digest.chars().filter(char::is_ascii_hexdigit).take(24).collect();
    ecow::eco_format!("call_{hex}")
}
