//! Answers held against the type that was asked for.

use crate::config::validator;
use crate::value::Value;
use crate::value::json::{JsonLimits, parse_strict};

/// Returns true if an answer fits a JSON Schema: any text fits null, which asks for raw text.
pub(super) fn fits(schema: &Value, answer: &str) -> bool {
    if schema.is_null() {
        return true;
    }
    let parsed = parse_strict(answer, JsonLimits::default()).ok();
    parsed.is_some_and(|parsed| validator(schema).is_ok_and(|schema| schema.is_valid(&parsed.to_json())))
}
