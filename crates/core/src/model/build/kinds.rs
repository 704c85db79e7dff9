//! Builds the work of each kind of node from its keys.

use std::sync::Arc;

use super::amounts::one_of;
use super::calls;
use super::context::{Context, named, text};
use super::keys::Keys;
use super::models;
use super::names::name_source;
use super::prompt::{string, text_key};
use super::work::{Work, reported, resolve};
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::name_use::NameKind;
use crate::model::node::{FinalNode, HumanNode, NameSource, NodeId, NodeKind, ToolNode};
use crate::model::types::{EnumType, Kind, Type};
use crate::model::typing::Cx;
use crate::program::graph::Delivery;
use crate::source::{Span, Spanned};
use crate::syntax::KindName;
use crate::syntax::ast::{self, Literal, Name};
use crate::syntax::tree::KeyValue;
use crate::value::{Str, Value};

/// Types the keys of a node after its entry statements. What is wrong is reported and left out.
pub(super) fn work(cx: &Context<'_>, id: NodeId, kind: KindName, keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    match kind {
        KindName::Action => Work::pure(NodeKind::Action),
        KindName::Choice => Work::pure(NodeKind::Choice),
        KindName::Composite => Work::pure(composite(cx, id, at)),
        KindName::Model => models::model(cx, keys, at),
        KindName::Tool => tool(cx, keys, at),
        KindName::Human => human(cx, keys, at),
        KindName::Call => calls::call(cx, keys, at),
        KindName::Each => calls::each(cx, id, keys, at),
        KindName::Parallel => calls::parallel(cx, id, keys, at),
        KindName::Wait => wait(keys, at),
        KindName::Final => final_node(cx, id, keys, at),
    }
}

fn composite(cx: &Context<'_>, id: NodeId, at: &mut Cx<'_>) -> NodeKind {
    let plan = cx.plan.at(id);
    let decl = plan.decl;
    if plan.children.is_empty() && !decl.unread.has_key("nodes") {
        let message = format!("the composite `{}` contains no nodes", decl.name.value);
        at.report(
            Diagnostic::error(rule::MISSING_KEY, decl.name.span, message)
                .help("add at least one node under `nodes`"),
        );
    } else if !plan.children.is_empty() && decl.start.is_none() && !decl.unread.has_key("start") {
        let first = cx.plan.at(plan.children[0]).decl.name.as_str();
        let message = format!("the composite `{}` has no `start`", decl.name.value);
        at.report(
            Diagnostic::error(rule::MISSING_KEY, decl.name.span, message)
                .help(format!("add `start: {first}`")),
        );
    }
    NodeKind::Composite(crate::model::node::Composite {
        start: cx.plan.first(id),
        start_label: decl.start.as_ref().and_then(|s| text(s.label.as_ref())),
        children: plan.children.clone(),
        slots: Vec::new(),
        budgets: Vec::new(),
        families: Vec::new(),
        pause: decl.pause.as_ref().map(|pause| {
            // It is tested all over the composite: nothing is known there.
            let known = std::mem::take(&mut at.facts);
            let pause = super::sections::pause(cx, pause, at);
            at.facts = known;
            Box::new(pause)
        }),
    })
}

fn tool(_: &Context<'_>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    let tool = name_source(keys, "tool", "tool_of", "a `tool`", "tool: name", at);
    let allow: Vec<Spanned<Str>> = keys.names("allow", at).into_iter().flatten().map(named).collect();
    let fixed = if let NameSource::Fixed(name) = &tool { Some(name) } else { None };
    for name in fixed.into_iter().chain(&allow).filter(|name| !name.value.is_empty()) {
        at.recorder().note(NameKind::Tool, &name.value, name.span, None, None);
    }
    if let NameSource::Fixed(name) = &tool
        && !allow.is_empty()
        && !name.value.is_empty()
        && !allow.contains(name)
    {
        let message = format!("`{}` is not among the tools that `allow` lets through", name.value);
        at.report(
            Diagnostic::error(rule::CONFLICTING_KEYS, name.span, message)
                .help("add it there, or remove `allow`"),
        );
    }
    let args = args(keys, at);
    let delivery = delivery(keys, at);
    let node = ToolNode { tool, args, allow, into: None, delivery };
    Work::effect(NodeKind::Tool(Box::new(node)), Type::of(Kind::Any))
}

