//! Places where texts are rendered.

use super::facts::Facts;
use crate::model::expr::TextId;
use crate::source::Span;

/// A place where a text of the graph is rendered, with what is known there.
#[derive(Debug, Clone)]
pub struct Rendering {
    /// The text.
    pub text: TextId,
    /// The facts.
    pub facts: Facts,
    /// The place that names the text.
    pub span: Span,
}
