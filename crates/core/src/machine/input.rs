//! Inputs of the machine.

use serde::{Deserialize, Serialize};

use super::call::{CallId, Outcome, QuestionId};
use crate::program::Program;
use crate::value::{List, Map, Str, Value};

/// Nanoseconds since 1970, as the driver's clock says; never goes back within a run.
pub type Time = i64;

/// One input, stamped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Input {
    /// The time of arrival.
    pub at: Time,
    /// The input.
    pub kind: InputKind,
}

/// The kinds of input.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InputKind {
    /// Begins the run; must be the first input.
    Started(Box<Start>),
    /// A call came back.
    Resolved {
        /// The id of the call.
        call: CallId,
        /// With what.
        outcome: Outcome,
    },
    /// A person answered.
    Answered {
        /// The question.
        ask: QuestionId,
        /// With what.
        answer: Value,
    },
    /// Time passed; time-outs, waits and retries that are due happen.
    Time,
    /// The operator ends the run: the current node leaves by `error(cancelled)`.
    Cancel {
        /// The reason, for the error and for the journal.
        reason: Str,
    },
    /// The operator ends the run for good: no edge answers to it.
    End {
        /// The reason, for the error and for the journal.
        reason: Str,
    },
}

/// The start of a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Start {
    /// The run's id: the head of every call's id.
    pub run: Str,
    /// The input fields.
    pub input: Map,
    /// Seed of the run's random numbers (retry jitter).
    pub seed: u64,
    /// The catalogue of tools: maps of `name`, `description`, `schema`, `tags`, `delivery`, and `approval` if a
    /// person is asked before each call.
    pub tools: List,
    /// Begins in the middle instead of at the start.
    pub given: Option<MidwayStart>,
    /// The place at which the operator wants the run to stop and ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<Interrupt>,
}

/// The text of an [`OperatorPause`](crate::program::OperatorPause), stored with the run so that whoever resumes it stops
/// at the same places.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Interrupt {
    /// The condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Str>,
    /// After every so many transitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u64>,
}

impl Interrupt {
    /// That of a program.
    #[must_use]
    pub fn of(program: &Program) -> Option<Self> {
        let pause = program.operator.as_ref()?;
        Some(Self { when: pause.when.as_ref().map(|(text, _)| text.clone()), every: pause.every })
    }
}

/// A beginning in the middle, for scenarios.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct MidwayStart {
    /// The node to enter; its `do` runs as always. The composites around it are entered first.
    pub at: Option<Str>,
    /// State fields to set, after the defaults and the composites' own `do`.
    pub state: Map,
    /// The amounts that count as spent: a number per budget, or per family key a map of meters.
    pub budgets: Map,
}