/// The delivery that a node asks for; the least strict one is in force without it, or never.
fn delivery(keys: &Keys<'_>, at: &mut Cx<'_>) -> Option<Delivery> {
    let word = keys.name("delivery", at).cloned()?;
    let delivery = reported(at, |sink| one_of(&word, word.span, "delivery", &Delivery::ALL, sink));
    if delivery == Some(Delivery::Pure) {
        let message = "`delivery: pure` on a node has no effect: a node can only ask for a stricter delivery than its tool's own";
        let finding = Diagnostic::error(rule::WEAK_DELIVERY, word.span, message);
        at.report(
            finding.help("remove it, and declare the tool with `delivery = \"pure\"` in `loopwright.toml`"),
        );
    }
    delivery
}

fn args(keys: &Keys<'_>, at: &mut Cx<'_>) -> Option<Expr> {
    let map = Type::of(Kind::Map(Arc::new(Type::of(Kind::Any))));
    match keys.value("args")? {
        KeyValue::Expr(expr) => Some(at.check(expr, &map)),
        KeyValue::Fields(fields) => {
            let entries = fields.iter().map(|(name, value)| (literal(name), value.clone())).collect();
            let span = fields.first().zip(fields.last()).map_or(keys.span(), |(a, b)| a.0.span.to(b.1.span));
            Some(at.check(&ast::Expr { kind: ast::ExprKind::Map(entries), span }, &map))
        }
        _ => {
            let span = keys.span_of("args").unwrap_or(keys.span());
            at.report(Diagnostic::error(
                rule::WRONG_FORM,
                span,
                "`args` takes a mapping of expressions, or one expression",
            ));
            None
        }
    }
}

fn literal(name: &Name) -> ast::Expr {
    ast::Expr { kind: ast::ExprKind::Literal(Literal::String(name.value.clone())), span: name.span }
}

fn human(cx: &Context<'_>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    let ask = text_key(cx, keys, "ask", at);
    if !keys.has("ask") {
        keys.missing("an `ask`", "ask: name_of_a_text", at);
    }
    if let (Some(_), Some(second)) = (keys.value("options"), keys.span_of("answer")) {
        let fault =
            Diagnostic::error(rule::CONFLICTING_KEYS, second, "`options` and `answer` exclude each other");
        at.report(fault.help("`options` is short for an answer of type enum(…)"));
    }
    let answer = match (keys.names("options", at), keys.ty("answer", at)) {
        (Some(options), _) => options_type(options, at),
        (None, Some(ty)) => resolve(cx, ty, at),
        (None, None) => string(),
    };
    let node = HumanNode { ask, answer: answer.clone(), into: None };
    Work::effect(NodeKind::Human(Box::new(node)), answer)
}

fn options_type(options: &[Name], at: &mut Cx<'_>) -> Type {
    let mut members: Vec<Str> = Vec::with_capacity(options.len());
    for option in options {
        if members.iter().any(|m| *m == option.value) {
            let message = format!("the option `{}` occurs twice", option.value);
            at.report(Diagnostic::error(rule::DUPLICATE_NAME, option.span, message));
        } else {
            members.push(option.as_str().into());
        }
    }
    Type::of(Kind::Enum(Arc::new(EnumType { name: None, members })))
}

fn wait(keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    let delay = if let Some(delay) = keys.expr("delay", at) {
        at.check(delay, &Type::of(Kind::Duration))
    } else {
        if !keys.has("delay") {
            keys.missing("a `delay`", "delay: 30s", at);
        }
        constant(Value::Duration(0), Type::of(Kind::Duration), keys.span())
    };
    Work { kind: NodeKind::Wait(delay), result: None, into: Vec::new() }
}

fn final_node(cx: &Context<'_>, id: NodeId, keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    let outcome = keys.expr("outcome", at).map(|expr| at.check(expr, &string()));
    let ok = keys.expr("ok", at).map(|expr| at.condition(expr));
    let alias = cx.plan.at(id).decl.alias.as_ref();
    if let Some(word) = alias.filter(|word| word.value != "end") {
        let fault = Diagnostic::error(
            rule::UNKNOWN_WORD,
            word.span,
            format!("`as` of a final cannot be `{}`", word.value),
        );
        at.report(fault.help("`as: end` draws it as a bullet alone"));
    }
    Work::pure(NodeKind::Final(Box::new(FinalNode { outcome, ok, as_end: alias.is_some() })))
}

/// `timeout` of a node.
pub(super) fn timeout(keys: &Keys<'_>, at: &mut Cx<'_>) -> Option<Expr> {
    let timeout = keys.expr("timeout", at)?;
    Some(at.check(timeout, &Type::of(Kind::Duration)))
}

/// A value that nobody wrote.
pub(super) fn constant(value: Value, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(value), ty, span }
}
