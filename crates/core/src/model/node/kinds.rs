//! The kinds of nodes, with expressions and places.

use super::{Composite, NameSource, TextSource};
use crate::model::expr::{Expr, LocalId, Place};
use crate::model::graph::GraphId;
use crate::model::types::Type;
use crate::program::kind::{self, Stage};
use crate::source::Spanned;
use crate::value::Str;

/// Nodes of a model: everything has its type and its place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typed;

impl Stage for Typed {
    type Expr = Expr;
    type Text = TextSource;
    type Name = NameSource;
    type Word = Spanned<Str>;
    type Answer = Type;
    type Place = Place;
    type Graph = GraphId;
    type Local = LocalId;
    type Composite = Composite;
}

/// The work of a node.
pub type NodeKind = kind::NodeKind<Typed>;
/// Asks a language model for one typed answer.
pub type ModelNode = kind::ModelNode<Typed>;
/// The tools that a model may ask to call.
pub type Offer<S> = kind::Offer<S>;
/// Calls one tool.
pub type ToolNode = kind::ToolNode<Typed>;
/// Waits for a person.
pub type HumanNode = kind::HumanNode<Typed>;
/// Runs another graph to completion.
pub type CallNode = kind::CallNode<Typed>;
/// A graph for every item of a list.
pub type EachNode = kind::EachNode<Typed>;
/// Named branches, each a graph.
pub type ParallelNode = kind::ParallelNode<Typed>;
/// A branch of a [`ParallelNode`].
pub type Branch = kind::Branch<Typed>;
/// The source of the graph that a lane runs.
pub type GraphSource = kind::GraphSource<Typed>;
/// A graph with the inputs it gets.
pub type Callable = kind::Callable<Typed>;
/// A graph that an expression may name.
pub type Candidate = kind::Candidate<Typed>;
/// Ends this graph or composite.
pub type FinalNode = kind::FinalNode<Typed>;
