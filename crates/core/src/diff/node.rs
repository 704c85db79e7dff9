//! Nodes.

use rustc_hash::FxHashMap;

use super::change::Draft;
use super::declared::{BUDGETS, FAMILIES, STATE, budgets, families, other_triggers, slots};
use super::item::{DiffItem, ItemFact, Section, compare as compare_items, facts as compare_facts, whole};
use super::order::moved;
use super::piece::DraftSide;
use super::side::Side;
use super::sides::Sides;
use super::{edge, node_kinds};
use crate::model::expr::BudgetId;
use crate::model::node::{Composite, NodeId, NodeKind, Retry};
use crate::program::graph::RetryCode;

/// Compares the nodes of a graph with their edges and declarations.
pub(super) fn compare(sides: &mut Sides<'_>, out: &mut Vec<Draft>) {
    let after = &sides.after;
    let places: FxHashMap<String, NodeId> =
        after.graph.graph.node_indices().map(|id| (after.nodes[id.index()].to_string(), id)).collect();
    let mut found = vec![false; after.nodes.len()];
    for id in sides.before.graph.graph.node_indices() {
        match places.get(sides.before.nodes[id.index()].as_str()) {
            Some(other) => {
                found[other.index()] = true;
                pair(sides, id, *other, out);
            }
            None => out.push(lone(&mut sides.before, id, "node-removed", true)),
        }
    }
    for id in sides.after.graph.graph.node_indices().filter(|id| !found[id.index()]) {
        out.push(lone(&mut sides.after, id, "node-added", false));
    }
    let (one, other) = (top(&sides.before), top(&sides.after));
    order(sides, &one, &other, "nodes", "nodes", out);
}

fn top(side: &Side<'_>) -> Vec<NodeId> {
    let graph = &side.graph.graph;
    graph.node_indices().filter(|id| graph[*id].parent.is_none()).collect()
}

/// A node in both versions.
fn pair(sides: &mut Sides<'_>, one: NodeId, other: NodeId, out: &mut Vec<Draft>) {
    let (mut item, mut now) = (item(&mut sides.before, one), item(&mut sides.after, other));
    let ((kind, _), (now_kind, _)) = (sides.before.kinds(one.index()), sides.after.kinds(other.index()));
    if std::mem::discriminant(kind) != std::mem::discriminant(now_kind) {
        // What only one of the kinds has goes and comes with the kind.
        let keys = |item: &DiffItem| item.facts.iter().map(|fact| fact.key.clone()).collect::<Vec<_>>();
        let (own, others) = (keys(&item), keys(&now));
        item.facts.retain(|fact| others.contains(&fact.key));
        now.facts.retain(|fact| own.contains(&fact.key));
    }
    let pure = |kind: &NodeKind| matches!(kind, NodeKind::Action | NodeKind::Choice);
    if pure(kind) && pure(now_kind) {
        // A choice is an action without statements that is drawn in another way.
        item.facts[0].slug = "node-shape-changed";
    }
    let (branches, now_branches) = (node_kinds::branches(&mut item), node_kinds::branches(&mut now));
    compare_facts(&item, &item.facts, &now.facts, out);
    let section = Section {
        path: &format!("{}.branches", item.path),
        added: "branch-added",
        removed: "branch-removed",
        order: Some("branch-order-changed"),
        noun: &format!("branches of the {}", item.owner),
    };
    compare_items(&branches, &now_branches, section, out);
    edge::compare(sides, one, other, &item, out);
    let within = format!("{}.", item.path);
    let (inside, now_inside) = (inside(kind), inside(now_kind));
    let lists = inner(&mut sides.before, inside, &within);
    for ((section, one), (_, other)) in lists.into_iter().zip(inner(&mut sides.after, now_inside, &within)) {
        let (path, noun) =
            (format!("{within}{}", section.path), format!("{} of the {}", section.noun, item.owner));
        compare_items(&one, &other, Section { path: &path, noun: &noun, ..section }, out);
    }
    let noun = format!("nodes of the {}", item.owner);
    let children = |composite: Option<&Composite>| composite.map_or_else(Vec::new, |c| c.children.clone());
    order(sides, &children(inside), &children(now_inside), &format!("{within}nodes"), &noun, out);
}

const fn inside(kind: &NodeKind) -> Option<&Composite> {
    if let NodeKind::Composite(composite) = kind { Some(composite) } else { None }
}

