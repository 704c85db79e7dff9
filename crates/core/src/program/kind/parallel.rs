//! Nodes that run several graphs side by side.

use super::part::{Field, KindKey, KindParts};
use super::stage::{Link, Stage};
use super::{GraphSource, INTO, OnError};

/// Branches come and go one by one.
const BRANCH: KindKey = KindKey::new("branches", "branch-added", "branch");

/// Runs named branches, each a graph.
#[derive(Debug, Clone)]
pub struct ParallelNode<S: Stage> {
    /// The branches in order.
    pub branches: Vec<Branch<S>>,
    /// The way to continue when a branch fails.
    pub on_error: OnError,
}

/// A branch of a [`ParallelNode`].
#[derive(Debug, Clone)]
pub struct Branch<S: Stage> {
    /// The name.
    pub name: S::Word,
    /// The graph, with its inputs.
    pub graph: GraphSource<S>,
    /// The place that takes its result.
    pub into: Option<S::Place>,
}

impl<S: Stage> ParallelNode<S> {
    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> ParallelNode<B> {
        let branches = self.branches.iter().map(|branch| Branch {
            name: to.word(&branch.name),
            graph: branch.graph.link(to),
            into: branch.into.as_ref().map(|place| to.place(place)),
        });
        ParallelNode { branches: branches.collect(), on_error: self.on_error }
    }

    pub(super) fn parts(&self) -> KindParts<'_, S> {
        let parts = self.on_error.part(KindParts::new());
        self.branches
            .iter()
            .fold(parts, |parts, branch| parts.with(&BRANCH, Field::Branch(&branch.name, branch.parts())))
    }
}

impl<S: Stage> Branch<S> {
    fn parts(&self) -> KindParts<'_, S> {
        self.graph.part(KindParts::new()).place(&INTO, self.into.as_ref())
    }
}
