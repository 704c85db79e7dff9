//! Nodes that end a graph or composite.

use super::part::{KindParts, keys};
use super::stage::{Link, Stage};

keys! {
    OUTCOME = "outcome", "outcome-changed", "outcome";
    OK = "ok", "ok-changed", "condition of success";
}

/// Ends this graph or composite.
#[derive(Debug, Clone)]
pub struct FinalNode<S: Stage> {
    /// The outcome; the node's name when absent.
    pub outcome: Option<S::Expr>,
    /// False makes the run a failure.
    pub ok: Option<S::Expr>,
    /// True where it is drawn as `[*]` alone. Only drawings differ, so it is no part of the listing.
    pub as_end: bool,
}

impl<S: Stage> FinalNode<S> {
    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> FinalNode<B> {
        FinalNode {
            outcome: self.outcome.as_ref().map(|expr| to.expr(expr)),
            ok: self.ok.as_ref().map(|expr| to.expr(expr)),
            as_end: self.as_end,
        }
    }

    pub(super) fn parts(&self) -> KindParts<'_, S> {
        KindParts::new().expr(&OUTCOME, self.outcome.as_ref()).expr(&OK, self.ok.as_ref())
    }
}
