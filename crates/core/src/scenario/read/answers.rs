//! Reads the answers of models, tools and people.

use super::keys::{AROUND, FAILURE, HUMAN_ANSWER, MODEL_ANSWER, TOOL_ANSWER, USAGE};
use super::{MappingFields, ScenarioReader};
use crate::diag::{Diagnostic, rule};
use crate::machine::Usage;
use crate::scenario::data::Data;
use crate::scenario::file::{ScriptedAnswer, ScriptedAnswers, ScriptedReply};
use crate::source::Spanned;
use crate::syntax::FileKey;
use crate::syntax::yaml::{Node, NodeKind};
use crate::value::{Str, Value, usd};

impl ScenarioReader<'_> {
    /// `model`, `tools` and `human`.
    pub(super) fn answers(&mut self, fields: &MappingFields<'_, '_>, answers: &mut ScriptedAnswers) {
        if let Some(node) = fields.get("model") {
            self.models(node, answers);
        }
        if let Some(node) = fields.get("tools") {
            for item in self.items(node, "the answers of tools") {
                let Some(fields) = self.fields(item, "a tool's answer", TOOL_ANSWER) else { continue };
                if !fields.has_any(&["ok", "error"]) {
                    self.missing(
                        "ok",
                        "a tool's answer",
                        item.span.head(),
                        "ok: {…}` or `error: {kind: tool_failed}",
                    );
                    continue;
                }
                let from = fields.get("tool").and_then(|node| self.text(node, "a tool's name"));
                let answer = self.answer(item, &fields, from);
                answers.tools.push(answer);
            }
        }
        if let Some(node) = fields.get("human") {
            for item in self.items(node, "the answers of people") {
                let answer = self.plain_or_wrapped(item, "a person's answer", HUMAN_ANSWER, None);
                answers.people.extend(answer);
            }
        }
    }

    /// By role, or a plain list for a graph with one role.
    fn models(&mut self, node: &Node<'_>, answers: &mut ScriptedAnswers) {
        let NodeKind::Mapping(entries) = &node.kind else {
            for item in self.items(node, "the answers of models") {
                let answer = self.plain_or_wrapped(item, "a model's answer", MODEL_ANSWER, None);
                answers.models.extend(answer);
            }
            return;
        };
        for entry in entries {
            let role = Spanned::new(Str::from(&**entry.name()), entry.key.span);
            for item in self.items(&entry.value, "the answers of a role") {
                let answer =
                    self.plain_or_wrapped(item, "a model's answer", MODEL_ANSWER, Some(role.clone()));
                answers.models.extend(answer);
            }
        }
    }

    /// An answer that is the value itself, or a mapping around it with `ok` or `error`. A mapping is taken for the
    /// latter if its `error` is a mapping with a `kind`, or if it has `ok` with another key of such a mapping.
    fn plain_or_wrapped(
        &mut self,
        node: &Node<'_>,
        what: &str,
        keys: &[FileKey],
        from: Option<Spanned<Str>>,
    ) -> Option<ScriptedAnswer> {
        if !wraps(node, keys) {
            let reply = ScriptedReply::Value(self.data(node));
            return Some(ScriptedAnswer::new(node.span, from, reply));
        }
        let fields = self.fields(node, what, keys)?;
        Some(self.answer(node, &fields, from))
    }

    fn answer(
        &mut self,
        node: &Node<'_>,
        fields: &MappingFields<'_, '_>,
        from: Option<Spanned<Str>>,
    ) -> ScriptedAnswer {
        let reply = match (fields.get("error"), fields.get("ok")) {
            (Some(error), ok) => {
                if ok.is_some() {
                    let message = "an answer has either `ok` or `error`, not both";
                    self.out.push(Diagnostic::error(rule::SCENARIO_ANSWER, node.span.head(), message));
                }
                self.error(error)
            }
            (None, Some(ok)) => ScriptedReply::Value(self.data(ok)),
            (None, None) => ScriptedReply::Value(Data::default()),
        };
        ScriptedAnswer {
            node: fields.get("node").and_then(|n| self.text(n, "a node's name")),
            lane: fields.get("lane").and_then(|n| self.text(n, "a lane, such as `research[0]`")),
            after: fields.get("after").and_then(|n| self.duration(n)).unwrap_or(0),
            usage: fields.get("usage").map(|n| self.usage(n)).unwrap_or_default(),
            ..ScriptedAnswer::new(node.span, from, reply)
        }
    }

    fn error(&mut self, node: &Node<'_>) -> ScriptedReply {
        let nothing = ScriptedReply::Value(Data::default());
        if node.scalar().is_some_and(|s| !s.is_empty()) {
            let Some(kind) = self.text(node, "an error's kind") else { return nothing };
            return failed(kind, Data::Value(Str::new().into()), Data::default(), None, false);
        }
        let Some(fields) = self.fields(node, "an error", FAILURE) else {
            return nothing;
        };
        let Some(kind) = fields.get("kind") else {
            self.missing("kind", "an error", node.span.head(), "kind: tool_failed");
            return nothing;
        };
        let Some(kind) = self.text(kind, "an error's kind") else { return nothing };
        let message = fields.get("message").map_or_else(|| Data::Value("".into()), |n| self.data(n));
        let details = fields.get("details").map(|n| self.data(n)).unwrap_or_default();
        let retry_after = fields.get("retry_after").and_then(|n| self.duration(n));
        let never_began = fields.get("never_began").and_then(|n| self.flag(n)).is_some_and(|flag| flag.value);
        failed(kind, message, details, retry_after, never_began)
    }

    fn usage(&mut self, node: &Node<'_>) -> Usage {
        let mut usage = Usage::default();
        let Some(fields) = self.fields(node, "`usage`", USAGE) else {
            return usage;
        };
        let mut count = |key: &str| fields.get(key).and_then(|n| self.count(n)).unwrap_or(0);
        usage.input_tokens = count("input_tokens");
        usage.cached_tokens = count("cached_tokens");
        usage.cache_write_tokens = count("cache_write_tokens");
        usage.output_tokens = count("output_tokens");
        usage.reasoning_tokens = count("reasoning_tokens");
        if let Some(cost) = fields.get("cost") {
            let text = cost.scalar().map(|s| s.text.trim()).unwrap_or_default();
            match usd::parse(text).ok().and_then(|nano| u64::try_from(nano).ok()) {
                Some(nano) => usage.cost = nano,
                None => self.wrong(cost, "an amount of money in dollars, such as `0.002`"),
            }
        }
        usage
    }
}

fn wraps(node: &Node<'_>, keys: &[FileKey]) -> bool {
    let NodeKind::Mapping(entries) = &node.kind else { return false };
    let value = |key: &str| entries.iter().find(|e| e.name() == key).map(|e| &e.value);
    let is_error = matches!(value("error").map(|v| &v.kind), Some(NodeKind::Mapping(inner))
        if inner.iter().any(|e| e.name() == "kind"));
    let has = |keys: &[FileKey], name: &str| keys.iter().any(|key| key.name == name);
    let known = entries.iter().all(|e| has(keys, e.name()));
    let around = entries.iter().any(|e| has(AROUND, e.name()));
    known && ((has(keys, "error") && is_error) || (value("ok").is_some() && around))
}

fn failed(
    kind: Spanned<Str>,
    message: Data,
    details: Data,
    retry_after: Option<i64>,
    never_began: bool,
) -> ScriptedReply {
    if kind.value == "unknown" {
        return ScriptedReply::Unknown(message);
    }
    let empty = matches!(&message, Data::Value(Value::Str(text)) if text.is_empty());
    let message = if empty { Data::Value(kind.value.clone().into()) } else { message };
    ScriptedReply::Failed { kind, message, details, retry_after, never_began }
}
