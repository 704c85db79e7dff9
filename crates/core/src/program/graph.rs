//! One compiled graph: slots, counters, nodes, edges.

use super::code::Block;
pub use super::delivery::Delivery;
pub use super::kind::OnError;
use super::kind::{self, Stage};
use super::migration::Migration;
use super::op::{Counter, OpId};
use super::shape::Shapes;
use crate::value::{Str, Value};

/// A compiled graph. Nodes and edges keep their model ids.
#[derive(Debug, Default)]
pub struct GraphCode {
    /// Its id.
    pub id: Str,
    /// All variables; the first `inputs` are inputs.
    pub slots: Vec<SlotCode>,
    /// The number of inputs.
    pub inputs: u32,
    /// Budgets and meters.
    pub budgets: Vec<BudgetCode>,
    /// The budgets and meters that the runtime charges.
    pub metered: Box<[u32]>,
    /// Families of meters.
    pub families: Vec<FamilyCode>,
    /// The steps at the start that give all budgets of the whole graph their limits, in this order: a limit may
    /// depend on one that is before it.
    pub limits: Box<[LimitStep]>,
    /// Lets.
    pub lets: Vec<OpId>,
    /// The depth of each let's own expression, in levels.
    pub let_levels: Vec<u32>,
    /// The lets' names, for templates.
    pub let_names: Vec<Str>,
    /// Actions.
    pub actions: Vec<Block>,
    /// Names of texts; the text itself is in [`GraphCode::templates`].
    pub texts: Vec<Str>,
    /// Templates, by name of text.
    pub templates: super::template::Templates,
    /// Error kinds of the graph's own and their class.
    pub errors: Vec<(Str, Str)>,
    /// Nodes.
    pub nodes: Vec<NodeCode>,
    /// Edges.
    pub edges: Vec<EdgeCode>,
    /// The first node.
    pub start: u32,
    /// `pause` of the graph.
    pub pause: Option<PauseCode>,
    /// True if the graph or one of its composites has a pause.
    pub pauses: bool,
    /// `output`: names and values.
    pub output: Vec<(Str, OpId)>,
    /// Properties.
    pub properties: Vec<(Str, PropertyCode)>,
    /// By node: what an entry of it may change for them; empty in a graph without properties.
    pub judged: Vec<JudgedLeaf>,
    /// The names that parts had in an earlier version.
    pub migration: Migration,
    /// The values that properties remember from one entry to the next, for `previous(e)`.
    pub remembered: Vec<OpId>,
}

impl GraphCode {
    /// The steps for the budgets of one scope in the order of their declarations.
    #[must_use]
    pub fn limit_steps(&self, scope: Option<u32>) -> Vec<LimitStep> {
        let plain = (0_u32..)
            .zip(&self.budgets)
            .filter(|(_, budget)| budget.scope == scope && budget.family.is_none());
        let mut steps: Vec<LimitStep> = plain.map(|(budget, _)| LimitStep::Counter(budget)).collect();
        for (id, family) in (0_u32..).zip(&self.families).filter(|(_, family)| family.scope == scope) {
            steps.push(LimitStep::Keys(id));
            steps.extend(family.meters.iter().map(|meter| LimitStep::Meter(*meter)));
        }
        steps
    }
}

/// A variable.
#[derive(Debug)]
pub struct SlotCode {
    /// The name.
    pub name: Str,
    /// The default.
    pub init: Option<OpId>,
    /// Its type, to check inputs and patches against.
    pub shape: u32,
    /// `where`.
    pub condition: Option<OpId>,
    /// The composite it belongs to.
    pub scope: Option<u32>,
}

impl SlotCode {
    /// Returns true if an input is missing if it is not given: it has no default, and null does not fit it.
    #[must_use]
    pub fn is_required(&self, shapes: &Shapes) -> bool {
        self.init.is_none() && !shapes.is(self.shape, &Value::Null)
    }
}

