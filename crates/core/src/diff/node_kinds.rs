//! Compares nodes kind by kind.

use std::fmt::Write as _;

use super::item::{DiffItem, ItemFact};
use super::side::Side;
use crate::model::expr::{Expr, SlotKind};
use crate::model::graph::GraphId;
use crate::model::node::{Candidate, Composite, NodeId, NodeKind, Pause, Typed};
use crate::program::graph::{Linked, LinkedNodeKind as Code, PauseCode};
use crate::program::kind::{self, Field, KindParts};
use crate::program::op::OpId;
use crate::source::Span;

/// Adds the facts of the node's kind.
pub(super) fn facts(side: &mut Side<'_>, id: NodeId, facts: &mut Vec<ItemFact>) {
    let span = side.graph.graph[id].name.span;
    let (node, code) = side.kinds(id.index());
    if let NodeKind::Composite(node) = node {
        composite(side, node, code, span, facts);
    }
    parts(side, "", (node.parts(), code.parts()), span, facts);
    if let NodeKind::Final(node) = node
        && node.as_end
    {
        facts.push(ItemFact::plain("as", "drawn-as-changed", "end", span));
    }
}

/// Adds a fact for each key. `within` is the path of the branch they belong to, with a dot after it.
fn parts(
    side: &mut Side<'_>,
    within: &str,
    (parts, codes): (KindParts<'_, Typed>, KindParts<'_, Linked>),
    span: Span,
    facts: &mut Vec<ItemFact>,
) {
    for ((key, field), (_, code)) in parts.into_iter().zip(codes) {
        match (field, code) {
            (Field::Called(graph, with), Field::Called(_, code)) => {
                let name = side.graphs[graph.0 as usize].clone();
                facts.push(ItemFact::plain(format!("{within}{}", key.name), key.slug, name.as_str(), span));
                inputs(side, within, *graph, (with, code), facts);
            }
            (Field::Candidates(among), Field::Candidates(codes)) => {
                candidates(side, within, (among, codes), span, facts);
            }
            (Field::Branch(name, parts), Field::Branch(_, codes)) => {
                let within = format!("{}.{}.", key.name, name.value);
                self::parts(side, &within, (parts, codes), name.span, facts);
            }
            (field, code) => {
                facts.extend(fact(side, &format!("{within}{}", key.name), key.slug, field, &code, span));
            }
        }
    }
}

/// The fact of one key.
fn fact(
    side: &mut Side<'_>,
    path: &str,
    slug: &'static str,
    field: Field<'_, Typed>,
    code: &Field<'_, Linked>,
    span: Span,
) -> Option<ItemFact> {
    match (field, code) {
        (Field::Expr(expr) | Field::Items(expr, _), Field::Expr(op) | Field::Items(op, _)) => {
            Some(side.expr(path, slug, expr, **op))
        }
        (Field::Text(text), Field::Text(code)) => side.text(path, slug, Some((text, **code)), span),
        (Field::Name(name), Field::Name(code)) => Some(side.name(path, slug, name, code)),
        (Field::Place(place), Field::Place(code)) => side.place(path, slug, Some((place, code))),
        (Field::Merge(place, output), Field::Merge(code, _)) => {
            let mut fact = side.place(path, slug, Some((place, code)))?;
            let _ = write!(fact.abridged.meaning, " with output {output}");
            Some(fact)
        }
        (Field::Answer(_), Field::Answer(code)) => {
            Some(ItemFact::plain(path, slug, side.words.shape(code.shape), span))
        }
        (Field::Word(word), _) => Some(ItemFact::plain(path, slug, word.value.as_str(), word.span)),
        (Field::Words(words), _) => {
            let names = words.iter().map(|word| word.value.to_string()).collect();
            Some(ItemFact::list(path, slug, names, words.first()?.span))
        }
        (Field::Choice(word), _) => Some(ItemFact::plain(path, slug, word, span)),
        (Field::Flag, _) => Some(ItemFact::plain(path, slug, "true", span)),
        _ => None,
    }
}

