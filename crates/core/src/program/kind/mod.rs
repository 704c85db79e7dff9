//! The behaviour of each kind of node, described once.
//!
//! A node is in the model with expressions and places, and in the program with numbers of them; its keys are the same.
//! So each kind is one struct over a [`Stage`], in one file with the names of its keys. [`NodeKind::parts`] gives the keys
//! that are written with their values: the listing of a program, `diff` and the search for uses go through them, and know no
//! kind by name. [`NodeKind::link`] makes one stage from another.

mod call;
mod callable;
mod each;
mod human;
mod last;
mod model;
mod parallel;
mod part;
mod source;
mod stage;
mod tool;

pub use self::call::CallNode;
pub use self::callable::{Callable, Candidate};
pub use self::each::EachNode;
pub use self::human::HumanNode;
pub use self::last::FinalNode;
pub use self::model::{ModelNode, Offer};
pub use self::parallel::{Branch, ParallelNode};
pub use self::part::{Field, KindKey, KindParts, Part};
pub use self::source::GraphSource;
pub use self::stage::{Link, Stage};
pub use self::tool::ToolNode;

const INTO: KindKey = KindKey::new("into", "into-changed", "destination of the answer");
const GRAPH: KindKey = KindKey::new("graph", "called-graph-changed", "called graph");
const ON_ERROR: KindKey = KindKey::new("on_error", "on-error-changed", "way of failed lanes");
const DELAY: KindKey = KindKey::new("delay", "delay-changed", "delay");

/// The keys that several kinds have, and those of kinds without a file.
const SHARED: &[&KindKey] = &[&INTO, &GRAPH, &ON_ERROR, &DELAY];

/// All keys of all kinds. One that several kinds have occurs once for each.
pub fn keys() -> impl Iterator<Item = &'static KindKey> {
    [SHARED, source::KEYS, model::KEYS, tool::KEYS, human::KEYS, call::KEYS, each::KEYS, last::KEYS]
        .into_iter()
        .flatten()
        .copied()
}

/// Does one thing with a node of any kind that has `into`, and another with all others.
macro_rules! answered {
    ($kind:expr, $node:ident => $of:expr, $other:expr) => {
        match $kind {
            NodeKind::Model($node) => $of,
            NodeKind::Tool($node) => $of,
            NodeKind::Human($node) => $of,
            NodeKind::Call($node) => $of,
            NodeKind::Each($node) => $of,
            _ => $other,
        }
    };
}

/// The behaviour of a node.
#[derive(Debug, Clone)]
pub enum NodeKind<S: Stage> {
    /// Runs its entry statements.
    Action,
    /// A pure branch. Programs have an action in its place.
    Choice,
    /// Holds nodes.
    Composite(S::Composite),
    /// Asks a language model.
    Model(Box<ModelNode<S>>),
    /// Calls a tool.
    Tool(Box<ToolNode<S>>),
    /// Waits for a person.
    Human(Box<HumanNode<S>>),
    /// Runs another graph.
    Call(Box<CallNode<S>>),
    /// A graph for every item of a list.
    Each(Box<EachNode<S>>),
    /// Named branches, each a graph.
    Parallel(Box<ParallelNode<S>>),
    /// Sleeps for a duration.
    Wait(S::Expr),
    /// Ends this graph or composite.
    Final(Box<FinalNode<S>>),
}