/// A budget or a meter.
#[derive(Debug)]
pub struct BudgetCode {
    /// The name (`family.meter` for a meter).
    pub name: Str,
    /// The composite it belongs to.
    pub scope: Option<u32>,
    /// The family it is a meter of and its position there.
    pub family: Option<(u32, u32)>,
    /// The limit.
    pub limit: OpId,
    /// The grace.
    pub grace: Option<OpId>,
    /// Stops or informs.
    pub gate: Gate,
    /// The amount that the runtime charges.
    pub charge: Option<Charge>,
    /// The unit, for people.
    pub unit: Option<Str>,
}

/// The force of a budget: it stops, or it only informs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gate {
    /// A spend past limit and grace is not made.
    Hard,
    /// Counts and informs.
    Advisory,
}

/// A use of the world that the runtime meters by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Charge {
    /// Transitions taken.
    Transitions,
    /// Model calls made.
    ModelCalls,
    /// Tokens used by models.
    ModelTokens,
    /// Money used by models, in nano-usd.
    ModelCost,
    /// Tool calls made.
    ToolCalls,
    /// Time without waiting for people, in nanoseconds.
    Time,
}

impl Charge {
    /// All that can be metered.
    pub const ALL: [Self; 6] = [
        Self::Transitions,
        Self::ModelCalls,
        Self::ModelTokens,
        Self::ModelCost,
        Self::ToolCalls,
        Self::Time,
    ];

    /// The word for it in a graph file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transitions => "transitions",
            Self::ModelCalls => "model.calls",
            Self::ModelTokens => "model.tokens",
            Self::ModelCost => "model.cost",
            Self::ToolCalls => "tool.calls",
            Self::Time => "time",
        }
    }

    /// The amount that is charged, and when.
    #[must_use]
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Transitions => {
                "1 for each edge that is taken, before it is taken; an edge on `exhausted` is free"
            }
            Self::ModelCalls => "1 for each call of a model, before the call; a retry is a call",
            Self::ModelTokens => {
                "the tokens of each model call, input and output, after the call; the last call may exceed the limit"
            }
            Self::ModelCost => {
                "the price of each model call, after the call; the last call may exceed the limit"
            }
            Self::ToolCalls => "1 for each call of a tool, before the call; a retry is a call",
            Self::Time => "the time that passes, without the time in which a person is asked",
        }
    }
}

/// One step of giving budgets their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitStep {
    /// Computes limit and grace of this plain budget.
    Counter(u32),
    /// Evaluates the keys of this family; its counters are all 0 from then on.
    Keys(u32),
    /// Computes limit and grace of this meter, once per key of its family.
    Meter(u32),
}

/// A family of meters.
#[derive(Debug)]
pub struct FamilyCode {
    /// The name.
    pub name: Str,
    /// The composite it belongs to.
    pub scope: Option<u32>,
    /// The keys.
    pub each: OpId,
    /// The local that holds the key while a meter's limit is computed.
    pub binding: u32,
    /// Its meters in [`GraphCode::budgets`].
    pub meters: Vec<u32>,
}

/// A node.
#[derive(Debug)]
pub struct NodeCode {
    /// The name.
    pub name: Str,
    /// The composite it lies in.
    pub parent: Option<u32>,
    /// The composites around it, outermost first.
    pub chain: Box<[u32]>,
    /// Its effect.
    pub kind: LinkedNodeKind,
    /// Entry statements.
    pub entry: Block,
    /// Statements after the effect.
    pub then: Block,
    /// Its limit of time.
    pub timeout: Option<OpId>,
    /// Retry.
    pub retry: Option<Box<RetryCode>>,
    /// Its edges in order.
    pub edges: Box<[u32]>,
}

/// A place an answer goes to: a slot and the way down from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceCode {
    /// The variable.
    pub slot: u32,
    /// The way down.
    pub steps: Box<[super::code::Step]>,
    /// The type of what may be written.
    pub shape: u32,
}

/// A text by index or an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextCode {
    /// A text of the graph.
    Text(u32),
    /// An expression.
    Expr(OpId),
}

/// A fixed name or an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameCode {
    /// Fixed.
    Fixed(Str),
    /// Computed.
    Computed(OpId),
}

