//! A part of a graph before its text is looked up.

use crate::source::Span;

/// A piece of how a part is written.
#[derive(Debug, Clone)]
pub(super) enum TextPiece {
    /// A text that is compared as it is.
    Word(String),
    /// The place of an expression.
    Expr(Span),
    /// The place to write to.
    Place(Span),
    /// The statements, one a line.
    Statements(Vec<Span>),
    /// Another part as a whole.
    Part(DraftSide),
}

/// One side of a change before its text is looked up.
#[derive(Debug, Clone)]
pub(super) struct DraftSide {
    /// The words of the program's listing: what it means.
    pub(super) meaning: String,
    /// The written text, where that is another one.
    pub(super) written: Vec<TextPiece>,
    pub(super) span: Span,
}

impl DraftSide {
    pub(super) const fn plain(text: String, span: Span) -> Self {
        Self { meaning: text, written: Vec::new(), span }
    }
}
