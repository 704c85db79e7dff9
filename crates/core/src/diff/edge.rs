//! Edges. They have no names: each goes together with the one that is most like it.

use rustc_hash::FxHashMap;

use super::change::Draft;
use super::item::{DiffItem, ItemFact, facts as compare_facts};
use super::order::moved;
use super::piece::{DraftSide, TextPiece};
use super::side::Side;
use super::sides::Sides;
use crate::model::node::{Edge, NodeId, Trigger};
use crate::source::Span;

/// An edge in words.
pub(super) struct EdgeText {
    /// In order: target, triggers, guard, statements, label, outer label.
    facts: Vec<ItemFact>,
    /// The sorts of trigger it answers to.
    sorts: u8,
    span: Span,
}

const DONE: u8 = 1;
const ERROR: u8 = 2;
const EXHAUSTED: u8 = 4;
const UNKNOWN: u8 = 8;

impl EdgeText {
    fn meaning(&self, key: &str) -> &str {
        self.facts.iter().find(|fact| fact.key == key).map_or("", |fact| &fact.abridged.meaning)
    }

    fn clauses(&self, keys: &[&str]) -> String {
        let mut out = String::new();
        for key in keys {
            out.extend([key, " ", self.meaning(key), "\n"]);
        }
        out
    }

    /// The edge in words.
    pub(super) fn print(&self) -> String {
        self.clauses(&["to", "on", "when", "do"])
    }

    /// The edge on one line, but for its statements.
    fn abridged(&self) -> DraftSide {
        let mut written = Vec::new();
        let mut meaning = String::new();
        for fact in &self.facts {
            let word = match fact.key.as_str() {
                "to" => "-> ",
                "on" if fact.abridged.meaning == "done" => continue,
                "on" => " on ",
                "when" => " when ",
                "do" => " do\n",
                "label" => " label ",
                _ => " outer ",
            };
            meaning.push_str(word);
            meaning.push_str(&fact.abridged.meaning);
            written.push(TextPiece::Word(word.to_owned()));
            written.push(TextPiece::Part(fact.abridged.clone()));
        }
        DraftSide { meaning, written, span: self.span }
    }

    /// The edge as a fact about its node.
    pub(super) fn fact(&self) -> ItemFact {
        ItemFact { key: String::new(), slug: "edge-added", abridged: self.abridged(), parts: None }
    }

    /// A few words for messages: `edge -> exit`.
    fn named(&self) -> String {
        let on = self.meaning("on");
        let on = if on == "done" { String::new() } else { format!(" on {on}") };
        format!("edge -> {}{on}", self.meaning("to"))
    }
}

/// The edges of a node in order.
pub(super) fn edges(side: &mut Side<'_>, node: NodeId) -> Vec<EdgeText> {
    let (graph, code) = (side.graph, side.code);
    let one = |id: &crate::model::node::EdgeId| {
        let (edge, code) = (&graph.graph[*id], &code.edges[id.index()]);
        let to = side.nodes[code.to as usize].as_str();
        let mut facts = vec![ItemFact::plain("to", "target-changed", to, edge.span)];
        let on: Vec<String> = code.on.iter().map(|trigger| side.words.trigger(trigger)).collect();
        let mut on = ItemFact::list("on", "trigger-changed", on, edge.span);
        if edge.on.iter().any(|trigger| matches!(trigger, Trigger::Class(_))) {
            let plain = on.abridged.meaning.replace("error(class ", "error(");
            on.abridged.written = vec![TextPiece::Word(plain)];
        }
        facts.push(on);
        facts.extend(side.optional("when", "guard-changed", edge.when.as_ref(), code.when));
        facts.extend(side.block("do", "edge-action-changed", &edge.action, code.action));
        let labels = [("label", "label-changed", &edge.label), ("outer", "outer-label-changed", &edge.outer)];
        facts.extend(labels.into_iter().filter_map(|(key, slug, text)| {
            Some(ItemFact::plain(key, slug, quoted(text.as_deref()?), edge.span))
        }));
        EdgeText { facts, sorts: sorts(edge), span: edge.span }
    };
    graph.graph[node].edges.iter().map(one).collect()
}

