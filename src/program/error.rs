//! The kinds of error that a run can meet without its graph naming them.

use crate::value::Str;

/// The built-in error kinds with their classes.
pub const KINDS: [(&str, &str); 15] = [
    ("invalid_output", "recoverable"),
    ("invalid_args", "recoverable"),
    ("unknown_tool", "recoverable"),
    ("tool_failed", "recoverable"),
    ("context_limit", "recoverable"),
    ("evaluation", "recoverable"),
    ("stuck", "recoverable"),
    ("rate_limited", "transient"),
    ("unavailable", "transient"),
    ("timeout", "transient"),
    ("denied", "fatal"),
    ("budget_exhausted", "fatal"),
    ("too_large", "fatal"),
    ("internal", "fatal"),
    ("cancelled", "cancelled"),
];

/// The class of a built-in error kind.
#[must_use]
pub fn class_of(kind: &str) -> Option<Str> {
    KINDS.iter().find(|(own, _)| *own == kind).map(|(_, class)| (*class).into())
}
