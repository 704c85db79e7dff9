//! The context that all parts of the build of one graph share.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::plan::Plan;
use crate::model::graph::{Graph, GraphId};
use crate::model::load::{Calls, Unit};
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Facts, Scope};
use crate::program::graph::OnError;
use crate::source::{Span, Spanned};
use crate::syntax::KindName;
use crate::syntax::ast::Name;
use crate::value::Str;

/// The declarations of one graph and what it takes in. Nothing in it changes once the names are declared.
pub(super) struct Context<'u> {
    pub(super) unit: &'u Unit,
    pub(super) calls: &'u Calls,
    pub(super) built: &'u Built,
    pub(super) types: &'u TypeTable,
    /// The results of lanes that run one of several graphs.
    pub(super) chosen: ChosenResults,
    /// The types of replies that hold a typed answer.
    pub(super) replies: Replies,
    pub(super) plan: Plan<'u>,
    /// The kind of each node; [`None`] where the word is unknown.
    pub(super) kinds: Vec<Option<KindName>>,
    pub(super) scope: Scope,
}

/// The parts of a graph that a caller needs to know.
#[derive(Debug, Clone)]
pub(super) struct Interface {
    /// The inputs in order.
    pub(super) inputs: Vec<Input>,
    /// The result of a lane that runs it.
    pub(super) result: LaneResult,
    /// Error kinds of the graph's own and of those it calls, with their class: they arrive at the caller as they are.
    pub(super) errors: Vec<(Spanned<Str>, Str)>,
}

/// The types of a lane's result.
#[derive(Debug, Clone)]
pub(super) struct LaneResult {
    /// `{outcome, …output}`.
    pub(super) outputs: Type,
    /// The type where errors are collected: `{ok: outputs?, error: Error?}`.
    pub(super) collected: Type,
}

impl LaneResult {
    pub(super) const fn of(&self, on_error: OnError) -> &Type {
        match on_error {
            OnError::Stop => &self.outputs,
            OnError::Collect => &self.collected,
        }
    }
}

/// The result of a graph of which nothing is known.
impl Default for LaneResult {
    fn default() -> Self {
        Self { outputs: Type::of(Kind::Error), collected: Type::of(Kind::Error) }
    }
}

/// The results of lanes that run one of several graphs, by the place of the key `graphs` of their node or branch.
pub(super) type ChosenResults = FxHashMap<Span, LaneResult>;

/// The types of replies that hold a typed answer, by the place of that type.
pub(super) type Replies = FxHashMap<Span, Type>;

/// An input as its caller sees it.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub(super) name: Spanned<Str>,
    pub(super) ty: Type,
    /// True if it may be left out.
    pub(super) optional: bool,
}

/// Graphs that are built, by id, with what callers need of them.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) graphs: Vec<Option<Graph>>,
    pub(super) interfaces: Vec<Option<Interface>>,
}

impl Built {
    pub(super) fn interface(&self, id: GraphId) -> Option<&Interface> {
        self.interfaces.get(id.0 as usize)?.as_ref()
    }
}

/// A name as the model holds it.
pub(super) fn named(name: &Name) -> Spanned<Str> {
    Spanned::new(name.as_str().into(), name.span)
}

/// A text as the model holds it.
pub(super) fn text(text: Option<&Spanned<String>>) -> Option<Str> {
    text.map(|t| t.as_str().into())
}

/// The facts where the graph ends.
pub(super) type End = Facts;

/// The type of a list of such items.
pub(super) fn list(item: Type) -> Type {
    Type::of(Kind::List(Arc::new(item), None))
}
