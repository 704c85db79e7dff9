//! What nodes of each kind do.

use std::fmt::Write as _;

use super::item::{Fact, Item};
use super::side::Side;
use crate::model::expr::{Expr, Place, SlotKind};
use crate::model::graph::GraphId;
use crate::model::node::{
    CallNode, Composite, EachNode, FinalNode, HumanNode, ModelNode, NodeId, NodeKind, ParallelNode, Pause,
    ToolNode,
};
use crate::program::graph::{
    CallCode, Delivery, EachCode, HumanCode, ModelCode, NodeKind as Code, OnError, ParallelCode, PauseCode,
    PlaceCode, ToolCode,
};
use crate::program::op::OpId;
use crate::source::Span;

/// Adds the facts of the node's kind.
pub(super) fn facts(side: &mut Side<'_>, id: NodeId, facts: &mut Vec<Fact>) {
    let span = side.graph.graph[id].name.span;
    match side.kinds(id.index()) {
        (NodeKind::Composite(node), code) => composite(side, node, code, span, facts),
        (NodeKind::Model(node), Code::Model(code)) => model(side, node, code, span, facts),
        (NodeKind::Tool(node), Code::Tool(code)) => tool(side, node, code, span, facts),
        (NodeKind::Human(node), Code::Human(code)) => human(side, node, code, span, facts),
        (NodeKind::Call(node), Code::Call(code)) => call(side, node, code, span, facts),
        (NodeKind::Each(node), Code::Each(code)) => each(side, node, code, span, facts),
        (NodeKind::Parallel(node), Code::Parallel(code)) => parallel(side, node, code, span, facts),
        (NodeKind::Wait(delay), Code::Wait(code)) => {
            facts.push(side.expr("delay", "delay-changed", delay, *code));
        }
        (NodeKind::Final(node), Code::Final { outcome, ok }) => {
            end(side, node, (*outcome, *ok), span, facts);
        }
        _ => {}
    }
}

fn model(side: &mut Side<'_>, node: &ModelNode, code: &ModelCode, span: Span, facts: &mut Vec<Fact>) {
    facts.push(side.name("role", "role-changed", &node.role, &code.role));
    facts.extend(side.text("system", "system-changed", node.system.as_ref().zip(code.system), span));
    facts.extend(side.text("prompt", "prompt-changed", node.prompt.as_ref().zip(code.prompt), span));
    facts.push(Fact::plain("output", "answer-type-changed", side.words.shape(code.output), span));
    let stream = node.stream.as_ref();
    facts.extend(
        stream.map(|field| Fact::plain("stream", "stream-changed", field.value.as_str(), field.span)),
    );
    facts.extend(into(side, "into", node.into.as_ref(), code.into.as_ref()));
    if node.cache {
        facts.push(Fact::plain("cache", "cache-changed", "true", span));
    }
}

fn tool(side: &mut Side<'_>, node: &ToolNode, code: &ToolCode, span: Span, facts: &mut Vec<Fact>) {
    facts.push(side.name("tool", "tool-changed", &node.tool, &code.tool));
    facts.extend(side.optional("args", "args-changed", node.args.as_ref(), code.args));
    if let Some(first) = node.allow.first() {
        let names = node.allow.iter().map(|name| name.value.to_string()).collect();
        facts.push(Fact::list("allow", "allow-changed", names, first.span));
    }
    let delivery = node.delivery.map(Delivery::name);
    facts.extend(delivery.map(|name| Fact::plain("delivery", "delivery-changed", name, span)));
    facts.extend(into(side, "into", node.into.as_ref(), code.into.as_ref()));
}

fn human(side: &mut Side<'_>, node: &HumanNode, code: &HumanCode, span: Span, facts: &mut Vec<Fact>) {
    facts.extend(side.text("ask", "ask-changed", node.ask.as_ref().zip(code.ask), span));
    facts.push(Fact::plain("answer", "answer-type-changed", side.words.shape(code.answer), span));
    facts.extend(into(side, "into", node.into.as_ref(), code.into.as_ref()));
}

fn call(side: &mut Side<'_>, node: &CallNode, code: &CallCode, span: Span, facts: &mut Vec<Fact>) {
    called(side, "", node.graph, (&node.with, &code.with), span, facts);
    facts.extend(into(side, "into", node.into.as_ref(), code.into.as_ref()));
    if let (Some((place, output)), Some((code, _))) = (&node.merge, &code.merge)
        && let Some(mut fact) = side.place("merge", "merge-changed", Some((place, code)))
    {
        let _ = write!(fact.rough.meaning, " with output {output}");
        facts.push(fact);
    }
}

