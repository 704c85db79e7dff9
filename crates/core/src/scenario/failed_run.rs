//! The finding about a run that failed.

use crate::diag::{Diagnostic, rule};
use crate::program::error::ErrorKind;
use crate::program::listing::literal;
use crate::source::Span;
use crate::value::Value;

/// The finding for an error of a run (`{kind, message, details, …}`) that left `node`, at the place in the text where it
/// happened. `own` says that this place is in the node's own graph, not in one that was called.
#[must_use]
pub fn failed_run(node: &str, error: &Value, span: Span, own: bool) -> Diagnostic {
    let details = error.as_map().and_then(|map| map.get("details")).unwrap_or(&Value::Null);
    let (budget, kind) = (text(details, "budget"), text(error, "kind"));
    let trigger = match (ErrorKind::BudgetExhausted.is(&kind), budget.split_once('.')) {
        (true, Some((family, meter))) if own => {
            format!("exhausted({family}[{}].{meter})", literal(&text(details, "key").into()))
        }
        (true, None) if own => format!("exhausted({budget})"),
        _ => format!("error({kind})"),
    };
    failure(node, error, span).help(format!("add an edge `on: {trigger}` to `{node}` to handle this"))
}

/// The finding for an error after which the run took an edge, from one node to another.
pub(super) fn answered_failure(
    node: &str,
    error: &Value,
    span: Span,
    (from, to): (&str, &str),
) -> Diagnostic {
    failure(node, error, span).help(format!("the run went on by the edge from `{from}` to `{to}`"))
}

fn failure(node: &str, error: &Value, span: Span) -> Diagnostic {
    Diagnostic::error(rule::FAILED_RUN, span, format!("`{node}` failed: {}", text(error, "message")))
}

/// A field of a map, as text.
fn text(of: &Value, field: &str) -> String {
    of.as_map().and_then(|map| map.get(field)).and_then(Value::as_str).unwrap_or_default().to_owned()
}
