//! The places that flows end at.

use std::fmt;

use super::source::or_any;
use crate::value::Str;

/// A place that flows end at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FlowTarget {
    /// An argument of a tool.
    Argument {
        /// The tool; [`None`] where its name is computed and may be any.
        tool: Option<Str>,
        /// The argument; [`None`] where any may be meant.
        argument: Option<Str>,
    },
    /// The decision to call a tool.
    Call(Option<Str>),
    /// All that a model reads.
    Model(Option<Str>),
    /// The text that a person is asked, at the node of that name or, for a pause, of that composite or graph.
    Ask(Str),
    /// The outcome of the graph that runs.
    Outcome,
    /// An output of the graph that runs.
    Output(Str),
}

impl FlowTarget {
    /// True for a decision: what decided about a value counts there, and not only what the value is made of.
    pub(super) const fn is_decision(&self) -> bool {
        matches!(self, Self::Call(_) | Self::Outcome)
    }
}

impl fmt::Display for FlowTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument { tool, argument } => {
                write!(f, "tool:{}.{}", or_any(tool.as_ref()), or_any(argument.as_ref()))
            }
            Self::Call(tool) => write!(f, "call:{}", or_any(tool.as_ref())),
            Self::Model(role) => write!(f, "model:{}", or_any(role.as_ref())),
            Self::Ask(node) => write!(f, "ask:{node}"),
            Self::Outcome => f.write_str("outcome"),
            Self::Output(name) => write!(f, "output:{name}"),
        }
    }
}
