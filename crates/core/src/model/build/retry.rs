//! Builds the attempts after a failed call.

use super::context::{Context, named};
use super::keys::Keys;
use super::kinds::constant;
use crate::model::node::Retry;
use crate::model::types::{Kind, Type};
use crate::model::typing::Cx;
use crate::source::Spanned;
use crate::syntax::tree::RetryDecl;
use crate::value::Value;

/// `retry` of a node.
pub(super) fn retry(cx: &Context<'_>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Option<Box<Retry>> {
    let decl: &RetryDecl = keys.retry("retry", at)?;
    let int = Type::of(Kind::Int(None));
    let (duration, float) = (Type::of(Kind::Duration), Type::of(Kind::Float));
    let attempts = match &decl.attempts {
        Some(expr) => at.check(expr, &int),
        None => constant(Value::Int(3), int, decl.span),
    };
    let on = decl
        .on
        .iter()
        .filter(|word| super::edges::is_error_word(cx, word, at))
        .map(named)
        .collect::<Vec<_>>();
    let on = if decl.on.is_empty() { vec![Spanned::new("transient".into(), decl.span)] } else { on };
    Some(Box::new(Retry {
        attempts,
        on,
        first: decl.first.as_ref().map(|e| at.check(e, &duration)),
        factor: decl.factor.as_ref().map(|e| at.check(e, &float)),
        max: decl.max.as_ref().map(|e| at.check(e, &duration)),
        jitter: decl.jitter.as_ref().map(|e| at.check(e, &float)),
    }))
}
