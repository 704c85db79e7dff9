//! Parts of a file that the grammar read as a whole: from their pairs to the [`ast`](crate::syntax::ast).
//!
//! The bytes of a pair are those of the file, so `whole` maps each byte to itself. [`None`] means that a finding was added.

use pest::iterators::Pair;

use super::build::{Builder, missing, range};
use super::fault::Fault;
use super::grammar::Rule;
use super::{FieldLine, inner, names};
use crate::diag::Diagnostic;
use crate::source::Fragment;
use crate::syntax::ast::{Block, Expr, Place, TypeExpr};
use crate::syntax::tree::{PropertyBody, TriggerDecl};

/// The expression of a pair of [`Rule::expr`].
pub(in crate::syntax) fn expression(
    pair: Pair<'_, Rule>,
    whole: &Fragment,
    out: &mut Vec<Diagnostic>,
) -> Option<Expr> {
    build(pair, whole, out, Builder::expr)
}

/// The type of a pair of [`Rule::type_expr`].
pub(in crate::syntax) fn type_expr(
    pair: Pair<'_, Rule>,
    whole: &Fragment,
    out: &mut Vec<Diagnostic>,
) -> Option<TypeExpr> {
    build(pair, whole, out, Builder::type_expr)
}

/// The place of a pair of [`Rule::place`].
pub(in crate::syntax) fn place(
    pair: Pair<'_, Rule>,
    whole: &Fragment,
    out: &mut Vec<Diagnostic>,
) -> Option<Place> {
    build(pair, whole, out, Builder::place)
}

/// The parts of a pair of [`Rule::field_line`].
pub(in crate::syntax) fn field_line(
    pair: Pair<'_, Rule>,
    whole: &Fragment,
    out: &mut Vec<Diagnostic>,
) -> Option<FieldLine> {
    build(pair, whole, out, field_parts)
}

/// The trigger of a pair of [`Rule::trigger`].
pub(in crate::syntax) fn trigger(
    pair: Pair<'_, Rule>,
    whole: &Fragment,
    out: &mut Vec<Diagnostic>,
) -> Option<TriggerDecl> {
    build(pair, whole, out, trigger_parts)
}

/// The property of a pair of [`Rule::property`].
pub(in crate::syntax) fn property(
    pair: Pair<'_, Rule>,
    whole: &Fragment,
    out: &mut Vec<Diagnostic>,
) -> Option<PropertyBody> {
    build(pair, whole, out, property_parts)
}

/// The statements of a pair of [`Rule::run`] or [`Rule::block`].
pub(in crate::syntax) fn block(pair: Pair<'_, Rule>, whole: &Fragment, out: &mut Vec<Diagnostic>) -> Block {
    let text = pair.as_str();
    let mut faults = Vec::new();
    let read = names::within(text, range(&pair), names::MAX_BLOCK, "statement list")
        .map(|()| Builder { fragment: whole, base: 0 }.statements(pair, &mut faults));
    let block = read.unwrap_or_else(|fault| {
        faults.push(fault);
        Block::default()
    });
    out.extend(faults.into_iter().map(|fault| fault.diagnostic(whole)));
    block
}

fn build<'f, T>(
    pair: Pair<'_, Rule>,
    whole: &'f Fragment,
    out: &mut Vec<Diagnostic>,
    build: impl FnOnce(Builder<'f>, Pair<'_, Rule>) -> Result<T, Fault>,
) -> Option<T> {
    let value = names::length(pair.as_str(), range(&pair))
        .and_then(|()| build(Builder { fragment: whole, base: 0 }, pair));
    value.map_err(|fault| out.push(fault.diagnostic(whole))).ok()
}

/// `type`, `type = default`, `type = default where condition`.
pub(super) fn field_parts(builder: Builder<'_>, pair: Pair<'_, Rule>) -> Result<FieldLine, Fault> {
    let mut parts = pair.into_inner();
    let ty = builder.type_expr(parts.next().ok_or_else(|| missing("a type"))?)?;
    let (mut default, mut condition) = (None, None);
    for part in parts {
        match part.as_rule() {
            Rule::default => default = Some(builder.expr(inner(part)?)?),
            Rule::condition | Rule::field_condition => condition = Some(builder.expr(inner(part)?)?),
            _ => {}
        }
    }
    Ok((ty, default, condition))
}

/// `done`, `error(kind)`.
pub(super) fn trigger_parts(builder: Builder<'_>, pair: Pair<'_, Rule>) -> Result<TriggerDecl, Fault> {
    let mut parts = pair.into_inner();
    let name = builder.word(&parts.next().ok_or_else(|| missing("a trigger"))?)?;
    let arg = parts.next().filter(|p| p.as_rule() == Rule::expr);
    Ok(TriggerDecl { name, arg: arg.map(|p| builder.expr(p)).transpose()? })
}

/// `never E`, `always E`, `eventually E`, `A precedes B`.
pub(super) fn property_parts(builder: Builder<'_>, pair: Pair<'_, Rule>) -> Result<PropertyBody, Fault> {
    let mut parts = pair.into_inner();
    let first = parts.next().ok_or_else(|| missing("a property"))?;
    let second = parts.next().ok_or_else(|| missing("an expression"))?;
    if first.as_rule() == Rule::expr {
        return Ok(PropertyBody::Precedes(builder.expr(first)?, builder.expr(second)?));
    }
    let body = builder.expr(second)?;
    Ok(match first.as_rule() {
        Rule::never => PropertyBody::Never(body),
        Rule::always => PropertyBody::Always(body),
        _ => PropertyBody::Eventually(body),
    })
}
