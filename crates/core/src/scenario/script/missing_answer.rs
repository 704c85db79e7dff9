//! Answers that a script does not have.

use std::fmt;

use crate::machine::{Call, Request};
use crate::scenario::bind::NoValue;
use crate::source::{Span, Spanned};
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
        /// The name for which there is an answer that nobody asked for, where it is much like the one that is asked.
        near: Option<Spanned<Str>>,
        /// The last answer of who is asked, or of anybody.
        last: Option<Span>,
    },
    /// An expression in the answer has no value.
    NoValue {
        /// The node that asks.
        node: Str,
        /// The fault.
        fault: NoValue,
    },
}

impl MissingAnswer {
    /// The place in the script at which it is mended.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Exhausted { near, last, .. } => near.as_ref().map(|near| near.span).or(*last),
            Self::NoValue { fault, .. } => Some(fault.span),
        }
    }
}

impl fmt::Display for MissingAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhausted { node, lane, wanted, near, .. } => {
                let of = if lane.is_empty() { String::new() } else { format!(" of {lane}") };
                write!(f, "node `{node}`{of} asks for {wanted}, and the script has no answer left for it")?;
                near.as_ref().map_or(Ok(()), |near| write!(f, "; it has one for `{}`", near.value))
            }
            Self::NoValue { node, fault } => {
                write!(f, "the answer for node `{node}` cannot be made: {fault}")
            }
        }
    }
}

/// No answer is left for a call.
pub(super) fn dry(call: &Call, near: Option<Spanned<Str>>, last: Option<Span>) -> MissingAnswer {
    let wanted = match &call.request {
        Request::Model { role, .. } => format!("an answer of the model `{role}`"),
        Request::Tool { tool, args, .. } => {
            format!("the tool `{tool}` with {}", Value::Map(args.clone()).to_json())
        }
    };
    MissingAnswer::Exhausted { node: call.node.clone(), lane: call.lane.clone(), wanted, near, last }
}