/// The graphs of which one is called, and their inputs, each once. `key` is that of the branch, with a dot after it.
fn candidates(
    side: &mut Side<'_>,
    key: &str,
    (among, codes): (&[Candidate], &[kind::Candidate<Linked>]),
    span: Span,
    facts: &mut Vec<ItemFact>,
) {
    let graphs = among.iter().map(|one| {
        let graph = &side.graphs[one.callable.graph.0 as usize];
        format!("{}: {graph}", one.name.value)
    });
    let at = among.first().map_or(span, |first| first.name.span);
    facts.push(ItemFact::list(format!("{key}graphs"), "graphs-changed", graphs.collect(), at));
    for (one, code) in among.iter().zip(codes) {
        let mut given = Vec::new();
        let callable = &one.callable;
        inputs(side, key, callable.graph, (&callable.with, &code.callable.with), &mut given);
        given.retain(|new| facts.iter().all(|fact| fact.key != new.key));
        facts.append(&mut given);
    }
}

/// The inputs that a called graph gets. `key` is that of the branch, with a dot after it.
fn inputs(
    side: &mut Side<'_>,
    key: &str,
    graph: GraphId,
    (with, code): (&[Option<Expr>], &[Option<OpId>]),
    facts: &mut Vec<ItemFact>,
) {
    let child = &side.all[graph.0 as usize];
    let slots = child.slots.iter().filter(|slot| slot.kind == SlotKind::Input);
    for (slot, (expr, op)) in slots.zip(with.iter().zip(code)) {
        let key = format!("{key}with.{}", slot.name.value);
        facts.extend(side.optional(&key, "with-changed", expr.as_ref(), *op));
    }
}

/// Takes the facts about branches out of a node's, and makes an item of each branch.
pub(super) fn branches(node: &mut DiffItem) -> Vec<DiffItem> {
    let (inside, own) =
        std::mem::take(&mut node.facts).into_iter().partition(|f| f.key.starts_with("branches."));
    node.facts = own;
    let mut items: Vec<DiffItem> = Vec::new();
    let inside: Vec<ItemFact> = inside;
    for mut fact in inside {
        let mut words = fact.key.splitn(3, '.').skip(1).map(str::to_owned);
        let (Some(name), Some(key)) = (words.next(), words.next()) else { continue };
        fact.key = key;
        match items.last_mut().filter(|item| item.name == name) {
            Some(item) => item.facts.push(fact),
            None => items.push(DiffItem {
                path: format!("{}.branches.{name}", node.path),
                owner: format!("branch `{name}` of the {}", node.owner),
                span: fact.abridged.span,
                facts: vec![fact],
                name,
            }),
        }
    }
    items
}

/// The pause of a composite, its start.
fn composite(side: &mut Side<'_>, composite: &Composite, code: &Code, span: Span, facts: &mut Vec<ItemFact>) {
    let start = side.nodes[composite.start.index()].as_str();
    facts.push(ItemFact::plain("start", "start-changed", start, span));
    let label = composite.start_label.as_deref();
    facts.extend(label.map(|label| ItemFact::plain("start.label", "start-label-changed", label, span)));
    if let (Some(pause), Code::Composite(code)) = (&composite.pause, code)
        && let Some(code) = code.pause
    {
        facts.extend(self::pause(side, pause, code));
    }
}

/// The pause of a graph or composite.
pub(super) fn pause(side: &mut Side<'_>, pause: &Pause, code: PauseCode) -> Vec<ItemFact> {
    let mut facts = vec![side.expr("pause.when", "pause-changed", &pause.when, code.when)];
    let ask = pause.ask.as_ref().zip(code.ask);
    facts.extend(side.text("pause.ask", "pause-ask-changed", ask, pause.span));
    facts
}
