//! One change of one site.

use super::operator::MutationOperator;
use super::site::MutatedPart;
use crate::source::Span;

/// One change of one site.
#[derive(Debug, Clone)]
pub(super) struct Mutation {
    pub(super) operator: MutationOperator,
    /// The changed part.
    pub(super) span: Span,
    /// The change in words, without its owner.
    pub(super) message: String,
    /// The same change in the text.
    pub(super) edits: Vec<TextEdit>,
    /// The edges that are swapped.
    pub(super) swapped: Option<(Span, Span)>,
    /// The site as it is then.
    pub(super) part: MutatedPart,
}

/// A range of a file, and the text in its place.
pub(super) type TextEdit = (Span, String);

/// The end of a range.
pub(super) const fn tail(span: Span) -> Span {
    Span { start: span.end, ..span }
}
