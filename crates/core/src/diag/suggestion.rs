//! Changes of the text that mend what a finding is about.

use crate::source::Span;

/// A change of the text that a hint names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Suggestion {
    /// The hint.
    pub title: String,
    /// The edits, all of which belong to it.
    pub edits: Vec<SuggestedEdit>,
}

/// One edit of a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SuggestedEdit {
    /// The place.
    pub span: Span,
    /// The new text.
    pub text: String,
    /// The relation of the text to what is at the place.
    pub kind: EditKind,
}

/// The relation of a new text to what is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EditKind {
    /// It is a name in the place of another one, whose quotation marks stay.
    Name,
    /// It replaces all that is there.
    Text,
    /// It is an item after the one that is there, in the same list.
    NextItem,
    /// It is an item before the one that is there.
    PreviousItem,
    /// It comes directly after what is there.
    After,
    /// It is a statement of the edge or node that is there, which has none.
    FirstStatement,
}
