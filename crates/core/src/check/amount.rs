//! Constants that take a node or a budget its use: limits below 0, time limits of nothing, retries without number.

use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::expr::{Expr, ExprKind};
use crate::model::node::{Node, Retry};
use crate::value::{Value, duration};

/// More attempts than this are no longer a way to get an answer.
const MAX_ATTEMPTS: i64 = 1_000;

/// The most attempts that are made without a pause between them.
const MAX_UNPAUSED_ATTEMPTS: i64 = 10;

/// Judges the budgets, time limits and retries of a graph. What is worked out when a graph runs is not known here.
pub(super) fn judge(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    for budget in &graph.budgets {
        let parts = [("limit", Some(&budget.limit)), ("grace", budget.grace.as_ref())];
        for (what, expr) in parts {
            let Some((expr, value)) = expr.and_then(|expr| Some((expr, constant(graph, expr)?))) else {
                continue;
            };
            if number(value).is_some_and(|n| n < 0) {
                let message = format!("the {what} of `{}` is below 0", budget.name.value);
                let fault = Diagnostic::error(rule::BAD_BUDGET, expr.span, message);
                findings.push(fault.help(if what == "limit" {
                    "write the amount that may be spent; a budget of which nothing may be spent has the limit 0"
                } else {
                    "remove the grace, or write a smaller limit"
                }));
            }
        }
    }
    for node in graph.graph.node_weights() {
        timeout(graph, node, findings);
        if let Some(retry) = &node.retry {
            attempts(graph, retry, findings);
        }
    }
}

fn timeout(graph: &Graph, node: &Node, findings: &mut Vec<Diagnostic>) {
    let Some(expr) = &node.timeout else { return };
    if let Some(Value::Duration(nanoseconds)) = constant(graph, expr)
        && *nanoseconds <= 0
    {
        let message = format!(
            "the `timeout` of `{}` is {}: it passes before the node starts",
            node.name.value,
            duration::text(*nanoseconds)
        );
        let fault = Diagnostic::error(rule::BAD_TIMEOUT, expr.span, message);
        findings.push(fault.help("write how long it may take, such as `30s`, or remove the `timeout`"));
    }
}

fn attempts(graph: &Graph, retry: &Retry, findings: &mut Vec<Diagnostic>) {
    let Some(Value::Int(attempts)) = constant(graph, &retry.attempts) else { return };
    let report = |message: String| Diagnostic::error(rule::BAD_RETRY, retry.attempts.span, message);
    let nothing = |expr: &Option<Expr>| {
        let value = expr.as_ref().and_then(|expr| constant(graph, expr));
        matches!(value, Some(Value::Duration(nanoseconds)) if *nanoseconds <= 0)
    };
    if *attempts > MAX_ATTEMPTS {
        let fault = report(format!("{attempts} attempts are more than the {MAX_ATTEMPTS} there may be"));
        findings.push(fault.help("write fewer; to try for longer, use a loop with a `wait` and a budget"));
    } else if *attempts > MAX_UNPAUSED_ATTEMPTS && (nothing(&retry.first) || nothing(&retry.max)) {
        let fault = report(format!("{attempts} attempts are made without a wait between them"));
        findings.push(fault.help(format!(
            "write a wait that is longer than 0, such as `first: 1s`, or at most {MAX_UNPAUSED_ATTEMPTS} attempts"
        )));
    }
}

/// The value of a constant, be it the body of a let.
fn constant<'g>(graph: &'g Graph, mut expr: &'g Expr) -> Option<&'g Value> {
    // Lets use each other without circles; a long chain is given up.
    for _ in 0..64 {
        match &expr.kind {
            ExprKind::Const(value) => return Some(value),
            ExprKind::Let(id) => expr = &graph.lets[id.0 as usize].body,
            _ => return None,
        }
    }
    None
}

/// A number of units, of nanoseconds or of billionths of a dollar.
const fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(n) | Value::Usd(n) | Value::Duration(n) => Some(*n),
        _ => None,
    }
}
