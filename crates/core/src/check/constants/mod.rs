//! Constants that decide a run beforehand: expressions that always fail, comparisons that are always true or false.
//!
//! Constants are computed by the functions that runs call, and each graph has so much work for them.

mod comparison;
mod fold;
mod range;

use self::fold::{Fold, Folded};
use super::expressions::{GraphPart, each};
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{BudgetRef, Expr, ExprKind, SlotId};
use crate::model::{Graph, Model};
use crate::source::Span;
use crate::value::Value;

/// Judges all expressions of a graph.
pub(super) fn judge(model: &Model, graph: &Graph, findings: &mut Vec<Diagnostic>) {
    let mut fold = Fold::of(model, graph);
    each(graph, &mut |part| {
        let (expr, is_property) = match part {
            GraphPart::Expr(expr) => (expr, false),
            GraphPart::Property(expr) => (expr, true),
            GraphPart::Budget(budget) => return key(&mut fold, budget, findings),
        };
        expr.walk(&mut |expr| {
            if let Some(why) = fold.own_fault(expr) {
                findings.push(always_fails(expr.span, &why));
            } else if !is_property {
                comparison::judge(&mut fold, expr, findings);
            }
            if let ExprKind::Budget(_, budget) = &expr.kind {
                key(&mut fold, budget, findings);
            }
        });
    });
    defaults(&mut fold, findings);
}

fn always_fails(span: Span, why: &str) -> Diagnostic {
    Diagnostic::warning(rule::ALWAYS_FAILS, span, format!("this always fails: {why}"))
}

/// A constant key of a family whose keys are a constant list without it.
fn key(fold: &mut Fold<'_>, budget: &BudgetRef, findings: &mut Vec<Diagnostic>) {
    let BudgetRef::Meter(id, key) = budget else { return };
    let graph = fold.graph;
    let Some(family) = graph.budgets[id.0 as usize].family else { return };
    let family = &graph.families[family.0 as usize];
    let (Folded::Value(keys), Folded::Value(key_value)) = (fold.value(&family.each), fold.value(key)) else {
        return;
    };
    let (Value::List(keys), Value::Str(wanted)) = (&keys, &key_value) else { return };
    if keys.iter().any(|own| own.is_str(wanted)) {
        return;
    }
    let name = &family.name.value;
    let known: Vec<String> = keys.iter().filter_map(Value::as_str).map(|own| format!("'{own}'")).collect();
    let fault = always_fails(key.span, &format!("the budgets `{name}` have no key '{wanted}'"));
    findings.push(fault.help(if known.is_empty() {
        "the list of its keys is empty".to_owned()
    } else {
        format!("its keys are {}", known.join(", "))
    }));
}

/// Defaults of inputs that break the condition of their own input.
fn defaults(fold: &mut Fold<'_>, findings: &mut Vec<Diagnostic>) {
    let graph = fold.graph;
    for (slot, id) in graph.slots.iter().zip(0..) {
        let (Some(init), Some(condition)) = (&slot.init, &slot.condition) else { continue };
        let Folded::Value(value) = fold.value(init) else { continue };
        if matches!(fold.value_with(condition, SlotId(id), value), Folded::Value(Value::Bool(false))) {
            let name = &slot.name.value;
            let fault = Diagnostic::warning(
                rule::ALWAYS_FAILS,
                init.span,
                format!("the default of `{name}` breaks its own `where`: each run without `{name}` fails"),
            );
            findings.push(fault.also(condition.span, "the condition").help("write a default that fits"));
        }
    }
}

/// The constant on one side of a comparison, with the other side.
fn with_constant<'e>(fold: &mut Fold<'_>, sides: &'e [Expr]) -> Option<(&'e Expr, Value, bool)> {
    let [left, right] = sides else { return None };
    match (fold.value(left), fold.value(right)) {
        (Folded::Open, Folded::Value(value)) => Some((left, value, false)),
        (Folded::Value(value), Folded::Open) => Some((right, value, true)),
        _ => None,
    }
}
