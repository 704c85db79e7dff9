//! Changes that only follow from another one are left out: what is written there is as it was.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::change::{Change, Draft};
use super::piece::DraftSide;
use super::written::Written;
use crate::syntax::tree::{LetDecl, Tree};
use crate::value::Str;

/// Kinds of change that others depend on without naming them: what their types are made of.
const CAUSES: [&str; 7] = ["type-", "field-", "state-", "input-", "output-", "error-", "called-graph-"];

/// A change, and what is written there if that is as it was.
pub(super) type FoundChange = (Change, Option<String>);

/// Lets with parameters, by name.
type Templates<'t> = FxHashMap<&'t str, &'t LetDecl>;

/// Drops what follows from others. A let with parameters is written out where it is used: where uses changed that are
/// written as before, it is named instead.
pub(super) fn settle(
    found: Vec<FoundChange>,
    trees: [&[Arc<Tree>]; 2],
    written: &[Written<'_>; 2],
) -> Vec<Change> {
    let is_cause = |change: &Change| CAUSES.iter().any(|cause| change.kind.slug.starts_with(cause));
    let typed = found.iter().any(|(change, as_before)| as_before.is_none() && is_cause(change));
    let (before, after) = (templates(trees[0]), templates(trees[1]));
    let mut named: BTreeSet<(Option<Str>, &str)> = BTreeSet::new();
    let mut remaining = Vec::with_capacity(found.len());
    for (change, as_before) in found {
        let Some(text) = as_before else {
            remaining.push(change);
            continue;
        };
        let changed = changed_in(&text, &before, &after);
        if changed.is_empty() && !typed {
            remaining.push(change);
        } else {
            let graph: Option<Str> = change.graph.as_deref().map(Into::into);
            named.extend(changed.into_iter().map(|name| (graph.clone(), name)));
        }
    }
    for (graph, name) in named {
        let part = |decl: &LetDecl| Some(DraftSide::plain(decl.body.to_string(), decl.name.span));
        let (one, other) = (part(before[name]), part(after[name]));
        let mut draft = Draft::new("let-changed", format!("let.{name}"), format!("let `{name}`"), one, other);
        draft.graph = graph;
        remaining.push(draft.finish(written).0);
    }
    remaining
}

/// The first tree is the file itself; what it declares replaces what others do.
fn templates(trees: &[Arc<Tree>]) -> Templates<'_> {
    let mut found = Templates::default();
    for decl in trees.iter().flat_map(|tree| &tree.lets).filter(|decl| !decl.params.is_empty()) {
        found.entry(decl.name.as_str()).or_insert(decl);
    }
    found
}

/// The lets that a text calls, itself or through others, and that are not what they were.
fn changed_in<'t>(text: &str, before: &Templates<'t>, after: &Templates<'t>) -> BTreeSet<&'t str> {
    let mut open = called(text, before);
    let mut seen: FxHashSet<&str> = open.iter().copied().collect();
    let mut changed = BTreeSet::new();
    while let Some(name) = open.pop() {
        let (one, other) = (before[name], after.get(name));
        let body = one.body.to_string();
        if other.is_some_and(|other| other.body.to_string() != body) {
            changed.insert(name);
        }
        open.extend(called(&body, before).into_iter().filter(|name| seen.insert(name)));
    }
    changed
}

fn called<'t>(text: &str, templates: &Templates<'t>) -> Vec<&'t str> {
    let words = text.split('(').filter_map(|piece| {
        let start = piece.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        templates.get_key_value(&piece[start..])
    });
    words.map(|(name, _)| *name).collect()
}
