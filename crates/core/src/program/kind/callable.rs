//! Graphs that can be called, with their inputs.

use super::stage::{Link, Stage};

/// A graph with the inputs it gets.
#[derive(Debug, Clone)]
pub struct Callable<S: Stage> {
    /// The graph.
    pub graph: S::Graph,
    /// Its inputs, one for each of its input slots; [`None`] takes the default.
    pub with: Vec<Option<S::Expr>>,
}

/// A graph that an expression may name.
#[derive(Debug, Clone)]
pub struct Candidate<S: Stage> {
    /// The name.
    pub name: S::Word,
    /// The graph that it means.
    pub callable: Callable<S>,
}

impl<S: Stage> Callable<S> {
    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> Callable<B> {
        Callable { graph: to.graph(&self.graph), with: to.inputs(&self.with) }
    }
}