fn quoted(label: &str) -> String {
    crate::syntax::print::quoted(label)
}

fn sorts(edge: &Edge) -> u8 {
    let sort = |trigger: &Trigger| match trigger {
        Trigger::Done => DONE,
        Trigger::AnyError | Trigger::Kind(_) | Trigger::Class(_) => ERROR,
        Trigger::Exhausted(_) => EXHAUSTED,
        Trigger::Unknown => UNKNOWN,
    };
    edge.on.iter().map(sort).fold(0, |all, one| all | one)
}

/// Compares the edges of a node that is in both versions.
pub(super) fn compare(
    sides: &mut Sides<'_>,
    one: NodeId,
    other: NodeId,
    node: &DiffItem,
    out: &mut Vec<Draft>,
) {
    let (before, after) = (edges(&mut sides.before, one), edges(&mut sides.after, other));
    let partner = partners(&before, &after);
    let path = |at: usize| format!("{}.edges[{at}]", node.path);
    let owner = |edge_text: &EdgeText| format!("{} of the {}", edge_text.named(), node.owner);
    for (at, edge_text) in before.iter().enumerate().filter(|(at, _)| partner[*at].is_none()) {
        out.push(Draft::new("edge-removed", path(at), owner(edge_text), Some(edge_text.abridged()), None));
    }
    let mut matched: Vec<(usize, usize)> =
        partner.iter().enumerate().filter_map(|(at, other)| Some((at, (*other)?))).collect();
    for (at, other) in &matched {
        let (edge_text, now) = (&before[*at], &after[*other]);
        let item = DiffItem {
            name: String::new(),
            path: path(*other),
            owner: owner(edge_text),
            span: edge_text.span,
            facts: Vec::new(),
        };
        compare_facts(&item, &edge_text.facts, &now.facts, out);
    }
    let mut is_new = vec![true; after.len()];
    for (_, other) in &matched {
        is_new[*other] = false;
    }
    for (at, edge_text) in after.iter().enumerate().filter(|(at, _)| is_new[*at]) {
        out.push(Draft::new("edge-added", path(at), owner(edge_text), None, Some(edge_text.abridged())));
    }
    matched.sort_unstable();
    let positions: Vec<usize> = matched.iter().map(|(_, other)| *other).collect();
    for index in moved(&positions) {
        let (at, other) = matched[index];
        let passed = |(a, b): &&(usize, usize)| (*a < at) != (*b < other) && *a != at;
        let matters = matched.iter().filter(passed).any(|(a, _)| before[*a].sorts & before[at].sorts != 0);
        let slug = if matters { "edge-moved" } else { "order-changed" };
        let part = |place: usize, edge_text: &EdgeText| {
            Some(DraftSide::plain(
                format!("{} of {}", place + 1, before.len().max(after.len())),
                edge_text.span,
            ))
        };
        let parts = (part(at, &before[at]), part(other, &after[other]));
        out.push(Draft::new(slug, path(other), owner(&before[at]), parts.0, parts.1));
    }
}

/// Pairs each edge of the first version with one of the second: the one that does the same, else the one that differs least.
fn partners(before: &[EdgeText], after: &[EdgeText]) -> Vec<Option<usize>> {
    /// The keys that have to be equal, from round to round.
    const ROUNDS: [&[&str]; 7] = [
        &["to", "on", "when", "do", "label", "outer"],
        &["to", "on", "when", "do"],
        &["to", "on", "when"],
        &["to", "on", "do"],
        &["to", "on"],
        &["on", "when", "do"],
        &["to"],
    ];
    let mut partner = vec![None; before.len()];
    let mut taken = vec![false; after.len()];
    for keys in ROUNDS {
        let mut free: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, edge_text) in after.iter().enumerate().rev().filter(|(at, _)| !taken[*at]) {
            free.entry(edge_text.clauses(keys)).or_default().push(at);
        }
        if free.is_empty() {
            break;
        }
        for (edge_text, partner) in before.iter().zip(&mut partner).filter(|(_, partner)| partner.is_none()) {
            *partner = free.get_mut(&edge_text.clauses(keys)).and_then(Vec::pop);
            if let Some(at) = *partner {
                taken[at] = true;
            }
        }
    }
    partner
}
