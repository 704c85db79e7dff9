//! Operators on the keys of nodes.

use crate::mutate::mutation::Mutation;
use crate::mutate::operator::MutationOperator;
use crate::mutate::site::MutatedPart;
use crate::syntax::ast::Name;
use crate::syntax::tree::KeyValue;

/// Keys without `retry` or `timeout`.
pub(super) fn dropped(keys: &[(Name, KeyValue)]) -> Vec<Mutation> {
    let mutation = |(at, (name, value)): (usize, &(Name, KeyValue))| {
        let (operator, end) = match value {
            KeyValue::Retry(retry) => (MutationOperator::RetryDropped, retry.span),
            KeyValue::Expr(expr) if name.value == "timeout" => (MutationOperator::TimeoutDropped, expr.span),
            _ => return None,
        };
        let span = name.span.to(end);
        let mut part = keys.to_vec();
        part.remove(at);
        Some(Mutation {
            operator,
            span,
            message: format!("`{}` is dropped", name.value),
            edits: vec![(span, String::new())],
            swapped: None,
            part: MutatedPart::Keys(part),
        })
    };
    keys.iter().enumerate().filter_map(mutation).collect()
}
