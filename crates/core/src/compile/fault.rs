//! Faults that keep a model from being compiled.

use crate::diag::{Diagnostic, rule};
use crate::program::shape::Misfit;
use crate::source::Span;
use crate::value::Str;

/// A fault and its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct CompileError {
    /// The fault.
    pub kind: CompileFault,
    /// The place in the graph's text.
    pub span: Span,
}

/// The fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileFault {
    /// The model holds an expression or a type that could not be resolved.
    #[error("this could not be resolved; a model with errors cannot be compiled")]
    Unresolved,
    /// The default of a record's field has no value.
    #[error("the default of {record}.{field} cannot be computed: {reason}")]
    Default {
        /// The name of the record type.
        record: Str,
        /// The name of the field.
        field: Str,
        /// The reason.
        reason: String,
    },
    /// The default of a record's field does not fit its type.
    #[error("the default of {record}.{field} does not fit: {misfit}")]
    DefaultMisfit {
        /// The name of the record type.
        record: Str,
        /// The name of the field.
        field: Str,
        /// The faults.
        misfit: Misfit,
    },
    /// A default that contains itself, or that grows past all bounds.
    #[error("the default of {record}.{field} takes more than 1 MiB with the defaults that are filled in")]
    DefaultTooLarge {
        /// The name of the record type.
        record: Str,
        /// The name of the field.
        field: Str,
    },
    /// Limits of budgets that depend on each other in a circle.
    #[error("the limits of these budgets depend on each other: {}", .0.join(", "))]
    LimitCycle(Vec<Str>),
    /// A text is no template.
    #[error("{0}")]
    Template(String),
    /// An expression nests too deep, parameters of lets put in place.
    #[error("this nests deeper than {0} levels once the lets it uses are put in place")]
    TooDeep(u32),
    /// The program has too many operations or statements.
    #[error("the program has more than {0} operations once the lets it uses are put in place")]
    TooLarge(usize),
}

impl From<&CompileError> for Diagnostic {
    fn from(error: &CompileError) -> Self {
        Self::error(rule::NOT_COMPILED, error.span, error.kind.to_string())
    }
}
