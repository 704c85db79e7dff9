//! Nodes that call a tool.

use super::INTO;
use super::part::{Field, KindParts, keys};
use super::stage::{Link, Stage};
use crate::program::delivery::Delivery;

keys! {
    TOOL = "tool", "tool-changed", "tool";
    ARGS = "args", "args-changed", "arguments";
    ALLOW = "allow", "allow-changed", "list of allowed tools";
    DELIVERY = "delivery", "delivery-changed", "delivery";
}

/// Calls one tool.
#[derive(Debug, Clone)]
pub struct ToolNode<S: Stage> {
    /// The tool.
    pub tool: S::Name,
    /// The arguments: an expression of a map or record type; absent for none.
    pub args: Option<S::Expr>,
    /// The only tools that may be named; empty means any of the catalogue.
    pub allow: Vec<S::Word>,
    /// Stricter delivery than the tool's own.
    pub delivery: Option<Delivery>,
    /// The place that takes the result.
    pub into: Option<S::Place>,
}

impl<S: Stage> ToolNode<S> {
    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> ToolNode<B> {
        ToolNode {
            tool: to.name(&self.tool),
            args: self.args.as_ref().map(|args| to.expr(args)),
            allow: self.allow.iter().map(|word| to.word(word)).collect(),
            delivery: self.delivery,
            into: self.into.as_ref().map(|place| to.place(place)),
        }
    }

    pub(super) fn parts(&self) -> KindParts<'_, S> {
        KindParts::new()
            .with(&TOOL, Field::Name(&self.tool))
            .expr(&ARGS, self.args.as_ref())
            .words(&ALLOW, &self.allow)
            .delivery(&DELIVERY, self.delivery)
            .place(&INTO, self.into.as_ref())
    }
}
