//! The spanned tree of one YAML document.

use std::borrow::Cow;

use super::scalar::Scalar;
use crate::source::Span;

/// One value of the document.
#[derive(Debug, Clone)]
pub(crate) struct Node<'s> {
    pub(crate) kind: NodeKind<'s>,
    /// From its first byte to the end of its last part.
    pub(crate) span: Span,
}

/// The kinds of value.
#[derive(Debug, Clone)]
pub(crate) enum NodeKind<'s> {
    /// Text, number, flag or nothing: its key decides what it means.
    Scalar(Scalar<'s>),
    /// `[a, b]` or `- a`.
    Sequence(Vec<Node<'s>>),
    /// `{a: b}` or `a: b`.
    Mapping(Vec<Entry<'s>>),
    /// An alias, a tagged value and the like: already reported, so nobody speaks of it again.
    Refused,
}

/// One `key: value` of a mapping.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'s> {
    pub(crate) key: Scalar<'s>,
    pub(crate) value: Node<'s>,
}

impl<'s> Node<'s> {
    /// Returns true if nothing was written: no value at all, or YAML's `~`.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.kind, NodeKind::Scalar(s) if s.is_empty())
    }

    /// The scalar, if it is one.
    pub(crate) fn scalar(&self) -> Option<&Scalar<'s>> {
        match &self.kind {
            NodeKind::Scalar(s) => Some(s),
            _ => None,
        }
    }

    /// Names its kind, for messages.
    pub(crate) fn describe(&self) -> &'static str {
        match &self.kind {
            NodeKind::Scalar(s) if s.is_empty() => "nothing",
            NodeKind::Scalar(_) => "a single value",
            NodeKind::Sequence(_) => "a list",
            NodeKind::Mapping(_) => "a mapping",
            NodeKind::Refused => "a refused value",
        }
    }
}

impl<'s> Entry<'s> {
    /// The key's text.
    pub(crate) fn name(&self) -> &Cow<'s, str> {
        &self.key.text
    }

    /// From the key to the end of the value.
    pub(crate) fn span(&self) -> Span {
        self.key.span.to(self.value.span)
    }
}