/// The declarations of a composite; nothing for other nodes.
fn inner(
    side: &mut Side<'_>,
    composite: Option<&Composite>,
    within: &str,
) -> [(Section<'static>, Vec<DiffItem>); 3] {
    let Some(composite) = composite else {
        return [(STATE, Vec::new()), (FAMILIES, Vec::new()), (BUDGETS, Vec::new())];
    };
    let graph = side.graph;
    let meters =
        composite.families.iter().flat_map(|id| graph.families[id.0 as usize].meters.iter().copied());
    let mut ids: Vec<BudgetId> = composite.budgets.iter().copied().chain(meters).collect();
    ids.sort_unstable();
    [
        (STATE, slots(side, &composite.slots, within)),
        (FAMILIES, families(side, &composite.families, within)),
        (BUDGETS, budgets(side, &ids, within)),
    ]
}

/// A node that is in one version only.
fn lone(side: &mut Side<'_>, id: NodeId, slug: &'static str, is_before: bool) -> Draft {
    let mut item = item(side, id);
    if let (NodeKind::Composite(composite), _) = side.kinds(id.index()) {
        let within = format!("{}.", item.path);
        for (_, items) in inner(side, Some(composite), &within) {
            for inner in items {
                let key = inner.path.strip_prefix(&within).unwrap_or_default().to_owned();
                let facts = inner
                    .facts
                    .into_iter()
                    .map(|fact| ItemFact { key: format!("{key}.{}", fact.key), ..fact });
                item.facts.extend(facts);
            }
        }
    }
    item.facts.extend(other_triggers(side, id));
    whole(slug, &item, is_before)
}

fn item(side: &mut Side<'_>, id: NodeId) -> DiffItem {
    let name = side.nodes[id.index()].to_string();
    DiffItem {
        path: format!("nodes.{name}"),
        owner: format!("node `{name}`"),
        name,
        span: side.graph.graph[id].name.span,
        facts: facts(side, id),
    }
}

/// Everything about a node but its name, its edges and what it declares.
pub(super) fn facts(side: &mut Side<'_>, id: NodeId) -> Vec<ItemFact> {
    let (graph, code) = (side.graph, &side.code.nodes[id.index()]);
    let node = &graph.graph[id];
    let span = node.name.span;
    let mut facts = vec![ItemFact::plain("kind", "node-kind-changed", node.kind.name(), span)];
    let shown = [("title", "title-changed", &node.title), ("doc", "doc-changed", &node.doc)];
    facts.extend(
        shown
            .into_iter()
            .filter_map(|(key, slug, text)| Some(ItemFact::plain(key, slug, text.as_deref()?, span))),
    );
    if let Some(parent) = node.parent {
        facts.push(ItemFact::plain("parent", "node-moved", side.nodes[parent.index()].as_str(), span));
    }
    facts.extend(side.block("do", "entry-changed", &node.entry, code.entry));
    node_kinds::facts(side, id, &mut facts);
    facts.extend(side.optional("timeout", "timeout-changed", node.timeout.as_ref(), code.timeout));
    if let Some((retry, code)) = node.retry.as_ref().zip(code.retry.as_ref()) {
        self::retry(side, retry, code, &mut facts);
    }
    facts.extend(side.block("then", "then-changed", &node.then, code.then));
    facts
}

fn retry(side: &mut Side<'_>, retry: &Retry, code: &RetryCode, facts: &mut Vec<ItemFact>) {
    const SLUG: &str = "retry-changed";
    facts.push(side.expr("retry.attempts", SLUG, &retry.attempts, code.attempts));
    let on = retry.on.iter().map(|word| word.value.to_string()).collect();
    facts.push(ItemFact::list(
        "retry.on",
        SLUG,
        on,
        retry.on.first().map_or(retry.attempts.span, |word| word.span),
    ));
    facts.extend(side.optional("retry.first", SLUG, retry.first.as_ref(), code.first));
    facts.extend(side.optional("retry.factor", SLUG, retry.factor.as_ref(), code.factor));
    facts.extend(side.optional("retry.max", SLUG, retry.max.as_ref(), code.max));
    facts.extend(side.optional("retry.jitter", SLUG, retry.jitter.as_ref(), code.jitter));
}

/// The order of the nodes in one composite, or of those in none.
fn order(sides: &Sides<'_>, one: &[NodeId], other: &[NodeId], path: &str, noun: &str, out: &mut Vec<Draft>) {
    let name = |side: &Side<'_>, id: NodeId| side.nodes[id.index()].clone();
    let places: FxHashMap<_, usize> =
        other.iter().enumerate().map(|(at, id)| (name(&sides.after, *id), at)).collect();
    let matched: Vec<(NodeId, usize)> =
        one.iter().filter_map(|id| Some((*id, *places.get(&name(&sides.before, *id))?))).collect();
    let positions: Vec<usize> = matched.iter().map(|(_, at)| *at).collect();
    let moved = moved(&positions);
    let Some(first) = moved.first() else { return };
    let (id, at) = matched[*first];
    let mut sorted = positions;
    sorted.sort_unstable();
    let list = |names: Vec<crate::value::Str>| names.join(", ");
    let before = list(matched.iter().map(|(id, _)| name(&sides.before, *id)).collect());
    let after = list(sorted.iter().map(|at| name(&sides.after, other[*at])).collect());
    let before = DraftSide::plain(before, sides.before.graph.graph[id].name.span);
    let after = DraftSide::plain(after, sides.after.graph.graph[other[at]].name.span);
    out.push(Draft::new("order-changed", path, noun, Some(before), Some(after)));
}
