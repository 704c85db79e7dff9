//! Answers that a script does not have.

use std::fmt;

use crate::machine::{Call, Request};
use crate::scenario::bind::NoValue;
use crate::value::{Str, Value};

/// A missing answer of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingAnswer {
    /// It has none that fits.
    Exhausted {
        /// The node that asks.
        node: Str,
        /// The lane it asks from, empty for the root graph.
        lane: Str,
        /// The request.
        wanted: String,
    },
    /// An expression in the answer has no value.
    NoValue {
        /// The node that asks.
        node: Str,
        /// The fault.
        fault: NoValue,
    },
}

impl fmt::Display for MissingAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhausted { node, lane, wanted } if lane.is_empty() => {
                write!(f, "node `{node}` asks for {wanted}, and the script has no answer left for it")
            }
            Self::Exhausted { node, lane, wanted } => {
                write!(
                    f,
                    "node `{node}` of {lane} asks for {wanted}, and the script has no answer left for it"
                )
            }
            Self::NoValue { node, fault } => {
                write!(f, "the answer for node `{node}` cannot be made: {fault}")
            }
        }
    }
}

/// No answer is left for a call.
pub(super) fn dry(call: &Call) -> MissingAnswer {
    let wanted = match &call.request {
        Request::Model { role, .. } => format!("an answer of the model `{role}`"),
        Request::Tool { tool, args, .. } => {
            format!("the tool `{tool}` with {}", Value::Map(args.clone()).to_json())
        }
    };
    MissingAnswer::Exhausted { node: call.node.clone(), lane: call.lane.clone(), wanted }
}
