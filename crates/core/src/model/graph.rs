//! A graph with its declarations, and the model that holds it with the graphs it calls.

use std::sync::Arc;

use petgraph::graph::DiGraph;

use super::cfg::Cfg;
use super::expr::{Block, BudgetId, Expr, FamilyId, LocalId, SlotKind};
use super::node::{Edge, Node, NodeId, Pause};
use super::record::TypeTable;
use super::types::Type;
use super::typing::{Rendering, Scope};
use crate::program::function::Functions;
use crate::program::graph::{Charge, Gate};
use crate::source::{Fragment, Span, Spanned};
use crate::syntax::tree::MigrateDecl;
use crate::value::Str;

/// Index of a graph in a [`Model`]; 0 is the one that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GraphId(pub u32);

/// A graph and every graph it calls. The graph of calls is acyclic.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Records of all graphs.
    pub types: TypeTable,
    /// The functions that its expressions may call.
    pub functions: Functions,
    /// Indexed by [`GraphId`].
    pub graphs: Vec<Graph>,
    /// The names of each graph, to type further expressions in: those of scenarios and of conditions on the command line.
    pub scopes: Vec<Arc<Scope>>,
}

impl Model {
    /// The graph that was asked for.
    ///
    /// # Panics
    /// On an empty model, which no loader returns.
    #[must_use]
    pub fn root(&self) -> &Graph {
        &self.graphs[0]
    }

    /// The graph of that id.
    #[must_use]
    pub fn graph(&self, id: GraphId) -> &Graph {
        &self.graphs[id.0 as usize]
    }
}

/// One graph.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The file it was read from, as messages print it.
    pub path: String,
    /// `graph`: its id.
    pub id: Spanned<Str>,
    /// `title`.
    pub title: Option<Str>,
    /// `doc`.
    pub doc: Option<Str>,
    /// `version`.
    pub version: Option<Str>,
    /// All variables: inputs first, then state, then the fields of composites.
    pub slots: Vec<Slot>,
    /// Budgets and meters. A family's meters follow each other.
    pub budgets: Vec<Budget>,
    /// Families of budgets.
    pub families: Vec<Family>,
    /// Parameterless lets.
    pub lets: Vec<Let>,
    /// Actions.
    pub actions: Vec<Action>,
    /// Texts.
    pub texts: Vec<Text>,
    /// The places where texts are rendered, with what is known there. Those in lets are with the uses of the lets.
    pub renderings: Vec<Rendering>,
    /// Roles, declared or used.
    pub roles: Vec<Spanned<Str>>,
    /// Error kinds of the graph's own with their class.
    pub errors: Vec<(Spanned<Str>, Str)>,
    /// The first node.
    pub start: NodeId,
    /// The label of the start transition.
    pub start_label: Option<Str>,
    /// `pause` of the whole graph.
    pub pause: Option<Pause>,
    /// Nodes and edges. Parallel edges stay separate; order is in [`Node::edges`].
    pub graph: DiGraph<Node, Edge, u32>,
    /// The points of a run, and the steps between them.
    pub cfg: Arc<Cfg>,
    /// `output`.
    pub output: Vec<(Spanned<Str>, Expr)>,
    /// `properties`.
    pub properties: Vec<Property>,
    /// `views`.
    pub views: Vec<View>,
    /// `migrate`.
    pub migrate: MigrateDecl,
}

impl Graph {
    /// The graphs that it calls, in order of their ids.
    #[must_use]
    pub fn called(&self) -> Vec<GraphId> {
        let mut found: Vec<GraphId> =
            self.graph.node_weights().flat_map(|node| node.kind.called()).copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// All lists of statements, without those inside of others.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let nodes = self.graph.node_weights().flat_map(|node| [&node.entry, &node.then]);
        let edges = self.graph.edge_weights().map(|edge| &edge.action);
        nodes.chain(edges).chain(self.actions.iter().map(|action| &action.body))
    }
}

/// A variable.
#[derive(Debug, Clone)]
pub struct Slot {
    /// The name.
    pub name: Spanned<Str>,
    /// The type.
    pub ty: Type,
    /// Its owner.
    pub kind: SlotKind,
    /// The default.
    pub init: Option<Expr>,
    /// `where` (inputs only); the value itself is in scope under the slot.
    pub condition: Option<Expr>,
}

/// A counter with a limit. Counters are integers; see [`Charge`] for the scale of metered ones.
#[derive(Debug, Clone)]
pub struct Budget {
    /// The name; a meter's is `family.meter`.
    pub name: Spanned<Str>,
    /// The composite it belongs to.
    pub scope: Option<NodeId>,
    /// The family it is a meter of.
    pub family: Option<FamilyId>,
    /// The limit, over input, input-only lets and other limits; for a meter the key is the family's local.
    pub limit: Expr,
    /// The amount that may be spent past the limit.
    pub grace: Option<Expr>,
    /// Stops or informs.
    pub gate: Gate,
    /// The unit, for people.
    pub unit: Option<Str>,
    /// The thing that the machine charges.
    pub charge: Option<Charge>,
}

/// One set of meters per key.
#[derive(Debug, Clone)]
pub struct Family {
    /// The name.
    pub name: Spanned<Str>,
    /// The composite it belongs to.
    pub scope: Option<NodeId>,
    /// The list of distinct keys.
    pub each: Expr,
    /// The key inside the meters' limits.
    pub binding: LocalId,
    /// The meters, as indices into the graph's budgets.
    pub meters: Vec<BudgetId>,
}

/// A parameterless let.
#[derive(Debug, Clone)]
pub struct Let {
    /// The name.
    pub name: Spanned<Str>,
    /// The expression.
    pub body: Expr,
}

/// A named statement list.
#[derive(Debug, Clone)]
pub struct Action {
    /// The name.
    pub name: Spanned<Str>,
    /// The statements.
    pub body: Block,
}

/// A template.
#[derive(Debug, Clone)]
pub struct Text {
    /// The name.
    pub name: Spanned<Str>,
    /// The template with its places.
    pub body: Fragment,
}

/// A property.
#[derive(Debug, Clone)]
pub struct Property {
    /// The name.
    pub name: Spanned<Str>,
    /// The condition that must hold.
    pub body: PropertyBody,
}

/// The forms of a property.
#[derive(Debug, Clone)]
pub enum PropertyBody {
    /// `never E`.
    Never(Expr),
    /// `always E`.
    Always(Expr),
    /// `eventually E`.
    Eventually(Expr),
    /// `A precedes B`.
    Precedes(Expr, Expr),
}

impl PropertyBody {
    /// Its conditions, in order of the text.
    pub fn conditions(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match self {
            Self::Never(one) | Self::Always(one) | Self::Eventually(one) => (one, None),
            Self::Precedes(one, other) => (one, Some(other)),
        };
        std::iter::once(first).chain(second)
    }
}

/// A named drawing.
#[derive(Debug, Clone)]
pub struct View {
    /// The name.
    pub name: Spanned<Str>,
    /// `state` or `flow`.
    pub form: Str,
    /// Composites that are expanded.
    pub open: Vec<NodeId>,
    /// No boxes.
    pub flat: bool,
    /// Error, timeout, unknown and exhausted edges are drawn.
    pub errors: bool,
    /// It is read from left to right.
    pub across: bool,
    /// The declaration.
    pub span: Span,
}
