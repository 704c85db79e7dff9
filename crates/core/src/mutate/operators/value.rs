//! Operators on values by name, and on the places of answers.

use crate::mutate::known::KnownTypes;
use crate::mutate::mutation::{Mutation, TextEdit};
use crate::mutate::names::GraphNames;
use crate::mutate::operator::MutationOperator;
use crate::mutate::site::MutatedPart;
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Literal, Name, Place};

/// The results of a swap: all values, the swap in words, and in the text.
type SwappedValues<T> = (Vec<T>, String, Vec<TextEdit>);

/// The mutations of values by name.
pub(super) fn swapped(values: &[(Name, Expr)], known: &KnownTypes) -> Vec<Mutation> {
    let mutation = |(values, message, edits): SwappedValues<_>| {
        let span = edits.first().map_or_else(Span::default, |(span, _): &TextEdit| *span);
        let part = MutatedPart::Values(values);
        Mutation { operator: MutationOperator::ValuesSwapped, span, message, edits, swapped: None, part }
    };
    swapped_fields(values, known).map(mutation).collect()
}

/// The values of fields with two of one type swapped that follow each other.
pub(super) fn swapped_fields<'a>(
    fields: &'a [(Name, Expr)],
    known: &'a KnownTypes,
) -> impl Iterator<Item = SwappedValues<(Name, Expr)>> + 'a {
    swaps(fields, known, |(name, value)| Some((name.value.as_str(), value)), |(_, value)| value)
}

/// The entries of a map with two values of one type swapped that follow each other, where the keys are constant.
pub(super) fn swapped_entries<'a>(
    entries: &'a [(Expr, Expr)],
    known: &'a KnownTypes,
) -> impl Iterator<Item = SwappedValues<(Expr, Expr)>> + 'a {
    swaps(entries, known, |(key, value)| Some((constant(key)?, value)), |(_, value)| value)
}

fn constant(key: &Expr) -> Option<&str> {
    match &key.kind {
        ExprKind::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

fn swaps<'a, T: Clone>(
    items: &'a [T],
    known: &'a KnownTypes,
    named: impl Fn(&'a T) -> Option<(&'a str, &'a Expr)> + 'a,
    place: impl Fn(&mut T) -> &mut Expr + 'a,
) -> impl Iterator<Item = SwappedValues<T>> + 'a {
    (1..items.len()).filter_map(move |at| {
        let ((name, one), (other_name, other)) = (named(&items[at - 1])?, named(&items[at])?);
        let (text, other_text) = (one.to_string(), other.to_string());
        if !known.are_alike(one.span, other.span) || text == other_text {
            return None;
        }
        let mut swapped = items.to_vec();
        *place(&mut swapped[at - 1]) = other.clone();
        *place(&mut swapped[at]) = one.clone();
        let message = format!("the values of `{name}` and `{other_name}` are swapped");
        Some((swapped, message, vec![(one.span, other_text), (other.span, text)]))
    })
}

/// An answer that is written to another field.
pub(super) fn replaced(place: &Place, names: &GraphNames) -> Option<Mutation> {
    let after = names.field_after(&place.root).filter(|_| place.steps.is_empty())?;
    let mut part = place.clone();
    after.clone_into(&mut part.root.value);
    Some(Mutation {
        operator: MutationOperator::PlaceReplaced,
        span: place.span,
        message: format!("the answer goes into `{after}`"),
        edits: vec![(place.span, part.to_string())],
        swapped: None,
        part: MutatedPart::Place(part),
    })
}
