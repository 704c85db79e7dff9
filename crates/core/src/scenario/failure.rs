//! The ways in which a run differs from what its scenario expects.

use super::facts::BrokenProperty;
use crate::source::Span;
use crate::value::{Str, Value};

/// Something that went otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioFault {
    /// The expectation it breaks.
    pub span: Span,
    /// The failure.
    pub failure: ScenarioFailure,
}

/// The ways in which a scenario fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScenarioFailure {
    /// The run did not end, or not as runs should.
    Ended(String),
    /// One value is another.
    Value {
        /// The key of `expect`.
        what: &'static str,
        /// The expected value.
        expected: Value,
        /// The found value, if any.
        found: Option<Value>,
    },
    /// The run took another path.
    Path {
        /// `path` or `leaf_path`.
        what: &'static str,
        /// Both paths side by side: expected, taken.
        rows: Vec<(Option<Str>, Option<Str>)>,
    },
    /// Fields have other values.
    Fields {
        /// The key of `expect`.
        what: &'static str,
        /// The fields that differ, in order.
        differences: Vec<FieldDifference>,
    },
    /// A call, question or event did not happen, or not in this order; or some did where none was expected.
    Calls {
        /// The key of `expect`.
        what: &'static str,
        /// The first one that is missing.
        missing: Option<Value>,
        /// The ones that happened, in order.
        found: Vec<Value>,
    },
    /// Properties of the graph do not hold.
    Broken(Vec<BrokenProperty>),
    /// Nobody asked for these answers.
    Unused(Vec<Span>),
}

/// A field with another value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDifference {
    /// The way to it: `answer.action`, `hits[2]`; empty for the whole.
    pub at: String,
    /// The expected value.
    pub expected: Value,
    /// The found value; nothing where the field is missing.
    pub found: Option<Value>,
}
