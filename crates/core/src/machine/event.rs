//! Events for the journal. Events carry ids and deltas; names are looked up in the program when they
//! are printed.

use serde::{Deserialize, Serialize};

use super::call::{Call, CallId, Outcome, Question, QuestionId};
use super::input::{Start, Time};
pub use crate::program::change::{Change, Changes, Emit, Spend, Write};
use crate::value::{Str, Value};

/// The version of the journal's format. A reader refuses a higher one.
pub const JOURNAL_VERSION: u32 = 1;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Event {
    /// Its number in the run, from 0, without gaps.
    pub seq: u64,
    /// The time of the input that caused it.
    pub at: Time,
    /// The frame it happened in; 0 is the root graph.
    pub frame: u32,
    /// The kind of event, with its data.
    pub kind: EventKind,
}

/// The kinds of event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EventKind {
    /// The run began.
    Started {
        /// With what.
        start: Box<Start>,
        /// The program's digest.
        program: Str,
    },
    /// A called graph or lane began.
    Opened {
        /// The frame that calls.
        parent: u32,
        /// The number of the graph in the program.
        graph: u32,
        /// The lane: item or branch number.
        lane: u32,
        /// The values of its inputs, by name.
        input: Box<Value>,
    },
    /// A composite was entered and its `do` ran.
    Crossed {
        /// The composite.
        node: u32,
        /// The changes of its `do`.
        #[serde(default, skip_serializing_if = "Changes::is_empty")]
        changes: Changes,
    },
    /// A node was entered and its `do` ran.
    Entered {
        /// The number of the node in its graph.
        node: u32,
        /// The visit, from 1.
        visit: u32,
        /// The changes of its `do`.
        #[serde(default, skip_serializing_if = "Changes::is_empty")]
        changes: Changes,
    },
    /// A call was made.
    Called(Box<Call>),
    /// A call came back.
    Resolved {
        /// The id of the call.
        call: CallId,
        /// With what.
        outcome: Box<Outcome>,
    },
    /// A call came back after its time-out or after its lane was cancelled; billed, otherwise ignored.
    Late {
        /// The id of the call.
        call: CallId,
        /// With what.
        outcome: Box<Outcome>,
    },
    /// A failed call is tried again.
    Retrying {
        /// The number of the node in its graph.
        node: u32,
        /// The attempt that comes, from 2.
        attempt: u32,
        /// The time.
        until: Time,
    },
    /// A node did its work: `into` and `then`.
    Completed {
        /// The number of the node in its graph.
        node: u32,
        /// Their changes.
        #[serde(default, skip_serializing_if = "Changes::is_empty")]
        changes: Changes,
    },
    /// A node ended with an error, a refused spend or an unknown outcome.
    Failed {
        /// The number of the node in its graph.
        node: u32,
        /// `{kind, class, message, details, attempt}`.
        error: Box<Value>,
        /// The amounts spent by the failed unit.
        #[serde(default, skip_serializing_if = "Changes::is_empty")]
        changes: Changes,
    },
    /// An edge was taken.
    Took {
        /// The number of the edge in its graph.
        edge: u32,
        /// The changes of its `do`.
        #[serde(default, skip_serializing_if = "Changes::is_empty")]
        changes: Changes,
    },
    /// The runtime charged a budget.
    Charged(Spend),
    /// A person is asked.
    Asked(Box<Question>),
    /// A person answered.
    Answered {
        /// The question.
        ask: QuestionId,
        /// With what.
        answer: Box<Value>,
    },
    /// A `wait` node sleeps.
    Waiting {
        /// The number of the node in its graph.
        node: u32,
        /// Until when.
        until: Time,
    },
    /// A call was given up: its time is over or its lane was cancelled.
    Abandoned {
        /// The id of the call.
        call: CallId,
    },
    /// A called graph or lane ended.
    Closed {
        /// Its outcome.
        outcome: Str,
        /// True if it is a success.
        ok: bool,
        /// Its output, or the error that ended it.
        output: Box<Value>,
    },
    /// The run ended.
    Done(Box<Done>),
}

// Whole steps' worth of events stay in memory until they are recorded: what is rare or large is behind a pointer.
const _: () = assert!(size_of::<Event>() <= 56);

impl EventKind {
    /// The changes of statements, if the event holds any.
    #[must_use]
    pub const fn changes(&self) -> Option<&Changes> {
        match self {
            Self::Crossed { changes, .. }
            | Self::Entered { changes, .. }
            | Self::Completed { changes, .. }
            | Self::Failed { changes, .. }
            | Self::Took { changes, .. } => Some(changes),
            _ => None,
        }
    }
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Done {
    /// The final's outcome, or the kind of the error nobody handled.
    pub outcome: Str,
    /// True if it is a success.
    pub ok: bool,
    /// The graph's `output`.
    pub output: Value,
    /// The error that ended it, null otherwise.
    pub error: Value,
}
