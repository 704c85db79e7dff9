//! The graph that a lane runs: a fixed one, or one of several that are all known.

use super::GRAPH;
use super::callable::{Callable, Candidate};
use super::part::{Field, KindParts, keys};
use super::stage::{Link, Stage};

keys! {
    GRAPH_OF = "graph_of", "graph-of-changed", "choice of the called graph";
    GRAPHS = "graphs", "graphs-changed", "list of graphs to choose from";
}

/// The source of the graph that a lane runs.
#[derive(Debug, Clone)]
pub enum GraphSource<S: Stage> {
    /// Always the same graph.
    Fixed(Callable<S>),
    /// The one that an expression names.
    Computed {
        /// The expression.
        name: S::Expr,
        /// The graphs that it may name, in order.
        among: Vec<Candidate<S>>,
    },
}

impl<S: Stage> GraphSource<S> {
    /// The graphs that it may be, in order.
    pub fn callables(&self) -> impl Iterator<Item = &Callable<S>> {
        let (one, several): (_, &[Candidate<S>]) = match self {
            Self::Fixed(callable) => (Some(callable), &[]),
            Self::Computed { among, .. } => (None, among),
        };
        one.into_iter().chain(several.iter().map(|candidate| &candidate.callable))
    }

    /// The one of that number. A fixed graph has the number 0.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&Callable<S>> {
        match self {
            Self::Fixed(callable) => (number == 0).then_some(callable),
            Self::Computed { among, .. } => among.get(number as usize).map(|candidate| &candidate.callable),
        }
    }

    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> GraphSource<B> {
        match self {
            Self::Fixed(callable) => GraphSource::Fixed(callable.link(to)),
            Self::Computed { name, among } => GraphSource::Computed {
                name: to.expr(name),
                among: among
                    .iter()
                    .map(|one| Candidate { name: to.word(&one.name), callable: one.callable.link(to) })
                    .collect(),
            },
        }
    }

    /// Adds its keys to those of a node or branch.
    pub(super) fn part<'n>(&'n self, parts: KindParts<'n, S>) -> KindParts<'n, S> {
        match self {
            Self::Fixed(callable) => parts.with(&GRAPH, Field::Called(&callable.graph, &callable.with)),
            Self::Computed { name, among } => {
                parts.expr(&GRAPH_OF, Some(name)).with(&GRAPHS, Field::Candidates(among))
            }
        }
    }
}