fn each(side: &mut Side<'_>, node: &EachNode, code: &EachCode, span: Span, facts: &mut Vec<Fact>) {
    facts.push(side.expr("over", "over-changed", &node.over, code.over));
    called(side, "", node.graph, (&node.with, &code.with), span, facts);
    facts.extend(side.optional("at_once", "at-once-changed", node.at_once.as_ref(), code.at_once));
    facts.extend(side.optional("limit", "lists-limit-changed", node.limit.as_ref(), code.limit));
    facts.extend(on_error(node.on_error, span));
    facts.extend(into(side, "into", node.into.as_ref(), code.into.as_ref()));
}

fn parallel(
    side: &mut Side<'_>,
    node: &ParallelNode,
    code: &ParallelCode,
    span: Span,
    facts: &mut Vec<Fact>,
) {
    facts.extend(on_error(node.on_error, span));
    for (branch, code) in node.branches.iter().zip(&code.branches) {
        let key = format!("branches.{}.", branch.name.value);
        called(side, &key, branch.graph, (&branch.with, &code.with), branch.name.span, facts);
        facts.extend(into(side, &format!("{key}into"), branch.into.as_ref(), code.into.as_ref()));
    }
}

fn end(
    side: &mut Side<'_>,
    node: &FinalNode,
    (outcome, ok): (Option<OpId>, Option<OpId>),
    span: Span,
    facts: &mut Vec<Fact>,
) {
    facts.extend(side.optional("outcome", "outcome-changed", node.outcome.as_ref(), outcome));
    facts.extend(side.optional("ok", "ok-changed", node.ok.as_ref(), ok));
    if node.as_end {
        facts.push(Fact::plain("as", "drawn-as-changed", "end", span));
    }
}

/// The graph that is called and the inputs it gets. `key` is that of the branch, with a dot behind it.
fn called(
    side: &mut Side<'_>,
    key: &str,
    graph: GraphId,
    (with, code): (&[Option<Expr>], &[Option<OpId>]),
    span: Span,
    facts: &mut Vec<Fact>,
) {
    let name = side.graphs[graph.0 as usize].clone();
    facts.push(Fact::plain(format!("{key}graph"), "called-graph-changed", name.as_str(), span));
    let child = &side.all[graph.0 as usize];
    let inputs = child.slots.iter().filter(|slot| slot.kind == SlotKind::Input);
    for (slot, (expr, op)) in inputs.zip(with.iter().zip(code)) {
        let key = format!("{key}with.{}", slot.name.value);
        facts.extend(side.optional(&key, "with-changed", expr.as_ref(), *op));
    }
}

fn into(side: &mut Side<'_>, key: &str, place: Option<&Place>, code: Option<&PlaceCode>) -> Option<Fact> {
    side.place(key, "into-changed", place.zip(code))
}

fn on_error(on_error: OnError, span: Span) -> Option<Fact> {
    (on_error == OnError::Collect).then(|| Fact::plain("on_error", "on-error-changed", "collect", span))
}

/// Takes the facts about branches out of a node's, and makes an item of each branch.
pub(super) fn branches(node: &mut Item) -> Vec<Item> {
    let (inside, own) =
        std::mem::take(&mut node.facts).into_iter().partition(|f| f.key.starts_with("branches."));
    node.facts = own;
    let mut items: Vec<Item> = Vec::new();
    let inside: Vec<Fact> = inside;
    for mut fact in inside {
        let mut words = fact.key.splitn(3, '.').skip(1).map(str::to_owned);
        let (Some(name), Some(key)) = (words.next(), words.next()) else { continue };
        fact.key = key;
        match items.last_mut().filter(|item| item.name == name) {
            Some(item) => item.facts.push(fact),
            None => items.push(Item {
                path: format!("{}.branches.{name}", node.path),
                owner: format!("branch `{name}` of the {}", node.owner),
                span: fact.rough.span,
                facts: vec![fact],
                name,
            }),
        }
    }
    items
}

/// The pause of a composite, its start.
fn composite(side: &mut Side<'_>, composite: &Composite, code: &Code, span: Span, facts: &mut Vec<Fact>) {
    let start = side.nodes[composite.start.index()].as_str();
    facts.push(Fact::plain("start", "start-changed", start, span));
    let label = composite.start_label.as_deref();
    facts.extend(label.map(|label| Fact::plain("start.label", "start-label-changed", label, span)));
    if let (Some(pause), Code::Composite(code)) = (&composite.pause, code)
        && let Some(code) = code.pause
    {
        facts.extend(self::pause(side, pause, code));
    }
}

/// The pause of a graph or composite.
pub(super) fn pause(side: &mut Side<'_>, pause: &Pause, code: PauseCode) -> Vec<Fact> {
    let mut facts = vec![side.expr("pause.when", "pause-changed", &pause.when, code.when)];
    let ask = pause.ask.as_ref().zip(code.ask);
    facts.extend(side.text("pause.ask", "pause-ask-changed", ask, pause.span));
    facts
}
