//! Nodes and edges: the weights of the `petgraph`.

use petgraph::graph::{EdgeIndex, NodeIndex};

use super::expr::{Block, BudgetId, BudgetRef, Expr, FamilyId, LocalId, Place, SlotId, TextId};
use super::graph::GraphId;
use super::types::Type;
use crate::source::{Span, Spanned};
use crate::value::Str;

/// A node of one graph.
pub type NodeId = NodeIndex<u32>;

/// An edge of one graph.
pub type EdgeId = EdgeIndex<u32>;

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
    /// What it does.
    pub kind: NodeKind,
    /// Entry statements.
    pub entry: Block,
    /// Statements after the effect, on success only.
    pub then: Block,
    /// Its limit of time (duration).
    pub timeout: Option<Expr>,
    /// How a failed effect is tried again.
    pub retry: Option<Box<Retry>>,
    /// Outgoing edges in order of the text.
    pub edges: Vec<EdgeId>,
    /// The whole declaration.
    pub span: Span,
}

/// What a node does.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// Runs its entry statements.
    Action,
    /// A pure branch.
    Choice,
    /// Holds nodes.
    Composite(Composite),
    /// Asks a language model.
    Model(Box<ModelNode>),
    /// Calls a tool.
    Tool(Box<ToolNode>),
    /// Waits for a person.
    Human(Box<HumanNode>),
    /// Runs another graph.
    Call(Box<CallNode>),
    /// A graph for every item of a list.
    Each(Box<EachNode>),
    /// Named branches, each a graph.
    Parallel(Box<ParallelNode>),
    /// Sleeps for a duration.
    Wait(Expr),
    /// Ends this graph or composite.
    Final(Box<FinalNode>),
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

/// How often a call may reach the tool; ordered from lax to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// No effect: may be repeated at will.
    Pure,
    /// May be repeated with the same key.
    Idempotent,
    /// May reach the tool more than once.
    AtLeastOnce,
    /// Never repeated.
    AtMostOnce,
}

impl Delivery {
    /// All of them with their names, from lax to strict.
    pub const ALL: [(&str, Self); 4] = [
        ("pure", Self::Pure),
        ("idempotent", Self::Idempotent),
        ("at_least_once", Self::AtLeastOnce),
        ("at_most_once", Self::AtMostOnce),
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(own, _)| *own == name).map(|(_, delivery)| *delivery)
    }
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

/// What happens when a lane fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnError {
    /// The others are cancelled and nothing is written.
    Stop,
    /// Results and errors are collected.
    Collect,
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

/// How a failed effect is tried again. Absent keys take the defaults of the language.
#[derive(Debug, Clone)]
pub struct Retry {
    /// How often the call is made at most (int).
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
    /// What the person is asked.
    pub ask: Option<TextSource>,
    /// The whole declaration.
    pub span: Span,
}

/// An edge.
#[derive(Debug, Clone)]
pub struct Edge {
    /// `label`.
    pub label: Option<Str>,
    /// `outer`.
    pub outer: Option<Str>,
    /// What it answers to; at least one.
    pub on: Vec<Trigger>,
    /// The guard.
    pub when: Option<Expr>,
    /// Its statements.
    pub action: Block,
    /// The whole declaration.
    pub span: Span,
}

/// What an edge answers to.
#[derive(Debug, Clone)]
pub enum Trigger {
    /// The node did what it does.
    Done,
    /// Any error but `cancelled`, `unknown` and exhaustion.
    AnyError,
    /// An error of that kind (`timeout` too).
    Kind(Str),
    /// An error of that class.
    Class(Str),
    /// A spend past that budget's limit and grace was refused.
    Exhausted(BudgetRef),
    /// A call whose outcome is not known.
    Unknown,
}

/// What a trigger answers to, to find triggers by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answers {
    /// `done`.
    Done,
    /// `error`.
    AnyError,
    /// `error(kind)`.
    Kind(Str),
    /// `error(class)`.
    Class(Str),
    /// `exhausted(budget)`.
    Exhausted(BudgetId),
    /// `unknown`.
    Unknown,
}

impl Trigger {
    /// What it answers to; [`None`] for a meter of a family, whose key is computed.
    #[must_use]
    pub fn answers(&self) -> Option<Answers> {
        Some(match self {
            Self::Done => Answers::Done,
            Self::AnyError => Answers::AnyError,
            Self::Kind(kind) => Answers::Kind(kind.clone()),
            Self::Class(class) => Answers::Class(class.clone()),
            Self::Exhausted(BudgetRef::Counter(id)) => Answers::Exhausted(*id),
            Self::Exhausted(BudgetRef::Meter(..)) => return None,
            Self::Unknown => Answers::Unknown,
        })
    }

    /// What a trigger answers to, if it answers to everything that this one answers to. `class_of` gives a kind's class.
    pub fn covering(&self, class_of: impl Fn(&str) -> Option<Str>) -> impl Iterator<Item = Answers> {
        let any = match self {
            Self::Kind(kind) => !matches!(kind.as_str(), "cancelled" | "budget_exhausted"),
            Self::Class(class) => class != "cancelled",
            _ => false,
        };
        let class = if let Self::Kind(kind) = self { class_of(kind) } else { None };
        let any = any.then_some(Answers::AnyError);
        self.answers().into_iter().chain(class.map(Answers::Class)).chain(any)
    }
}
