//! Nodes that run a graph for every item of a list.

use super::part::{Field, KindParts, keys};
use super::stage::{Link, Stage};
use super::{GraphSource, INTO, OnError};

keys! {
    OVER = "over", "over-changed", "list";
    AT_ONCE = "at_once", "at-once-changed", "number of lanes at once";
    LIMIT = "limit", "lists-limit-changed", "greatest number of items";
}

/// Runs a graph for every item of a list.
#[derive(Debug, Clone)]
pub struct EachNode<S: Stage> {
    /// The list.
    pub over: S::Expr,
    /// The item, in scope of `with` and of the graph's name.
    pub item: S::Local,
    /// The graph, with the lane's inputs.
    pub graph: GraphSource<S>,
    /// The number of lanes that run at a time.
    pub at_once: Option<S::Expr>,
    /// The greatest number of items.
    pub limit: Option<S::Expr>,
    /// The way to continue when a lane fails.
    pub on_error: OnError,
    /// The place that takes the list of results.
    pub into: Option<S::Place>,
}

impl<S: Stage> EachNode<S> {
    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> EachNode<B> {
        EachNode {
            over: to.expr(&self.over),
            item: to.local(&self.item),
            graph: self.graph.link(to),
            into: self.into.as_ref().map(|place| to.place(place)),
            at_once: self.at_once.as_ref().map(|expr| to.expr(expr)),
            limit: self.limit.as_ref().map(|expr| to.expr(expr)),
            on_error: self.on_error,
        }
    }

    pub(super) fn parts(&self) -> KindParts<'_, S> {
        let parts = KindParts::new().with(&OVER, Field::Items(&self.over, &self.item));
        let parts =
            self.graph.part(parts).expr(&AT_ONCE, self.at_once.as_ref()).expr(&LIMIT, self.limit.as_ref());
        self.on_error.part(parts).place(&INTO, self.into.as_ref())
    }
}
