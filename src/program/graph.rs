//! One compiled graph: slots, counters, nodes, edges.

use super::code::Block;
pub use super::delivery::Delivery;
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
    /// How many inputs there are.
    pub inputs: u32,
    /// Budgets and meters.
    pub budgets: Vec<BudgetCode>,
    /// The budgets and meters that the runtime charges.
    pub metered: Box<[u32]>,
    /// Families of meters.
    pub families: Vec<FamilyCode>,
    /// What is done at the start to give all budgets of the whole graph their limits, in this order: a limit may
    /// depend on one that stands before it.
    pub limits: Box<[LimitStep]>,
    /// Lets.
    pub lets: Vec<OpId>,
    /// The depth of each let's own expression, in levels.
    pub let_levels: Vec<u32>,
    /// The lets' names, for templates.
    pub let_names: Vec<Str>,
    /// Actions.
    pub actions: Vec<Block>,
    /// Names of texts; the text itself stands in [`GraphCode::templates`].
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
    /// Whether the graph or one of its composites has a pause.
    pub pauses: bool,
    /// `output`: names and values.
    pub output: Vec<(Str, OpId)>,
    /// Properties.
    pub properties: Vec<(Str, PropertyCode)>,
    /// What the properties remember from one entry to the next, for `previous(e)`.
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
    /// Whether an input is missing if it is not given: it has no default, and null does not fit it.
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
    /// What the runtime charges.
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
    /// What it does.
    pub kind: NodeKind,
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

/// What a node does.
#[derive(Debug)]
pub enum NodeKind {
    /// Runs its entry statements (also `choice`, which has none).
    Pure,
    /// Holds nodes.
    Composite(Box<CompositeCode>),
    /// Asks a model.
    Model(Box<ModelCode>),
    /// Calls a tool.
    Tool(Box<ToolCode>),
    /// Waits for a person.
    Human(Box<HumanCode>),
    /// Runs a graph.
    Call(Box<CallCode>),
    /// Runs a graph per item.
    Each(Box<EachCode>),
    /// Runs several graphs.
    Parallel(Box<ParallelCode>),
    /// Sleeps.
    Wait(OpId),
    /// Ends the graph or composite.
    Final {
        /// The outcome; the node's name when absent.
        outcome: Option<OpId>,
        /// Whether it is a success.
        ok: Option<OpId>,
    },
}

/// A composite.
#[derive(Debug)]
pub struct CompositeCode {
    /// The first inner node.
    pub start: u32,
    /// Slots to set afresh.
    pub slots: Box<[u32]>,
    /// Plain budgets to set afresh.
    pub budgets: Box<[u32]>,
    /// Families to set afresh.
    pub families: Box<[u32]>,
    /// How they get their limits, as in [`GraphCode::limits`].
    pub limits: Box<[LimitStep]>,
    /// `pause`.
    pub pause: Option<PauseCode>,
}

/// A model call.
#[derive(Debug)]
pub struct ModelCode {
    /// The role.
    pub role: NameCode,
    /// The system text.
    pub system: Option<TextCode>,
    /// The prompt.
    pub prompt: Option<TextCode>,
    /// The type of the answer.
    pub output: u32,
    /// Whether the answer is the raw text.
    pub raw: bool,
    /// JSON Schema of the answer, unless raw.
    pub schema: Value,
    /// The field whose partial text is streamed.
    pub stream: Option<Str>,
    /// Where the answer goes.
    pub into: Option<PlaceCode>,
    /// Whether the cache may answer.
    pub cache: bool,
}

/// A tool call.
#[derive(Debug)]
pub struct ToolCode {
    /// The tool.
    pub tool: NameCode,
    /// The arguments.
    pub args: Option<OpId>,
    /// The only tools allowed; empty allows all.
    pub allow: Box<[Str]>,
    /// Where the result goes.
    pub into: Option<PlaceCode>,
    /// Stricter delivery.
    pub delivery: Option<Delivery>,
}

/// A question to a person.
#[derive(Debug)]
pub struct HumanCode {
    /// What is asked.
    pub ask: Option<TextCode>,
    /// The type of the answer.
    pub answer: u32,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// Where the answer goes.
    pub into: Option<PlaceCode>,
}

/// A called graph.
#[derive(Debug)]
pub struct CallCode {
    /// The graph.
    pub graph: u32,
    /// Its inputs.
    pub with: Box<[Option<OpId>]>,
    /// Where the result goes.
    pub into: Option<PlaceCode>,
    /// The map merged into, and the child's output.
    pub merge: Option<(PlaceCode, Str)>,
}

/// A graph per item.
#[derive(Debug)]
pub struct EachCode {
    /// The list.
    pub over: OpId,
    /// The local that holds the item in `with`.
    pub item: u32,
    /// The graph.
    pub graph: u32,
    /// Its inputs.
    pub with: Box<[Option<OpId>]>,
    /// Where the results go.
    pub into: Option<PlaceCode>,
    /// Lanes at a time.
    pub at_once: Option<OpId>,
    /// The greatest number of items.
    pub limit: Option<OpId>,
    /// What a failed lane does.
    pub on_error: OnError,
}

/// The handling of a lane that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnError {
    /// The others are cancelled and nothing is written.
    Stop,
    /// Results and errors are collected.
    Collect,
}

/// Several graphs.
#[derive(Debug)]
pub struct ParallelCode {
    /// The branches.
    pub branches: Box<[BranchCode]>,
    /// What a failed branch does.
    pub on_error: OnError,
}

/// A branch of a parallel node.
#[derive(Debug)]
pub struct BranchCode {
    /// The name.
    pub name: Str,
    /// The graph.
    pub graph: u32,
    /// Its inputs.
    pub with: Box<[Option<OpId>]>,
    /// Where its result goes.
    pub into: Option<PlaceCode>,
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
    /// What it answers to.
    pub on: Box<[Trigger]>,
    /// Whether success is among them.
    pub on_done: bool,
    /// The guard.
    pub when: Option<OpId>,
    /// Its statements.
    pub action: Block,
    /// The label, for people.
    pub label: Option<Str>,
}

/// What an edge answers to.
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
