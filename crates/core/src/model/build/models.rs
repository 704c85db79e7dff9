//! Builds nodes that ask a model.

use super::context::{Context, Replies, named};
use super::keys::Keys;
use super::limits::limits;
use super::names::name_source;
use super::prompt::{string, text_key};
use super::work::{Work, resolve};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::Expr;
use crate::model::load::Unit;
use crate::model::name_use::NameKind;
use crate::model::node::{ModelNode, NameSource, NodeKind, Offer, Typed};
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Builtins, Cx, Scope, position};
use crate::source::Spanned;
use crate::syntax::ast::Name;
use crate::syntax::tree::{KeyValue, each_node};
use crate::value::Str;

/// Declares the types of replies that hold a typed answer.
pub(super) fn replies(unit: &Unit, builtins: &Builtins, scope: &Scope, types: &mut TypeTable) -> Replies {
    let mut found = Replies::default();
    each_node(&unit.tree.nodes, &mut |node| {
        let offers = node.keys.iter().any(|(key, _)| ["offer", "offer_of"].contains(&key.value.as_str()));
        let output = node.keys.iter().find_map(|(key, value)| match value {
            KeyValue::Type(ty) if key.value == "output" => Some(ty),
            _ => None,
        });
        let Some(output) = output.filter(|_| offers) else { return };
        // A fault of the type is reported where the node is built.
        let answer = scope.types.resolve(output, &mut Vec::new());
        if answer != builtins.conversation.reply {
            let name = ecow::eco_format!("reply of {}", node.name.value);
            found.insert(output.span, builtins.conversation.reply_with(types, &name, &answer));
        }
    });
    found
}

/// Types the keys of a node that asks a model.
pub(super) fn model(cx: &Context<'_>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    let role = role(cx, keys, at);
    let system = text_key(cx, keys, "system", at);
    let prompt = text_key(cx, keys, "prompt", at);
    let messages = messages(cx, keys, at);
    if !["system", "prompt", "messages"].iter().any(|key| keys.has(key)) {
        keys.missing("a `prompt`", "prompt: name_of_a_text", at);
    }
    let offer = offer(keys, at);
    let (output, reply) = answer(cx, keys, at);
    let limits = limits(cx, keys, &output, at);
    let result = reply.clone().unwrap_or_else(|| output.clone());
    let stream = keys.name("stream", at).and_then(|field| stream(cx, field, &result, at));
    let cache = keys.flag("cache", at).is_some_and(|flag| flag.value);
    let node =
        ModelNode { role, system, prompt, messages, offer, output, limits, reply, stream, into: None, cache };
    Work::effect(NodeKind::Model(Box::new(node)), result)
}

fn messages(cx: &Context<'_>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Option<Expr> {
    if let (Some(_), Some(second)) = (keys.value("prompt"), keys.span_of("messages")) {
        let message = "`prompt` and `messages` exclude each other";
        let fault = Diagnostic::error(rule::CONFLICTING_KEYS, second, message);
        at.report(fault.help("append the prompt to the messages: Message{from: 'user', text: …}"));
    }
    let messages = keys.expr("messages", at)?;
    let message = cx.scope.conversation().message.clone();
    Some(at.check(messages, &Type::of(Kind::List(message.into(), None))))
}

fn offer(keys: &Keys<'_>, at: &mut Cx<'_>) -> Offer<Typed> {
    if let (Some(_), Some(second)) = (keys.value("offer"), keys.span_of("offer_of")) {
        let message = "`offer` and `offer_of` exclude each other";
        at.report(Diagnostic::error(rule::CONFLICTING_KEYS, second, message).help("keep one of them"));
    }
    if let Some(names) = keys.expr("offer_of", at) {
        return Offer::Computed(at.check(names, &Type::of(Kind::List(string().into(), None))));
    }
    let names = keys.names("offer", at).into_iter().flatten();
    let mut offered: Vec<Spanned<Str>> = Vec::new();
    for name in names {
        if offered.iter().any(|other| other.value == name.value) {
            let message = format!("the tool `{}` is offered twice", name.value);
            at.report(Diagnostic::error(rule::DUPLICATE_NAME, name.span, message));
        } else {
            at.recorder().note(NameKind::Tool, name, name.span, None, None);
            offered.push(named(name));
        }
    }
    Offer::Fixed(offered)
}

/// The type of the typed answer, and that of the reply where the node takes one.
fn answer(cx: &Context<'_>, keys: &Keys<'_>, at: &mut Cx<'_>) -> (Type, Option<Type>) {
    let reply = &cx.scope.conversation().reply;
    let offers = keys.has("offer") || keys.has("offer_of");
    match keys.ty("output", at) {
        None if offers => (string(), Some(reply.clone())),
        None => (string(), None),
        Some(written) => match resolve(cx, written, at) {
            ty if ty == *reply => (string(), Some(ty)),
            ty => (ty, cx.replies.get(&written.span).cloned()),
        },
    }
}

fn role(cx: &Context<'_>, keys: &Keys<'_>, at: &mut Cx<'_>) -> NameSource {
    let source = name_source(keys, "role", "role_of", "a `role`", "role: name", at);
    let declared = &cx.unit.tree.roles;
    if let NameSource::Fixed(name) = &source {
        at.recorder().note(NameKind::Role, &name.value, name.span, None, None);
    }
    if let NameSource::Fixed(name) = &source
        && !declared.is_empty()
        && !name.value.is_empty()
        && !declared.iter().any(|role| role.name.value == name.value.as_str())
    {
        let fault =
            Diagnostic::error(rule::UNKNOWN_ROLE, name.span, format!("there is no role `{}`", name.value));
        at.report(fault.meant_or(
            nearest(&name.value, declared.iter().map(|role| role.name.as_str())),
            "declare it under `roles`",
        ));
    }
    source
}

fn stream(cx: &Context<'_>, field: &Name, output: &Type, at: &mut Cx<'_>) -> Option<Spanned<Str>> {
    let Kind::Record(id) = output.kind else {
        if !matches!(output.kind, Kind::Error) {
            let fault = Diagnostic::error(
                rule::UNKNOWN_FIELD,
                field.span,
                "`stream` names a field of the answer, but the answer is not a record",
            );
            at.report(fault.help("give `output` a record type, or remove `stream`"));
        }
        return None;
    };
    let record = cx.types.record(id);
    let Some(place) = position(record, field) else {
        let message = format!("`{}` has no field `{}`", record.name, field.value);
        let fault = Diagnostic::error(rule::UNKNOWN_FIELD, field.span, message);
        let texts = record.fields.iter().filter(|own| matches!(own.ty.kind, Kind::String(_)));
        let texts: Vec<&str> = texts.map(|own| own.name.as_str()).collect();
        at.report(fault.meant_or(
            nearest(field, texts.iter().copied()),
            match texts.as_slice() {
                [] => format!("`stream` names a field that is a string, and `{}` has none", record.name),
                all => format!("`stream` names a field that is a string: {}", all.join(", ")),
            },
        ));
        return None;
    };
    if !matches!(record.fields[place].ty.kind, Kind::String(_)) {
        let message = format!("only a string can be streamed, `{}` is none", field.value);
        at.report(Diagnostic::error(rule::TYPE_MISMATCH, field.span, message));
    }
    Some(named(field))
}
