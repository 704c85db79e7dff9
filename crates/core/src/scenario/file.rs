//! The contents of a scenario file.

use super::data::Data;
use crate::machine::{MidwayStart, Usage};
use crate::source::{FileId, Span, Spanned};
use crate::value::{List, Map, Str, Value};

/// A scenario file: a graph and the worlds it is tried in.
#[derive(Debug, Clone, Default)]
pub struct ScenarioFile {
    /// The file itself.
    pub file: FileId,
    /// The graph's path as it is written, relative to this file. Absent where the file lacks it, which is a finding.
    pub graph: Option<Spanned<String>>,
    /// The file's `defaults`.
    pub defaults: Scenario,
    /// In order of the text, with the file's `defaults` filled in.
    pub scenarios: Vec<Scenario>,
}

/// Values by name, with the place of each name.
#[derive(Debug, Clone, Default)]
pub struct NamedValues {
    /// The values.
    pub values: Map,
    /// The places of the names, in the order of the values.
    pub places: Vec<Span>,
}

/// One scripted world and what the run in it shall come to.
#[derive(Debug, Clone, Default)]
pub struct Scenario {
    /// Its name, unique in the file.
    pub name: Spanned<Str>,
    /// The graph's input.
    pub input: NamedValues,
    /// The state at which the run begins, if not at the start.
    pub given: Option<ScenarioStart>,
    /// The tools on offer. Absent: those the script answers for, with nothing known about them.
    pub catalogue: Option<List>,
    /// Seed of the run's random numbers.
    pub seed: u64,
    /// Reads the answers of models, tools and people.
    pub answers: ScriptedAnswers,
    /// The expectations.
    pub expect: Expect,
}

/// A beginning in the middle.
#[derive(Debug, Clone, Default)]
pub struct ScenarioStart {
    /// The node that is entered; the graph's start when absent.
    pub at: Option<Spanned<Str>>,
    /// State fields that are set.
    pub state: NamedValues,
    /// The amounts that count as spent.
    pub budgets: NamedValues,
}

impl ScenarioStart {
    /// The same for the machine.
    #[must_use]
    pub fn given(&self) -> MidwayStart {
        MidwayStart {
            at: self.at.as_ref().map(|at| at.value.clone()),
            state: self.state.values.clone(),
            budgets: self.budgets.values.clone(),
        }
    }
}

/// The answers of a scripted world.
#[derive(Debug, Clone, Default)]
pub struct ScriptedAnswers {
    /// Of models.
    pub models: Vec<ScriptedAnswer>,
    /// Of tools.
    pub tools: Vec<ScriptedAnswer>,
    /// Of people.
    pub people: Vec<ScriptedAnswer>,
}

/// One answer and who it is for. What is absent fits everybody.
#[derive(Debug, Clone)]
pub struct ScriptedAnswer {
    /// The place in the file.
    pub span: Span,
    /// The model role or the tool that gives it.
    pub from: Option<Spanned<Str>>,
    /// The node that must ask.
    pub node: Option<Spanned<Str>>,
    /// The lane it must ask from: `research[0]`, or with the visit `research#2[0]`.
    pub lane: Option<Spanned<Str>>,
    /// The reply.
    pub reply: ScriptedReply,
    /// The time it takes, in nanoseconds.
    pub after: i64,
    /// The costs.
    pub usage: Usage,
    /// It comes from the file's `defaults`, so nobody need ask for it.
    pub shared: bool,
}

impl ScriptedAnswer {
    /// A reply for whoever asks `from`, at once and at no cost.
    #[must_use]
    pub fn new(span: Span, from: Option<Spanned<Str>>, reply: ScriptedReply) -> Self {
        Self { span, from, node: None, lane: None, reply, after: 0, usage: Usage::default(), shared: false }
    }
}

/// The reply.
#[derive(Debug, Clone)]
pub enum ScriptedReply {
    /// A value.
    Value(Data),
    /// A failure.
    Failed {
        /// The kind of error.
        kind: Spanned<Str>,
        /// The message.
        message: Data,
        /// Details of the error.
        details: Data,
        /// The wait a provider asks for, in nanoseconds.
        retry_after: Option<i64>,
        /// True if the call surely never began.
        never_began: bool,
    },
    /// Nobody knows whether the call took place.
    Unknown(Data),
}

/// Reads the expectations of a scenario. What is absent is not compared.
#[derive(Debug, Clone, Default)]
pub struct Expect {
    /// The top-level nodes entered, in order.
    pub path: Option<Spanned<Vec<Spanned<Str>>>>,
    /// The leaves entered, in order.
    pub leaf_path: Option<Spanned<Vec<Spanned<Str>>>>,
    /// The outcome.
    pub outcome: Option<Spanned<Str>>,
    /// True if the run is a success.
    pub ok: Option<Spanned<bool>>,
    /// The node at which the run waits for a person.
    pub waiting: Option<Spanned<Str>>,
    /// Fields of the error that ended the run.
    pub error: Option<Spanned<Value>>,
    /// Fields of the final state.
    pub state: Option<Spanned<NamedValues>>,
    /// The amounts used of budgets.
    pub budgets: Option<Spanned<NamedValues>>,
    /// Fields of the output.
    pub output: Option<Spanned<NamedValues>>,
    /// Tool calls that are made, in order.
    pub tool_calls: Option<Spanned<Vec<Spanned<Value>>>>,
    /// Model calls that are made, in order.
    pub model_calls: Option<Spanned<Vec<Spanned<Value>>>>,
    /// Questions that are asked, in order.
    pub questions: Option<Spanned<Vec<Spanned<Value>>>>,
    /// The properties that do not hold; none where this is absent.
    pub violates: Option<Spanned<Vec<Spanned<Str>>>>,
    /// Events that are emitted, in order.
    pub events: Option<Spanned<Vec<Spanned<Value>>>>,
}
