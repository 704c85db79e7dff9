//! Reasoning that a provider has signed.
//!
//! Some providers sign what a model reasoned before it asks for tools, and refuse the results of the tools where the signed parts do
//! not come back as they were. They are one text in the field `signed` of a message, which nobody but this module reads:
//! `{"by": …, "parts": […]}`, with the parts of the reply in their order.

use serde_json::{Map, Value, json};

use super::ModelTarget;
use super::asked::AskedCall;

/// The parts of a reply in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReplyParts(Vec<ReplyPart>);

/// A part of a reply in its place, with its signature; most have none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ReplyPart {
    kind: PartKind,
    signature: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PartKind {
    /// So many bytes of the text.
    Text(usize),
    /// The next call.
    Call,
    /// Reasoning that is shown.
    Reasoning(String),
    /// Reasoning that is hidden: its bytes as the provider sends them.
    Hidden(String),
}

/// A part of a message as it goes back to its provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SignedPart<'m> {
    /// A piece of the text, with its signature.
    Text(&'m str, Option<&'m str>),
    /// A call, with its signature.
    Call(&'m AskedCall, Option<&'m str>),
    /// Reasoning, with its signature.
    Reasoning(&'m str, Option<&'m str>),
    /// Reasoning that is hidden.
    Hidden(&'m str),
}

impl ReplyParts {
    fn push(&mut self, kind: PartKind) {
        self.0.push(ReplyPart { kind, signature: String::new() });
    }

    /// Takes so many further bytes of the text.
    pub(super) fn text(&mut self, bytes: usize) {
        match self.0.last_mut() {
            Some(ReplyPart { kind: PartKind::Text(all), signature }) if signature.is_empty() => *all += bytes,
            _ => self.push(PartKind::Text(bytes)),
        }
    }

    /// Takes a piece of text that has a signature of its own.
    pub(super) fn signed_text(&mut self, bytes: usize, signature: &str) {
        self.0.push(ReplyPart { kind: PartKind::Text(bytes), signature: signature.to_owned() });
    }

    /// Takes the next call.
    pub(super) fn call(&mut self) {
        self.push(PartKind::Call);
    }

    /// Begins a part of reasoning.
    pub(super) fn reasoning(&mut self, text: &str) {
        self.push(PartKind::Reasoning(text.to_owned()));
    }

    /// Takes more of the part of reasoning that came last.
    pub(super) fn more_reasoning(&mut self, text: &str) {
        if let Some(ReplyPart { kind: PartKind::Reasoning(all), .. }) = self.0.last_mut() {
            all.push_str(text);
        }
    }

    /// Takes reasoning that is hidden.
    pub(super) fn hidden(&mut self, data: &str) {
        self.push(PartKind::Hidden(data.to_owned()));
    }

    /// Takes more of the signature of the part that came last.
    pub(super) fn sign(&mut self, signature: &str) {
        if let Some(part) = self.0.last_mut() {
            part.signature.push_str(signature);
        }
    }

    /// The text for the message; nothing where the provider has signed nothing.
    pub(crate) fn signed(&self, target: &ModelTarget) -> Option<String> {
        let is_signed =
            |part: &ReplyPart| !part.signature.is_empty() || matches!(part.kind, PartKind::Hidden(_));
        if !self.0.iter().any(is_signed) {
            return None;
        }
        let parts: Value = self.0.iter().map(ReplyPart::to_json).collect();
        Some(json!({"by": by(target), "parts": parts}).to_string())
    }

    /// Reads the text of a message. One that is no such text is none.
    fn read(text: &str) -> Option<(String, Self)> {
        let value: Value = serde_json::from_str(text).ok()?;
        let parts = value.get("parts")?.as_array()?.iter().map(ReplyPart::of).collect::<Option<_>>()?;
        Some((value.get("by")?.as_str()?.to_owned(), Self(parts)))
    }
}

impl ReplyPart {
    fn to_json(&self) -> Value {
        let (key, value) = match &self.kind {
            PartKind::Text(bytes) => ("text", json!(bytes)),
            PartKind::Call => ("call", json!(true)),
            PartKind::Reasoning(text) => ("reasoning", json!(text)),
            PartKind::Hidden(data) => ("hidden", json!(data)),
        };
        let mut part = Map::new();
        part.insert(key.to_owned(), value);
        if !self.signature.is_empty() {
            part.insert("signature".to_owned(), json!(self.signature));
        }
        part.into()
    }

    fn of(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = if let Some(bytes) = value.get("text").and_then(Value::as_u64) {
            PartKind::Text(usize::try_from(bytes).ok()?)
        } else if let Some(text) = text("reasoning") {
            PartKind::Reasoning(text)
        } else if let Some(data) = text("hidden") {
            PartKind::Hidden(data)
        } else {
            value.get("call")?;
            PartKind::Call
        };
        Some(Self { kind, signature: text("signature").unwrap_or_default() })
    }
}

/// Reasoning that a message carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignedReasoning {
    /// The provider and the model that signed it: no other one takes it.
    by: String,
    parts: ReplyParts,
}

impl SignedReasoning {
    pub(super) fn read(text: &str) -> Option<Self> {
        let (by, parts) = ReplyParts::read(text)?;
        Some(Self { by, parts })
    }

    /// The parts of a message with this text and these calls, in the order in which they were signed. Nothing where another model has
    /// signed them, or where they are no longer those that were signed.
    pub(super) fn parts<'m>(
        &'m self,
        target: &ModelTarget,
        text: &'m str,
        calls: &'m [AskedCall],
    ) -> Option<Vec<SignedPart<'m>>> {
        if self.by != by(target) {
            return None;
        }
        let (mut rest, mut calls) = (text, calls.iter());
        let mut parts = Vec::with_capacity(self.parts.0.len());
        for ReplyPart { kind, signature } in &self.parts.0 {
            let signature = Some(signature.as_str()).filter(|signature| !signature.is_empty());
            parts.push(match kind {
                PartKind::Text(bytes) => {
                    let (text, after) = rest.split_at_checked(*bytes)?;
                    rest = after;
                    SignedPart::Text(text, signature)
                }
                PartKind::Call => SignedPart::Call(calls.next()?, signature),
                PartKind::Reasoning(text) => SignedPart::Reasoning(text, signature),
                PartKind::Hidden(data) => SignedPart::Hidden(data),
            });
        }
        (rest.is_empty() && calls.next().is_none()).then_some(parts)
    }
}

/// The signer of a target's replies.
fn by(target: &ModelTarget) -> String {
    format!("{} {}", target.provider.name(), target.model)
}
