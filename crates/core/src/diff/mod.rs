//! Differences in meaning between two versions of a graph.
//!
//! [`diff`] compares two checked and compiled graphs part by part: declarations by their names, edges by what they do,
//! called graphs with their own declarations. Text does not count: the order of keys, comments, short and long forms,
//! YAML or `.loop`, `extends` or the same written out make no difference. Two parts are equal if the listings of their
//! programs have the same words for them (see [`program::listing`](mod@crate::program::listing)), and what a listing
//! leaves out, such as titles and labels, is compared as it is drawn.
//!
//! Every [`Change`] has an [`ChangeEffect`]: whether runs may differ, or only the numbers that stored runs go by, or
//! only what people see. Two programs with one digest have no change but of the last sort; two with different digests
//! always have another.
//!
//! # Why
//! - Records made of outputs are compared as the outputs, and edges go together by what they do. A new place of an edge
//!   counts only if it passes one that can answer to the same sort of event.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod cause;
mod change;
mod declared;
mod edge;
mod graph;
mod graphs;
mod item;
pub mod json;
mod kind;
mod node;
mod node_kinds;
mod order;
mod pair;
mod piece;
mod side;
mod sides;
pub mod text;
mod types;
mod written;

use std::sync::Arc;

pub use change::{Change, ChangeSide};
pub use kind::{ChangeEffect, ChangeKind, kinds};

use crate::check::Bound;
use crate::model::Model;
use crate::program::Program;
use crate::syntax::tree::Tree;
use change::Draft;
use graphs::Pairs;
use side::Side;
use written::Written;

/// One version of a graph.
#[derive(Debug, Clone, Copy)]
pub struct Version<'v> {
    /// The model, without errors.
    pub model: &'v Model,
    /// The program it compiles to.
    pub program: &'v Program,
    /// The trees of all files it was read from; expressions are shown as they are there. Without them they are shown as
    /// the program's listing has them.
    pub trees: &'v [Arc<Tree>],
    /// The most that a run of it does, where it surely ends.
    pub bound: Option<&'v Bound>,
}

/// The changes.
#[derive(Debug, Clone, Default)]
pub struct Diff {
    /// The changes: those of the graph itself first, then those of each called graph.
    pub changes: Vec<Change>,
    /// The first version.
    pub before: VersionName,
    /// The second version.
    pub after: VersionName,
    /// The most that a run does with each version.
    pub bounds: [Option<Bound>; 2],
}

/// The name of a version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionName {
    /// The path of the graph file.
    pub file: String,
    /// The graph's id.
    pub graph: String,
    /// The program's digest.
    pub digest: String,
}

impl Diff {
    /// Returns true if both versions have the same program: all runs go the same way.
    #[must_use]
    pub fn same_program(&self) -> bool {
        self.before.digest == self.after.digest
    }

    /// The amounts of the two bounds that differ: the name, then those of the two versions as they are printed.
    #[must_use]
    pub fn bound_changes(&self) -> Vec<(&'static str, String, String)> {
        let [Some(before), Some(after)] = &self.bounds else { return Vec::new() };
        let pairs = before.amounts().into_iter().zip(after.amounts());
        let pairs = pairs.map(|((name, one), (_, other))| (name, one.to_string(), other.to_string()));
        pairs.filter(|(_, one, other)| one != other).collect()
    }

    /// The number of changes with that effect.
    #[must_use]
    pub fn count(&self, effect: ChangeEffect) -> usize {
        self.changes.iter().filter(|change| change.effect() == effect).count()
    }
}

/// Compares two versions. It takes time in proportion to their size.
#[must_use]
pub fn diff(before: &Version<'_>, after: &Version<'_>) -> Diff {
    let (one, other) = (head(before), head(after));
    let mut drafts = compare(before, after);
    if one.digest == other.digest {
        // A part may have been taken for another one of the same content.
        drafts.retain(|draft| draft.kind.effect == ChangeEffect::Shown);
    } else if drafts.iter().all(|draft| draft.kind.effect == ChangeEffect::Shown) {
        drafts.push(unnamed(before, after));
    }
    let mut changes = Vec::new();
    if !drafts.is_empty() {
        let written = [Written::new(before.trees), Written::new(after.trees)];
        let found = drafts.into_iter().map(|draft| draft.finish(&written)).collect();
        changes = cause::settle(found, [before.trees, after.trees], &written);
    }
    let bounds = [before.bound.cloned(), after.bound.cloned()];
    Diff { changes, before: one, after: other, bounds }
}

fn head(version: &Version<'_>) -> VersionName {
    let root = version.model.root();
    VersionName {
        file: root.path.clone(),
        graph: root.id.value.to_string(),
        digest: version.program.digest.to_string(),
    }
}

fn compare(before: &Version<'_>, after: &Version<'_>) -> Vec<Draft> {
    let pairs = Pairs::new(before.model, after.model);
    let mut drafts = Vec::new();
    let mut mentioned = [std::collections::BTreeSet::new(), std::collections::BTreeSet::new()];
    for &(one, other) in &pairs.both {
        let mut sides = pair::sides(before, after, (one, other), &pairs);
        let mut found = graph::compare(&mut sides);
        for (mentioned, side) in mentioned.iter_mut().zip([&sides.before, &sides.after]) {
            mentioned.extend(side.words.mentioned().iter().copied());
        }
        if one != 0 {
            let name = &before.model.graphs[one].id.value;
            for draft in &mut found {
                draft.graph = Some(name.clone());
            }
        }
        drafts.append(&mut found);
    }
    let lone = [(before, &pairs.removed, pairs.before()), (after, &pairs.added, pairs.after())];
    for ((version, only, names), mentioned) in lone.into_iter().zip(&mut mentioned) {
        for graph in only {
            // What only such a graph mentions came or went with it.
            let mut side = Side::alone(version, *graph, &names);
            graph::mention(&mut side);
            mentioned.extend(side.words.mentioned().iter().copied());
        }
    }
    graphs::compare(before.model, after.model, &pairs, &mut drafts);
    types::compare(before, after, &mentioned, &mut drafts);
    drafts
}

/// Programs differ, but no part of them: this is never seen, and said all the same if it ever is.
fn unnamed(before: &Version<'_>, after: &Version<'_>) -> Draft {
    let part = |version: &Version<'_>| {
        Some(piece::DraftSide::plain(version.program.digest.to_string(), version.model.root().id.span))
    };
    Draft::new("program-changed", "", "the program", part(before), part(after))
}
