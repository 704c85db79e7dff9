//! Comparison of two trees by what they mean.

use std::sync::Arc;

use crate::syntax::tree::{KeyValue, NodeDecl, Tree, Unread};

/// The place where two trees differ, but for places of their parts, their comments, and kinds that are only given in one
/// of them. They are reported part by part: the text of a whole tree takes many times the space of its file.
pub(super) fn difference(left: Tree, right: Tree) -> Option<String> {
    let (mut left, mut right) = (Parts::new(left), Parts::new(right));
    loop {
        let (one, other) = (left.next(), right.next());
        if one.is_none() && other.is_none() {
            return None;
        }
        let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
        if one != other {
            return Some(first_difference(&one, &other));
        }
    }
}

fn first_difference(left: &str, right: &str) -> String {
    let same = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
    let start = (0..=same.saturating_sub(40)).rev().find(|at| left.is_char_boundary(*at)).unwrap_or(0);
    let part = |text: &str| text[start..].chars().take(80).collect::<String>();
    format!("`{}` is read as `{}`", part(left), part(right))
}

/// The texts of a tree's parts: all but the nodes, then each node without those inside of it. A part is gone once it was
/// told.
struct Parts {
    tree: Option<Tree>,
    /// Nodes to come, with how deep they stand; the next one is the last.
    nodes: Vec<(usize, NodeDecl)>,
    variant: bool,
}

impl Parts {
    fn new(mut tree: Tree) -> Self {
        let mut parts = Self { tree: None, nodes: Vec::new(), variant: tree.extends.is_some() };
        parts.put(0, std::mem::take(&mut tree.nodes));
        plain_tree(&mut tree);
        parts.tree = Some(tree);
        parts
    }

    fn put(&mut self, depth: usize, nodes: Vec<NodeDecl>) {
        self.nodes.extend(nodes.into_iter().rev().map(|node| (depth, node)));
    }
}

impl Iterator for Parts {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        if let Some(tree) = self.tree.take() {
            return Some(without_places(&format!("{tree:?}")));
        }
        let (depth, mut node) = self.nodes.pop()?;
        plain(&mut node, self.variant);
        self.put(depth + 1, std::mem::take(&mut node.nodes));
        Some(without_places(&format!("{depth} {node:?}")))
    }
}

/// Leaves out what only matters to findings.
fn plain_tree(tree: &mut Tree) {
    tree.comments.clear();
    tree.unread = Unread::default();
}

/// The same of a graph that is written in place, with all its nodes.
fn plain_inner(inner: &mut Arc<Tree>) {
    let tree = Arc::make_mut(inner);
    plain_tree(tree);
    let variant = tree.extends.is_some();
    plain_all(&mut tree.nodes, variant);
}

fn plain_all(nodes: &mut [NodeDecl], variant: bool) {
    for node in nodes {
        plain(node, variant);
        plain_all(&mut node.nodes, variant);
    }
}

/// Leaves out the kind a node has without saying so, and what only matters to findings.
fn plain(node: &mut NodeDecl, variant: bool) {
    let kind = if node.nodes.is_empty() { "action" } else { "composite" };
    if !variant && node.kind.as_ref().is_some_and(|written| written.value == kind) {
        node.kind = None;
    }
    node.unread = Unread::default();
    node.branches.iter_mut().for_each(|branch| branch.unread = Unread::default());
    let branches = node.branches.iter_mut().flat_map(|branch| &mut branch.keys);
    for (_, value) in node.keys.iter_mut().chain(branches) {
        match value {
            KeyValue::Graph(inner) => plain_inner(inner),
            KeyValue::Graphs(among) => {
                for candidate in among {
                    if let KeyValue::Graph(inner) = &mut candidate.graph {
                        plain_inner(inner);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The text of a tree without what it says of places.
fn without_places(text: &str) -> String {
    let mut out = String::with_capacity(text.len() / 2);
    let mut rest = text;
    while let Some((at, end)) = next_place(rest) {
        out.push_str(&rest[..at]);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The place where a tree's text says next where something stands: a span, or the map of a text to its file.
fn next_place(text: &str) -> Option<(usize, usize)> {
    let span = text.find("Span {");
    // Only what stands before the span is searched: the whole text would be searched again for each of them.
    let map = text[..span.unwrap_or(text.len())].find("anchors: [");
    let at = map.or(span)?;
    let length = text[at..].find('}')?;
    Some((at, at + length + 1))
}