impl<S: Stage> NodeKind<S> {
    /// The name of the kind.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Choice => "choice",
            Self::Composite(_) => "composite",
            Self::Model(_) => "model",
            Self::Tool(_) => "tool",
            Self::Human(_) => "human",
            Self::Call(_) => "call",
            Self::Each(_) => "each",
            Self::Parallel(_) => "parallel",
            Self::Wait(_) => "wait",
            Self::Final(_) => "final",
        }
    }

    /// The kind as a sentence about a node names it.
    #[must_use]
    pub const fn phrase(&self) -> &'static str {
        match self {
            Self::Action | Self::Choice => "an action or a choice",
            Self::Composite(_) => "a composite",
            Self::Model(_) => "a question to a model",
            Self::Tool(_) => "a call of a tool",
            Self::Human(_) => "a question to a person",
            Self::Call(_) => "a call of a graph",
            Self::Each(_) => "a graph for each item",
            Self::Parallel(_) => "several graphs at once",
            Self::Wait(_) => "a wait",
            Self::Final(_) => "a final",
        }
    }

    /// The keys that are written with their values, in the order of the listing. Those of a composite are not among them.
    #[must_use]
    pub fn parts(&self) -> KindParts<'_, S> {
        match self {
            Self::Action | Self::Choice | Self::Composite(_) => KindParts::new(),
            Self::Model(node) => node.parts(),
            Self::Tool(node) => node.parts(),
            Self::Human(node) => node.parts(),
            Self::Call(node) => node.parts(),
            Self::Each(node) => node.parts(),
            Self::Parallel(node) => node.parts(),
            Self::Wait(delay) => KindParts::new().expr(&DELAY, Some(delay)),
            Self::Final(node) => node.parts(),
        }
    }

    /// The same node in another stage.
    pub fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> NodeKind<B> {
        match self {
            Self::Action | Self::Choice => NodeKind::Action,
            Self::Composite(node) => NodeKind::Composite(to.composite(node)),
            Self::Model(node) => NodeKind::Model(Box::new(node.link(to))),
            Self::Tool(node) => NodeKind::Tool(Box::new(node.link(to))),
            Self::Human(node) => NodeKind::Human(Box::new(node.link(to))),
            Self::Call(node) => NodeKind::Call(Box::new(node.link(to))),
            Self::Each(node) => NodeKind::Each(Box::new(node.link(to))),
            Self::Parallel(node) => NodeKind::Parallel(Box::new(node.link(to))),
            Self::Wait(delay) => NodeKind::Wait(to.expr(delay)),
            Self::Final(node) => NodeKind::Final(Box::new(node.link(to))),
        }
    }

    /// The graphs that it runs or may run, in order.
    pub fn called(&self) -> impl Iterator<Item = &S::Graph> {
        let (one, many): (_, &[Branch<S>]) = match self {
            Self::Call(node) => (Some(&node.graph), &[]),
            Self::Each(node) => (Some(&node.graph), &[]),
            Self::Parallel(node) => (None, &node.branches),
            _ => (None, &[]),
        };
        let sources = one.into_iter().chain(many.iter().map(|branch| &branch.graph));
        sources.flat_map(|source| source.callables().map(|callable| &callable.graph))
    }

    /// The source of the graph that its lane of that number runs.
    #[must_use]
    pub fn source(&self, lane: u32) -> Option<&GraphSource<S>> {
        match self {
            Self::Call(node) => Some(&node.graph),
            Self::Each(node) => Some(&node.graph),
            Self::Parallel(node) => node.branches.get(lane as usize).map(|branch| &branch.graph),
            _ => None,
        }
    }

    /// The place its answer goes to. Each branch of a parallel node has its own.
    #[must_use]
    pub const fn into_place(&self) -> Option<&S::Place> {
        answered!(self, node => node.into.as_ref(), None)
    }

    /// All places that its results go to: that of `into`, that of `merge`, those of branches.
    pub fn places(&self) -> impl Iterator<Item = &S::Place> {
        let (merge, branches): (_, &[Branch<S>]) = match self {
            Self::Call(node) => (node.merge.as_ref().map(|(place, _)| place), &[]),
            Self::Parallel(node) => (None, &node.branches),
            _ => (None, &[]),
        };
        let of_branches = branches.iter().filter_map(|branch| branch.into.as_ref());
        self.into_place().into_iter().chain(merge).chain(of_branches)
    }

    /// The value of `into`, for kinds that have this key.
    pub(crate) const fn place_slot(&mut self) -> Option<&mut Option<S::Place>> {
        answered!(self, node => Some(&mut node.into), None)
    }
}

/// The handling of a lane that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnError {
    /// The others are cancelled and nothing is written.
    Stop,
    /// Results and errors are collected.
    Collect,
}

impl OnError {
    fn part<S: Stage>(self, parts: KindParts<'_, S>) -> KindParts<'_, S> {
        match self {
            Self::Stop => parts,
            Self::Collect => parts.with(&ON_ERROR, Field::Choice("collect")),
        }
    }
}
