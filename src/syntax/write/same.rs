//! Whether two trees mean the same.

use crate::syntax::tree::{NodeDecl, Tree};

/// Where two trees differ, but for the places of their parts and their comments, and but for kinds that are only said in one
/// of them.
pub(super) fn difference(left: &Tree, right: &Tree) -> Option<String> {
    let (left, right) = (told(left), told(right));
    if left == right {
        return None;
    }
    let same = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
    let start = (0..=same.saturating_sub(40)).rev().find(|at| left.is_char_boundary(*at)).unwrap_or(0);
    let part = |text: &str| text[start..].chars().take(80).collect::<String>();
    Some(format!("`{}` is read as `{}`", part(&left), part(&right)))
}

fn told(tree: &Tree) -> String {
    let mut tree = Tree { comments: Vec::new(), spoilt: Vec::new(), ..tree.clone() };
    let variant = tree.extends.is_some();
    tree.nodes.iter_mut().for_each(|node| plain(node, variant));
    without_places(&format!("{tree:?}"))
}

/// Leaves out the kind a node has without saying so, and what only matters to findings.
fn plain(node: &mut NodeDecl, variant: bool) {
    let kind = if node.nodes.is_empty() { "action" } else { "composite" };
    if !variant && node.kind.as_ref().is_some_and(|written| written.value == kind) {
        node.kind = None;
    }
    node.spoilt.clear();
    node.branches.iter_mut().for_each(|branch| branch.spoilt.clear());
    node.nodes.iter_mut().for_each(|node| plain(node, variant));
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

/// Where a tree's text says next where something stands: a span, or the map of a text to its file.
fn next_place(text: &str) -> Option<(usize, usize)> {
    let span = text.find("Span {");
    // Only what stands before the span is searched: the whole text would be searched again for each of them.
    let map = text[..span.unwrap_or(text.len())].find("anchors: [");
    let at = map.or(span)?;
    let length = text[at..].find('}')?;
    Some((at, at + length + 1))
}
