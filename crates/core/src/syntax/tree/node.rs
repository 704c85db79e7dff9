//! Nodes and edges as they are written.

use std::sync::Arc;

use super::{BudgetDecl, FieldDecl, IgnoreDecl, PauseDecl, StartDecl, Tree, Unread};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Block, Expr, Name, Place, TypeExpr};

/// A node with its edges.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NodeDecl {
    /// The name.
    pub name: Name,
    /// `kind`, when written. A node with `nodes` is a composite without saying so.
    pub kind: Option<Name>,
    /// `title`, shown in drawings.
    pub title: Option<Spanned<String>>,
    /// `doc`.
    pub doc: Option<Spanned<String>>,
    /// `new`: a variant adds this node.
    pub new: Option<Spanned<bool>>,
    /// `ignore`.
    pub ignores: Vec<IgnoreDecl>,
    /// `as: end` draws a final as `[*]` alone; on an `each` node it is the item's name.
    pub alias: Option<Name>,
    /// Entry statements.
    pub entry: Option<Block>,
    /// Statements after the effect, on success only.
    pub then: Option<Block>,
    /// Keys other than those with a field of their own.
    pub keys: Vec<(Name, KeyValue)>,
    /// `start` of a composite.
    pub start: Option<StartDecl>,
    /// `state` of a composite.
    pub state: Vec<FieldDecl>,
    /// `budgets` of a composite.
    pub budgets: Vec<BudgetDecl>,
    /// `pause` of a composite. Few nodes have one, and it is large.
    pub pause: Option<Box<PauseDecl>>,
    /// Inner nodes of a composite.
    pub nodes: Vec<NodeDecl>,
    /// Branches of a `parallel` node.
    pub branches: Vec<BranchDecl>,
    /// Outgoing edges in order. [`None`]: no `next` was written (it matters to `extends`).
    pub edges: Option<Vec<EdgeDecl>>,
    /// The keys that could not be read.
    pub unread: Unread,
    /// The whole declaration.
    pub span: Span,
}

impl NodeDecl {
    /// The graphs that it and its branches name, each with its key and in order of the text.
    pub(crate) fn callees(&self) -> impl Iterator<Item = CalleeDecl<'_>> {
        self.all_keys().flat_map(|(branch, (key, value))| {
            let (one, several): (_, &[CandidateDecl]) = match value {
                KeyValue::Graphs(several) => (None, several),
                KeyValue::Graph(_) => (Some(value), &[]),
                KeyValue::File(_) if key.value == "graph" => (Some(value), &[]),
                _ => (None, &[]),
            };
            let one = one.map(|graph| CalleeDecl { branch, key, candidate: None, graph });
            one.into_iter().chain(several.iter().map(move |one| CalleeDecl {
                branch,
                key,
                candidate: Some(&one.name),
                graph: &one.graph,
            }))
        })
    }

    /// Its own keys and those of its branches. Each is with the branch it belongs to.
    pub(crate) fn all_keys(&self) -> impl Iterator<Item = (Option<&BranchDecl>, &(Name, KeyValue))> {
        let own = self.keys.iter().map(|key| (None, key));
        own.chain(
            self.branches.iter().flat_map(|branch| branch.keys.iter().map(move |key| (Some(branch), key))),
        )
    }
}

/// A graph that a node names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CalleeDecl<'t> {
    /// The branch that runs it.
    pub(crate) branch: Option<&'t BranchDecl>,
    /// The key.
    pub(crate) key: &'t Name,
    /// Its name, where an expression chooses it.
    pub(crate) candidate: Option<&'t Name>,
    /// Its path, or the graph itself.
    pub(crate) graph: &'t KeyValue,
}

/// Calls `seen` for each of these nodes and for those inside, in order of the text.
pub(crate) fn each_node(nodes: &[NodeDecl], seen: &mut dyn FnMut(&NodeDecl)) {
    for node in nodes {
        seen(node);
        each_node(&node.nodes, seen);
    }
}

/// Calls `seen` for each graph in place that these nodes run, in order of the text.
pub(super) fn each_inner(nodes: &[NodeDecl], seen: &mut dyn FnMut(&Arc<Tree>)) {
    for node in nodes {
        for callee in node.callees() {
            if let KeyValue::Graph(inner) = callee.graph {
                seen(inner);
                inner.each_inner(seen);
            }
        }
        each_inner(&node.nodes, seen);
    }
}

/// The value of a node's own key. Which form a key takes is decided by the syntax (see `lower`).
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a graph has few keys, and they are short-lived")]
pub enum KeyValue {
    /// An expression: `role_of`, `tool_of`, `graph_of`, `over`, `delay`, `outcome`, `ok`, `timeout`, `limit`, `at_once`, `args`…
    Expr(Expr),
    /// A map of expressions: `args`, `with` given as a mapping.
    Fields(Vec<(Name, Expr)>),
    /// A plain name: `role`, `tool`, `prompt`, `system`, `ask`, `stream`, `merge`, `on_error`, `delivery`.
    Name(Name),
    /// A list of names: `allow`, `options`.
    Names(Vec<Name>),
    /// A place to write to: `into`.
    Place(Place),
    /// A type: `output` of a model node, `answer` of a human node.
    Type(TypeExpr),
    /// A file: `graph` of a call.
    File(Spanned<String>),
    /// A graph that is written in place: `graph` of a call.
    Graph(Arc<Tree>),
    /// Graphs of which one is called: `graphs`.
    Graphs(Vec<CandidateDecl>),
    /// A flag: `cache`.
    Bool(Spanned<bool>),
    /// `retry`.
    Retry(RetryDecl),
}

/// A graph that `graph_of` may name.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateDecl {
    /// The name: as written, or that of the file without its folder and ending.
    pub name: Name,
    /// The path, or the graph itself.
    pub graph: KeyValue,
}

/// `retry {attempts: 3, on: [transient], first: 1s, factor: 2, max: 1m, jitter: 0}`.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryDecl {
    /// The largest number of calls.
    pub attempts: Option<Expr>,
    /// Error kinds or classes that are tried again.
    pub on: Vec<Name>,
    /// The first wait.
    pub first: Option<Expr>,
    /// Each wait is the last times this.
    pub factor: Option<Expr>,
    /// No wait is longer.
    pub max: Option<Expr>,
    /// Share of each wait that is random, 0 to 1.
    pub jitter: Option<Expr>,
    /// The whole declaration.
    pub span: Span,
}

/// A branch of a `parallel` node.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchDecl {
    /// The name.
    pub name: Name,
    /// Its keys: `graph`, `graph_of`, `graphs`, `with`, `into`.
    pub keys: Vec<(Name, KeyValue)>,
    /// The keys that could not be read.
    pub unread: Unread,
}

/// An edge.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeDecl {
    /// The target.
    pub to: Name,
    /// `label`.
    pub label: Option<Spanned<String>>,
    /// `outer`: the label when the edge is drawn collapsed.
    pub outer: Option<Spanned<String>>,
    /// `ignore`.
    pub ignores: Vec<IgnoreDecl>,
    /// `on`: the triggers; empty means `done`.
    pub on: Vec<TriggerDecl>,
    /// `when`.
    pub when: Option<Expr>,
    /// `do`.
    pub action: Option<Block>,
    /// The whole declaration.
    pub span: Span,
}

/// One trigger of an edge: `done`, `error`, `error(kind)`, `timeout`, `exhausted(budget)`, `unknown`.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerDecl {
    /// The word.
    pub name: Name,
    /// The text in parentheses: a kind, a class, a budget (`family[key].meter` has an expression).
    pub arg: Option<Expr>,
}
