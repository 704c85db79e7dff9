//! Labels of arrows.

use std::fmt::Write as _;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::Graph;
use crate::model::node::{Edge, EdgeId, Node, NodeKind, Trigger};
use crate::source::Span;
use crate::syntax::tree::{EdgeDecl, NodeDecl, Tree};

/// The edges as they are written: guards and triggers print best in their author's words.
#[derive(Debug)]
pub(super) struct EdgeTexts<'a> {
    edges: FxHashMap<Span, &'a EdgeDecl>,
}

/// The part of an edge that is printed on an arrow.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Label {
    /// Its author's words; may be empty.
    Explicit(String),
    /// Made of its guard and its triggers; may be empty.
    Derived(String),
}

impl<'a> EdgeTexts<'a> {
    pub(super) fn new(trees: &'a [Arc<Tree>]) -> Self {
        let mut texts = Self { edges: FxHashMap::default() };
        for tree in trees {
            texts.nodes(&tree.nodes);
        }
        texts
    }

    fn nodes(&mut self, nodes: &'a [NodeDecl]) {
        for node in nodes {
            self.edges.extend(node.edges.iter().flatten().map(|edge| (edge.span, edge)));
            self.nodes(&node.nodes);
        }
    }

    /// The label of an edge. `collapsed`: one of its ends is drawn as a composite that is not open. `branch`: the
    /// choice that it leaves, if that is drawn.
    pub(super) fn label(&self, graph: &Graph, id: EdgeId, collapsed: bool, branch: Option<&Node>) -> Label {
        let edge = &graph.graph[id];
        let outer = edge.outer.as_ref().filter(|_| collapsed);
        if let Some(label) = outer.or(edge.label.as_ref()) {
            return Label::Explicit(label.trim().to_owned());
        }
        let word = branch.and_then(|choice| yes_or_no(graph, choice, id));
        Label::Derived(word.map_or_else(|| self.derived(edge), str::to_owned))
    }

    /// The guard of an edge on `done`; otherwise what it answers to, with the guard in brackets.
    fn derived(&self, edge: &Edge) -> String {
        let Some(decl) = self.edges.get(&edge.span) else { return String::new() };
        let guard = decl.when.as_ref().map(|guard| {
            let mut text = String::with_capacity(64);
            // Writing to a String cannot fail.
            let _ = write!(text, "{guard}");
            worded(&text)
        });
        if edge.on.iter().all(|trigger| matches!(trigger, Trigger::Done)) {
            return guard.unwrap_or_default();
        }
        let triggers = decl.on.iter().map(|trigger| match &trigger.arg {
            Some(arg) => format!("{}({arg})", trigger.name.value),
            None => trigger.name.value.clone(),
        });
        let triggers = triggers.collect::<Vec<_>>().join(", ");
        match guard {
            Some(guard) => format!("{triggers} [{guard}]"),
            None => triggers,
        }
    }
}

/// A condition with words for signs: `and`, `or`, `not`. Texts in it stay as they are.
fn worded(condition: &str) -> String {
    let mut out = String::with_capacity(condition.len() + 8);
    let mut quote = None;
    let mut signs = condition.chars().peekable();
    while let Some(sign) = signs.next() {
        let next = signs.peek().copied();
        match (quote, sign, next) {
            (Some(_), '\\', Some(escaped)) => {
                out.extend([sign, escaped]);
                signs.next();
            }
            (Some(open), _, _) => {
                out.push(sign);
                quote = Some(open).filter(|open| *open != sign);
            }
            (None, '\'' | '"', _) => {
                out.push(sign);
                quote = Some(sign);
            }
            (None, '&', Some('&')) | (None, '|', Some('|')) => {
                signs.next();
                out.push_str(if sign == '&' { "and" } else { "or" });
            }
            (None, '!', Some(after)) if after != '=' => out.push_str("not "),
            (None, _, _) => out.push(sign),
        }
    }
    out
}

/// Out of a choice that asks something and has two ways: `yes` for the first, `no` for the second, unless the label of
/// one of them says it is the other way round.
fn yes_or_no(graph: &Graph, choice: &Node, id: EdgeId) -> Option<&'static str> {
    let asks = choice.title.as_ref().is_some_and(|title| title.trim_end().ends_with('?'));
    if !asks || !matches!(choice.kind, NodeKind::Choice) {
        return None;
    }
    let mut unlabelled = choice.edges.iter().filter(|edge| !is_error(&graph.graph[**edge]));
    let (first, second, None) = (unlabelled.next()?, unlabelled.next()?, unlabelled.next()) else {
        return None;
    };
    let other = match id {
        id if id == *first => second,
        id if id == *second => first,
        _ => return None,
    };
    match graph.graph[*other].label.as_deref().map(str::trim) {
        Some("no") => Some("yes"),
        Some("yes") => Some("no"),
        _ => Some(if id == *first { "yes" } else { "no" }),
    }
}

/// Returns true if all an edge answers to is `error`, `timeout`, `unknown` or `exhausted`.
pub(super) fn is_error(edge: &Edge) -> bool {
    !edge.on.iter().any(|trigger| matches!(trigger, Trigger::Done))
}

#[cfg(test)]
mod tests {
    use super::worded;

    #[test]
    fn conditions_are_written_in_words() {
        for (condition, wanted) in [
            ("a && !b || c != d", "a and not b or c != d"),
            ("!(x in xs) && n >= 2 && m <= 3", "not (x in xs) and n >= 2 and m <= 3"),
            ("a == '&& !' && b == \"it\\\"s || \"", "a == '&& !' and b == \"it\\\"s || \""),
            ("r'\\d' == a || n > 2", "r'\\d' == a or n > 2"),
        ] {
            assert_eq!(worded(condition), wanted);
        }
    }
}