/// Nodes of a program: everything is a number in one of its tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linked;

impl Stage for Linked {
    type Expr = OpId;
    type Text = TextCode;
    type Name = NameCode;
    type Word = Str;
    type Answer = AnswerCode;
    type Place = PlaceCode;
    type Graph = u32;
    type Local = u32;
    type Composite = Box<CompositeCode>;
}

/// The type of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerCode {
    /// Its number among the shapes.
    pub shape: u32,
    /// True for a model's raw text.
    pub raw: bool,
    /// Its JSON Schema; null where it is raw.
    pub schema: Value,
}

/// The behaviour of a node of a program.
pub type LinkedNodeKind = kind::NodeKind<Linked>;
/// A model call.
pub type ModelCode = kind::ModelNode<Linked>;
/// The tools that a model may ask to call.
pub type OfferCode = kind::Offer<Linked>;
/// A tool call.
pub type ToolCode = kind::ToolNode<Linked>;
/// A graph per item.
pub type EachCode = kind::EachNode<Linked>;
/// Several graphs.
pub type ParallelCode = kind::ParallelNode<Linked>;

/// A composite.
#[derive(Debug, Clone)]
pub struct CompositeCode {
    /// The first inner node.
    pub start: u32,
    /// Slots to set afresh.
    pub slots: Box<[u32]>,
    /// Plain budgets to set afresh.
    pub budgets: Box<[u32]>,
    /// Families to set afresh.
    pub families: Box<[u32]>,
    /// The steps that give them their limits, as in [`GraphCode::limits`].
    pub limits: Box<[LimitStep]>,
    /// `pause`.
    pub pause: Option<PauseCode>,
}

/// Retry.
#[derive(Debug)]
pub struct RetryCode {
    /// At most so many calls.
    pub attempts: OpId,
    /// Kinds and classes.
    pub on: Box<[Str]>,
    /// First wait (default 1s).
    pub first: Option<OpId>,
    /// Factor (default 2).
    pub factor: Option<OpId>,
    /// Longest wait (default 1m).
    pub max: Option<OpId>,
    /// Jitter (default 0).
    pub jitter: Option<OpId>,
}

/// A pause.
#[derive(Debug, Clone, Copy)]
pub struct PauseCode {
    /// The condition.
    pub when: OpId,
    /// The question.
    pub ask: Option<TextCode>,
}

/// An edge.
#[derive(Debug)]
pub struct EdgeCode {
    /// The node or composite it starts at.
    pub from: u32,
    /// The target.
    pub to: u32,
    /// The triggers that it answers to.
    pub on: Box<[Trigger]>,
    /// True if success is among them.
    pub on_done: bool,
    /// The guard.
    pub when: Option<OpId>,
    /// Its statements.
    pub action: Block,
    /// The label, for people.
    pub label: Option<Str>,
}

/// The trigger of an edge.
#[derive(Debug, Clone, PartialEq)]
pub enum Trigger {
    /// Success.
    Done,
    /// Any ordinary error.
    AnyError,
    /// A kind.
    Kind(Str),
    /// A class.
    Class(Str),
    /// A refused spend.
    Exhausted(Counter),
    /// An unknown outcome.
    Unknown,
}

/// The properties that an entry of a leaf may change.
#[derive(Debug, Clone, Default)]
pub struct JudgedLeaf {
    /// Their numbers, in order.
    pub properties: Box<[u32]>,
    /// The same where it is the first leaf that is entered, or the second and something is remembered of the first: all but those that
    /// the leaf alone decides.
    pub at_first: Box<[u32]>,
    /// True if something that `previous` remembers may have been written.
    pub remembers: bool,
}

/// A property.
#[derive(Debug, Clone, Copy)]
pub enum PropertyCode {
    /// `never E`.
    Never(OpId),
    /// `always E`.
    Always(OpId),
    /// `eventually E`.
    Eventually(OpId),
    /// `A precedes B`.
    Precedes(OpId, OpId),
}
