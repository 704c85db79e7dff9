//! Operators on expressions.

use super::value;
use crate::mutate::known::KnownTypes;
use crate::mutate::mutation::{Mutation, TextEdit, tail};
use crate::mutate::operator::MutationOperator;
use crate::mutate::site::MutatedPart;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Literal, UnaryOp};
use crate::value::duration;

/// The mutations of an expression itself, not of what is inside of it.
pub(super) fn mutations(expr: &Expr, nested: bool, known: &KnownTypes) -> Vec<Mutation> {
    match &expr.kind {
        ExprKind::Binary(op, left, right) => {
            exchanged(expr, *op, (left, right), nested).into_iter().collect()
        }
        ExprKind::Literal(literal) => literals(expr.span, literal, known),
        ExprKind::Record(name, fields) => value::swapped_fields(fields, known)
            .map(|(fields, message, edits)| {
                let kind = ExprKind::Record(name.clone(), fields);
                swapped(expr.span, kind, message, edits)
            })
            .collect(),
        ExprKind::Map(entries) => value::swapped_entries(entries, known)
            .map(|(entries, message, edits)| swapped(expr.span, ExprKind::Map(entries), message, edits))
            .collect(),
        _ => Vec::new(),
    }
}

fn swapped(span: Span, kind: ExprKind, message: String, edits: Vec<TextEdit>) -> Mutation {
    let at = edits.first().map_or(span, |(span, _)| *span);
    let part = MutatedPart::Expr(Expr { kind, span });
    Mutation { operator: MutationOperator::ValuesSwapped, span: at, message, edits, swapped: None, part }
}

/// The negation of a condition. That of `==` is `!=`, which is another operator's.
pub(super) fn negated(expr: &Expr) -> Option<Mutation> {
    let span = expr.span;
    let (kind, edits) = match &expr.kind {
        ExprKind::Literal(_) => return None,
        ExprKind::Binary(op, ..) if matches!(op.value, BinaryOp::Eq | BinaryOp::Ne) => return None,
        ExprKind::Unary(UnaryOp::Not, inner) => (inner.kind.clone(), vec![(span, inner.to_string())]),
        kind => {
            let is_open =
                matches!(kind, ExprKind::Binary(..) | ExprKind::Conditional(..) | ExprKind::Unary(..));
            let brackets = if is_open { ("!(", ")") } else { ("!", "") };
            let edits = vec![(span.head(), brackets.0.to_owned()), (tail(span), brackets.1.to_owned())];
            (ExprKind::Unary(UnaryOp::Not, Box::new(expr.clone())), edits)
        }
    };
    Some(Mutation {
        operator: MutationOperator::ConditionNegated,
        span,
        message: "the condition is negated".to_owned(),
        edits,
        swapped: None,
        part: MutatedPart::Expr(Expr { kind, span }),
    })
}

const fn other(op: BinaryOp) -> Option<(BinaryOp, MutationOperator)> {
    use MutationOperator::{ComparisonShifted, EqualityNegated, LogicExchanged};
    Some(match op {
        BinaryOp::And => (BinaryOp::Or, LogicExchanged),
        BinaryOp::Or => (BinaryOp::And, LogicExchanged),
        BinaryOp::Lt => (BinaryOp::Le, ComparisonShifted),
        BinaryOp::Le => (BinaryOp::Lt, ComparisonShifted),
        BinaryOp::Gt => (BinaryOp::Ge, ComparisonShifted),
        BinaryOp::Ge => (BinaryOp::Gt, ComparisonShifted),
        BinaryOp::Eq => (BinaryOp::Ne, EqualityNegated),
        BinaryOp::Ne => (BinaryOp::Eq, EqualityNegated),
        _ => return None,
    })
}

fn exchanged(
    expr: &Expr,
    op: Spanned<BinaryOp>,
    (left, right): (&Expr, &Expr),
    nested: bool,
) -> Option<Mutation> {
    let (new, operator) = other(op.value)?;
    let kind = ExprKind::Binary(Spanned::new(new, op.span), Box::new(left.clone()), Box::new(right.clone()));
    let part = Expr { kind, span: expr.span };
    // Brackets that the old operator did not need.
    let of_logic = |side: &Expr| matches!(&side.kind, ExprKind::Binary(op, ..) if matches!(op.value, BinaryOp::And | BinaryOp::Or));
    let binds_anew = operator == MutationOperator::LogicExchanged;
    let edits = if binds_anew && (nested || of_logic(left) || of_logic(right)) {
        let text = part.to_string();
        vec![(expr.span, if nested { format!("({text})") } else { text })]
    } else {
        vec![(op.span, new.symbol().to_owned())]
    };
    Some(Mutation {
        operator,
        span: op.span,
        message: format!("`{}` becomes `{}`", op.value.symbol(), new.symbol()),
        edits,
        swapped: None,
        part: MutatedPart::Expr(part),
    })
}

fn literals(span: Span, literal: &Literal, known: &KnownTypes) -> Vec<Mutation> {
    use MutationOperator::{BooleanFlipped, ConstantLowered, ConstantRaised, MemberReplaced};
    let new = match literal {
        Literal::Null => Vec::new(),
        Literal::Bool(value) => vec![(BooleanFlipped, Some(Literal::Bool(!value)))],
        Literal::Int(value) => vec![
            (ConstantRaised, value.checked_add(1).map(Literal::Int)),
            (ConstantLowered, value.checked_sub(1).map(Literal::Int)),
        ],
        Literal::Float(value) => {
            let (more, less) = beside(*value);
            vec![(ConstantRaised, more.map(Literal::Float)), (ConstantLowered, less.map(Literal::Float))]
        }
        Literal::Duration(value) => {
            let unit = unit(*value);
            let less = value.checked_sub(unit).filter(|less| *less >= 0);
            vec![
                (ConstantRaised, value.checked_add(unit).map(Literal::Duration)),
                (ConstantLowered, less.map(Literal::Duration)),
            ]
        }
        Literal::String(text) => {
            let after = known.member_after(text, span);
            vec![(MemberReplaced, after.map(|after| Literal::String(after.to_owned())))]
        }
    };
    let mutation = |(operator, new): (MutationOperator, Option<Literal>)| {
        let part = Expr { kind: ExprKind::Literal(new?), span };
        let before = Expr { kind: ExprKind::Literal(literal.clone()), span };
        let message = format!("`{before}` becomes `{part}`");
        let edits = vec![(span, part.to_string())];
        Some(Mutation { operator, span, message, edits, swapped: None, part: MutatedPart::Expr(part) })
    };
    new.into_iter().filter_map(mutation).collect()
}

/// The numbers that differ from one by one in its last digit.
fn beside(value: f64) -> (Option<f64>, Option<f64>) {
    let text = format!("{value:?}");
    let Some((_, digits)) = text.split_once('.').filter(|_| !text.contains(['e', 'E'])) else {
        return (Some(value + 1.0), Some(value - 1.0));
    };
    let places = if digits == "0" { 0 } else { digits.len() };
    let step = 10_f64.powi(-i32::try_from(places).unwrap_or(0));
    let rounded = |number: f64| format!("{number:.places$}").parse().ok();
    (rounded(value + step), rounded(value - step))
}

/// The smallest unit that a duration is written with.
fn unit(nanos: i64) -> i64 {
    let fits = |unit: &i64| nanos % unit == 0;
    let units = duration::UNITS.iter().filter_map(|(_, unit)| i64::try_from(*unit).ok());
    let seconds = 1_000_000_000;
    if nanos == 0 { seconds } else { units.into_iter().find(fits).unwrap_or(1) }
}
