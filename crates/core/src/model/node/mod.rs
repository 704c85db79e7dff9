//! Nodes and edges: the weights of the `petgraph`.

mod edge;
mod kinds;

pub use self::edge::{Answers, Edge, Trigger};
pub use self::kinds::{
    Branch, CallNode, Callable, Candidate, EachNode, FinalNode, GraphSource, HumanNode, ModelNode, NodeKind,
    Offer, ParallelNode, ToolNode, Typed,
};
use super::expr::{Block, BudgetId, Expr, FamilyId, SlotId, TextId};
pub use super::id::{EdgeId, NodeId};
use super::typing::Facts;
use crate::source::{Span, Spanned};
use crate::value::Str;

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its name, unique in the graph.
    pub name: Spanned<Str>,
    /// `title`.
    pub title: Option<Str>,
    /// `doc`.
    pub doc: Option<Str>,
    /// The composite it lies in.
    pub parent: Option<NodeId>,
    /// The kind of node, with its keys.
    pub kind: NodeKind,
    /// Entry statements.
    pub entry: Block,
    /// Statements after the effect, on success only.
    pub then: Block,
    /// Its limit of time (duration).
    pub timeout: Option<Expr>,
    /// The attempts after a failed effect.
    pub retry: Option<Box<Retry>>,
    /// Outgoing edges in order of the text.
    pub edges: Vec<EdgeId>,
    /// The facts that hold whenever it is done, where its edges are looked at.
    pub known: Facts,
    /// The whole declaration.
    pub span: Span,
}

/// A composite.
#[derive(Debug, Clone)]
pub struct Composite {
    /// The first inner node.
    pub start: NodeId,
    /// The label of its start transition.
    pub start_label: Option<Str>,
    /// Inner nodes in order of the text.
    pub children: Vec<NodeId>,
    /// Slots that are set afresh at every entry.
    pub slots: Vec<SlotId>,
    /// Plain budgets that are set afresh at every entry.
    pub budgets: Vec<BudgetId>,
    /// Families that are set afresh at every entry.
    pub families: Vec<FamilyId>,
    /// `pause`.
    pub pause: Option<Box<Pause>>,
}

/// A text by name or an expression that gives one.
#[derive(Debug, Clone)]
pub enum TextSource {
    /// A text of the graph, rendered.
    Text(TextId),
    /// An expression of type string.
    Expr(Expr),
}

/// A fixed name or an expression that gives one.
#[derive(Debug, Clone)]
pub enum NameSource {
    /// Fixed.
    Fixed(Spanned<Str>),
    /// Computed.
    Computed(Expr),
}

/// The attempts after a failed effect. Absent keys take the defaults of the language.
#[derive(Debug, Clone)]
pub struct Retry {
    /// The greatest number of calls (int).
    pub attempts: Expr,
    /// Kinds and classes that are tried again; `[transient]` when not written.
    pub on: Vec<Spanned<Str>>,
    /// The first wait (duration).
    pub first: Option<Expr>,
    /// Each wait is the last times this (float).
    pub factor: Option<Expr>,
    /// No wait is longer (duration).
    pub max: Option<Expr>,
    /// Share of each wait that is random (float).
    pub jitter: Option<Expr>,
}

/// `pause when … ask …`.
#[derive(Debug, Clone)]
pub struct Pause {
    /// Tested before each transition.
    pub when: Expr,
    /// The question to the person.
    pub ask: Option<TextSource>,
    /// The whole declaration.
    pub span: Span,
}
