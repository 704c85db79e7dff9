//! The parts of a tree that operators change.

use crate::syntax::ast::{Block, Expr, Name, Place};
use crate::syntax::tree::{EdgeDecl, KeyValue, NodeDecl, TriggerDecl};

/// A part of a tree that operators change, in its place.
#[derive(Debug)]
pub(super) enum MutationSite<'t> {
    /// An expression; `nested` where an operator is around it.
    Expr { expr: &'t mut Expr, nested: bool },
    /// A condition: a guard, that of an `if`, of a pause, of an input.
    Condition(&'t mut Expr),
    /// Values by name.
    Values(&'t mut Vec<(Name, Expr)>),
    /// A list of statements.
    Block(&'t mut Block),
    /// The place that a node's answer is written to.
    Place(&'t mut Place),
    /// The node that an edge leads to.
    Target(&'t mut Name),
    /// The node that a graph or a composite starts at.
    Start(&'t mut Name),
    /// The triggers of an edge.
    Triggers(&'t mut Vec<TriggerDecl>),
    /// The edges of a node.
    Edges(&'t mut Vec<EdgeDecl>),
    /// The keys of a node.
    Keys(&'t mut Vec<(Name, KeyValue)>),
    /// A node.
    Node(&'t mut NodeDecl),
}

/// A part that takes the place of another one.
#[derive(Debug, Clone)]
pub(super) enum MutatedPart {
    /// For an expression or a condition.
    Expr(Expr),
    /// For values by name.
    Values(Vec<(Name, Expr)>),
    /// For statements.
    Block(Block),
    /// For a place.
    Place(Place),
    /// For a target or a start.
    Target(Name),
    /// For triggers.
    Triggers(Vec<TriggerDecl>),
    /// For edges.
    Edges(Vec<EdgeDecl>),
    /// For keys.
    Keys(Vec<(Name, KeyValue)>),
    /// For a node.
    Node(Box<NodeDecl>),
}

impl MutationSite<'_> {
    /// Puts a part there that was made of what is there.
    pub(super) fn put(self, part: MutatedPart) {
        match (self, part) {
            (Self::Expr { expr, .. } | Self::Condition(expr), MutatedPart::Expr(part)) => *expr = part,
            (Self::Values(values), MutatedPart::Values(part)) => *values = part,
            (Self::Block(block), MutatedPart::Block(part)) => *block = part,
            (Self::Place(place), MutatedPart::Place(part)) => *place = part,
            (Self::Target(target) | Self::Start(target), MutatedPart::Target(part)) => *target = part,
            (Self::Triggers(triggers), MutatedPart::Triggers(part)) => *triggers = part,
            (Self::Edges(edges), MutatedPart::Edges(part)) => *edges = part,
            (Self::Keys(keys), MutatedPart::Keys(part)) => *keys = part,
            (Self::Node(node), MutatedPart::Node(part)) => *node = *part,
            (site, part) => unreachable!("{part:?} was not made of {site:?}"),
        }
    }
}
