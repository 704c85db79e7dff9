//! Faults that evaluating an expression can end with instead of a value.

use std::fmt;

use crate::program::error::ErrorKind;
use crate::source::Span;
use crate::value::Str;

/// The kind of a [`Fault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The values do not admit the operation: a wrong type, an overflow, an index out of range.
    Evaluation,
    /// A result would exceed the limit on the size of one value.
    TooLarge,
    /// There is no tool of a name.
    UnknownTool,
    /// The whole evaluation has used up its cost limit. Unlike the others it must not be absorbed by `&&` and `||`:
    /// everything that is evaluated after it fails too.
    Cost,
}

impl FaultKind {
    /// The kind of error a graph sees.
    #[must_use]
    pub const fn error(self) -> ErrorKind {
        match self {
            Self::Evaluation | Self::Cost => ErrorKind::Evaluation,
            Self::TooLarge => ErrorKind::TooLarge,
            Self::UnknownTool => ErrorKind::UnknownTool,
        }
    }
}

/// The reason for having no value. The caller knows which operation it evaluated, so only a text says where it failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The sort of the fault.
    pub kind: FaultKind,
    /// The message, as one sentence without a full stop.
    pub message: Str,
    /// The place in a text of the graph, where that is what failed.
    pub place: Option<Span>,
}

impl Fault {
    /// A fault of the kind [`FaultKind::Evaluation`].
    pub fn evaluation(message: impl Into<Str>) -> Self {
        Self { kind: FaultKind::Evaluation, message: message.into(), place: None }
    }

    /// A fault of the kind [`FaultKind::UnknownTool`].
    #[must_use]
    pub fn unknown_tool(name: &str) -> Self {
        let message = ecow::eco_format!("no tool is called '{name}'");
        Self { kind: FaultKind::UnknownTool, message, place: None }
    }

    /// A fault of the kind [`FaultKind::TooLarge`].
    pub fn too_large(message: impl Into<Str>) -> Self {
        Self { kind: FaultKind::TooLarge, message: message.into(), place: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
