//! What nodes of the kinds do that call somebody or end.

use super::{NameSource, TextSource};
use crate::model::expr::{Expr, LocalId, Place};
use crate::model::graph::GraphId;
use crate::model::types::Type;
use crate::program::graph::{Delivery, OnError};
use crate::source::Spanned;
use crate::value::Str;

/// Asks a language model for one typed answer.
#[derive(Debug, Clone)]
pub struct ModelNode {
    /// The role.
    pub role: NameSource,
    /// The system text.
    pub system: Option<TextSource>,
    /// The prompt.
    pub prompt: Option<TextSource>,
    /// The type of the answer; `string` is the raw text.
    pub output: Type,
    /// The field of the answer whose partial text is streamed to observers.
    pub stream: Option<Spanned<Str>>,
    /// Where the answer goes.
    pub into: Option<Place>,
    /// Whether an equal request may be answered from the cache.
    pub cache: bool,
}

/// Calls one tool.
#[derive(Debug, Clone)]
pub struct ToolNode {
    /// The tool.
    pub tool: NameSource,
    /// The arguments: an expression of a map or record type; absent for none.
    pub args: Option<Expr>,
    /// The only tools that may be named; empty means any of the catalogue.
    pub allow: Vec<Spanned<Str>>,
    /// Where the result goes.
    pub into: Option<Place>,
    /// Stricter delivery than the tool's own.
    pub delivery: Option<Delivery>,
}

/// Waits for a person.
#[derive(Debug, Clone)]
pub struct HumanNode {
    /// What is asked.
    pub ask: Option<TextSource>,
    /// The type of the answer; `options` make an enum.
    pub answer: Type,
    /// Where the answer goes.
    pub into: Option<Place>,
}

/// Runs another graph to completion.
#[derive(Debug, Clone)]
pub struct CallNode {
    /// The graph.
    pub graph: GraphId,
    /// The child's inputs, one for each of its input slots; [`None`] takes the default.
    pub with: Vec<Option<Expr>>,
    /// Where `{outcome, …output}` goes.
    pub into: Option<Place>,
    /// `merge m`: the map that the child's output of the same name is merged into.
    pub merge: Option<(Place, Str)>,
}

/// A graph for every item of a list.
#[derive(Debug, Clone)]
pub struct EachNode {
    /// The list.
    pub over: Expr,
    /// The item, in scope of `with`.
    pub item: LocalId,
    /// The graph.
    pub graph: GraphId,
    /// The lane's inputs.
    pub with: Vec<Option<Expr>>,
    /// Where the list of results goes.
    pub into: Option<Place>,
    /// How many lanes run at a time.
    pub at_once: Option<Expr>,
    /// The greatest number of items.
    pub limit: Option<Expr>,
    /// What happens when a lane fails.
    pub on_error: OnError,
}

/// Named branches, each a graph.
#[derive(Debug, Clone)]
pub struct ParallelNode {
    /// The branches in order.
    pub branches: Vec<Branch>,
    /// What happens when a branch fails.
    pub on_error: OnError,
}

/// A branch of a [`ParallelNode`].
#[derive(Debug, Clone)]
pub struct Branch {
    /// The name.
    pub name: Spanned<Str>,
    /// The graph.
    pub graph: GraphId,
    /// Its inputs.
    pub with: Vec<Option<Expr>>,
    /// Where its result goes.
    pub into: Option<Place>,
}

/// Ends this graph or composite.
#[derive(Debug, Clone)]
pub struct FinalNode {
    /// The outcome; the node's name when absent.
    pub outcome: Option<Expr>,
    /// False makes the run a failure.
    pub ok: Option<Expr>,
    /// Whether it is drawn as `[*]` alone.
    pub as_end: bool,
}
