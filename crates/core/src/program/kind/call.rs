//! Nodes that run another graph.

use super::part::{Field, KindParts, keys};
use super::stage::{Link, Stage};
use super::{GraphSource, INTO};
use crate::value::Str;

keys! {
    MERGE = "merge", "merge-changed", "merge";
}

/// Runs another graph to completion.
#[derive(Debug, Clone)]
pub struct CallNode<S: Stage> {
    /// The graph, with the child's inputs.
    pub graph: GraphSource<S>,
    /// The place that takes `{outcome, …output}`.
    pub into: Option<S::Place>,
    /// `merge m`: the map that the child's output of the same name is merged into.
    pub merge: Option<(S::Place, Str)>,
}

impl<S: Stage> CallNode<S> {
    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> CallNode<B> {
        CallNode {
            graph: self.graph.link(to),
            into: self.into.as_ref().map(|place| to.place(place)),
            merge: self.merge.as_ref().map(|(place, output)| (to.place(place), output.clone())),
        }
    }

    pub(super) fn parts(&self) -> KindParts<'_, S> {
        let parts = self.graph.part(KindParts::new()).place(&INTO, self.into.as_ref());
        match &self.merge {
            Some((place, output)) => parts.with(&MERGE, Field::Merge(place, output)),
            None => parts,
        }
    }
}
