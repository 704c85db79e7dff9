//! Comparisons that are always true or always false, by the type of what is compared with a constant.

use super::fold::{Fold, Folded};
use super::range::range;
use super::with_constant;
use crate::diag::{Diagnostic, Label, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::Kind;
use crate::program::function::Function;
use crate::value::Value;

/// Judges one comparison.
pub(super) fn judge(fold: &mut Fold<'_>, expr: &Expr, findings: &mut Vec<Diagnostic>) {
    let ExprKind::Call(function, sides) = &expr.kind else { return };
    if let Some(finding) = fraction(fold, *function, expr, sides) {
        report(finding, *function == Function::NOT_EQUAL, findings);
        return;
    }
    let Some((side, constant, swapped)) = with_constant(fold, sides) else { return };
    let function = if swapped { mirrored(*function) } else { *function };
    if let Some((truth, why)) = decided(function, side, &constant) {
        let message = format!("this is always {truth}: {why}");
        let fault = Diagnostic::warning(rule::CONSTANT_CONDITION, expr.span, message);
        let fault = fault.help("compare with a value that it can have, or remove the comparison");
        report(fault, truth, findings);
    }
}

/// Adds a finding. Where a comparison that is never true is all that makes an edge dead, the edge is what is reported, and the
/// comparison is the reason.
fn report(fault: Diagnostic, truth: bool, findings: &mut Vec<Diagnostic>) {
    let at = fault.span();
    let around = |edge: &&mut Diagnostic| {
        let edge_span = edge.span();
        edge.rule == rule::DEAD_EDGE
            && edge_span.file == at.file
            && edge_span.start <= at.start
            && at.end <= edge_span.end
    };
    match findings.iter_mut().find(around) {
        Some(edge) if !truth => edge.labels.push(Label { span: at, text: fault.message }),
        _ => findings.push(fault),
    }
}

/// `n / 2 == 3.5`: a whole number is never one with a fraction.
fn fraction(fold: &mut Fold<'_>, function: Function, expr: &Expr, sides: &[Expr]) -> Option<Diagnostic> {
    let truth = match function {
        Function::EQUAL => "false",
        Function::NOT_EQUAL => "true",
        _ => return None,
    };
    let [left, right] = sides else { return None };
    let (whole, other) = match (&left.ty.kind, &right.ty.kind) {
        (Kind::Int(_), Kind::Float) => (left, right),
        (Kind::Float, Kind::Int(_)) => (right, left),
        _ => return None,
    };
    let Folded::Value(Value::Float(number)) = fold.value(other) else { return None };
    if number.fract() == 0.0 {
        return None;
    }
    let message = format!("this is always {truth}: an int is never {number}");
    let fault = Diagnostic::warning(rule::CONSTANT_CONDITION, expr.span, message);
    Some(match &whole.kind {
        ExprKind::Call(Function::DIVIDE, parts) => {
            let fault = fault.also(whole.span, "the division of two ints is an int");
            match parts.as_slice() {
                [first, _] if matches!(first.kind, ExprKind::Const(_)) => {
                    fault.help("write one of them with a point, such as `7.0`, to divide floats")
                }
                _ => fault.help("convert one of them with `double(…)` to divide floats"),
            }
        }
        _ => fault.help("compare with a whole number, or convert with `int(…)` or `double(…)` first"),
    })
}

/// The comparison with its sides changed.
const fn mirrored(function: Function) -> Function {
    match function {
        Function::LESS => Function::GREATER,
        Function::LESS_OR_EQUAL => Function::GREATER_OR_EQUAL,
        Function::GREATER => Function::LESS,
        Function::GREATER_OR_EQUAL => Function::LESS_OR_EQUAL,
        other => other,
    }
}

/// The truth of a comparison of an expression with a constant, where it is always the same, and why.
fn decided(function: Function, side: &Expr, constant: &Value) -> Option<(bool, String)> {
    match constant {
        Value::Int(number) => {
            let (least, most) = range(side)?;
            let truth = in_range(function, (least, most), *number)?;
            let limits = match (least, most) {
                (_, i64::MAX) => format!("never below {least}"),
                (i64::MIN, _) => format!("never above {most}"),
                _ => format!("from {least} to {most}"),
            };
            Some((truth, format!("what is compared with {number} is {limits}")))
        }
        Value::Str(text) => {
            let why = match &side.ty.kind {
                Kind::Enum(members) if !members.members.contains(text) => {
                    format!("'{text}' is no member of the enum")
                }
                Kind::String(Some(most)) if text.chars().count() as u64 > *most => {
                    format!("the text has at most {most} characters")
                }
                _ => return None,
            };
            equality(function).map(|truth| (truth, why))
        }
        _ => None,
    }
}

/// The truth of `==` and `!=` between what is never equal.
const fn equality(function: Function) -> Option<bool> {
    match function {
        Function::EQUAL => Some(false),
        Function::NOT_EQUAL => Some(true),
        _ => None,
    }
}

/// The truth of a comparison of a number in a range with another.
fn in_range(function: Function, (least, most): (i64, i64), number: i64) -> Option<bool> {
    let always = |always: bool, never: bool| match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    match function {
        Function::LESS => always(most < number, least >= number),
        Function::LESS_OR_EQUAL => always(most <= number, least > number),
        Function::GREATER => always(least > number, most <= number),
        Function::GREATER_OR_EQUAL => always(least >= number, most < number),
        Function::EQUAL if number < least || number > most => Some(false),
        Function::NOT_EQUAL if number < least || number > most => Some(true),
        _ => None,
    }
}
