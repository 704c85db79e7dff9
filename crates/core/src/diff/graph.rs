//! One graph as a whole.

use super::change::Draft;
use super::item::{DiffItem, ItemFact, compare as compare_items, facts as compare_facts};
use super::piece::DraftSide;
use super::side::Side;
use super::sides::Sides;
use super::{declared, edge, node, node_kinds};
use crate::value::Str;

/// Compares everything of one graph.
pub(super) fn compare(sides: &mut Sides<'_>) -> Vec<Draft> {
    let mut out = Vec::new();
    let graph = head(&mut sides.before);
    let now = head(&mut sides.after);
    compare_facts(&graph, &graph.facts, &now.facts, &mut out);
    for ((section, one), (_, other)) in
        declared::sections(&mut sides.before).into_iter().zip(declared::sections(&mut sides.after))
    {
        compare_items(&one, &other, section, &mut out);
    }
    for (at, other) in &sides.renamed_actions {
        let (one, now) = (&sides.before.graph.actions[*at].name, &sides.after.graph.actions[*other].name);
        out.push(renamed("action-renamed", "actions", "action", one, now));
    }
    node::compare(sides, &mut out);
    for (at, other) in &sides.renamed {
        let id = crate::model::node::NodeId::new;
        let (one, now) = (&sides.before.graph.graph[id(*at)].name, &sides.after.graph.graph[id(*other)].name);
        out.push(renamed("node-renamed", "nodes", "node", one, now));
    }
    out
}

fn renamed(
    slug: &'static str,
    section: &str,
    noun: &str,
    before: &crate::source::Spanned<Str>,
    after: &crate::source::Spanned<Str>,
) -> Draft {
    let part = |name: &crate::source::Spanned<Str>| Some(DraftSide::plain(name.value.to_string(), name.span));
    let (path, owner) = (format!("{section}.{}", before.value), format!("{noun} `{}`", before.value));
    Draft::new(slug, path, owner, part(before), part(after))
}

/// The graph's own keys.
fn head(side: &mut Side<'_>) -> DiffItem {
    let (graph, code) = (side.graph, side.code);
    let at = graph.id.span;
    let mut facts = vec![ItemFact::plain("graph", "graph-renamed", graph.id.value.as_str(), at)];
    let shown = [
        ("title", "title-changed", &graph.title),
        ("doc", "doc-changed", &graph.doc),
        ("version", "version-changed", &graph.version),
    ];
    facts.extend(
        shown
            .into_iter()
            .filter_map(|(key, slug, text)| Some(ItemFact::plain(key, slug, text.as_deref()?, at))),
    );
    let start = side.nodes[graph.start.index()].as_str();
    facts.push(ItemFact::plain("start", "start-changed", start, at));
    facts.extend(
        graph
            .start_label
            .iter()
            .map(|l| ItemFact::plain("start.label", "start-label-changed", l.as_str(), at)),
    );
    if let Some((pause, code)) = graph.pause.as_ref().zip(code.pause) {
        facts.extend(node_kinds::pause(side, pause, code));
    }
    DiffItem { name: String::new(), path: String::new(), owner: String::new(), span: at, facts }
}

/// Mentions every type that the listing of the graph mentions.
pub(super) fn mention(side: &mut Side<'_>) {
    for section in declared::sections(side) {
        drop(section);
    }
    for node in side.graph.graph.node_indices() {
        drop(node::facts(side, node));
        drop(edge::edges(side, node));
    }
}
