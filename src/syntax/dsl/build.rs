//! The pieces that a document is built of.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::Reader;
use super::extent::Part;
use crate::diag::{Diagnostic, rule};
use crate::syntax::expr::Token;
use crate::syntax::names::clip;
use crate::syntax::yaml::{Entry, MAX_FINDINGS, Node, NodeKind, Scalar, Style, unique};

impl<'s> Reader<'s, '_> {
    /// A scalar that stands in the file as it is.
    pub(super) fn verbatim(&mut self, part: Part) -> Scalar<'s> {
        self.nodes += 1;
        let text = Cow::Borrowed(self.t.text.get(part.0..part.1).unwrap_or_default());
        Scalar { text, style: Style::Code, span: self.span(part) }
    }

    /// A word as a scalar.
    pub(super) fn word(&mut self, token: Token) -> Scalar<'s> {
        self.verbatim((token.start, token.end))
    }

    /// A name as a scalar.
    pub(super) fn name_node(&mut self, part: Part) -> Node<'s> {
        let scalar = self.verbatim(part);
        Node { span: scalar.span, kind: NodeKind::Scalar(scalar) }
    }

    /// A part that one of the other readers judges.
    pub(super) fn code(&mut self, part: Part) -> Node<'s> {
        self.told.push(part);
        let scalar = self.verbatim(part);
        Node { span: scalar.span, kind: NodeKind::Scalar(scalar) }
    }

    /// An entry whose key is not written, or not in these words.
    pub(super) fn named(&self, name: &'static str, at: Part, value: Node<'s>) -> Entry<'s> {
        Entry { key: Scalar { text: Cow::Borrowed(name), style: Style::Code, span: self.span(at) }, value }
    }

    pub(super) fn refused(&self, at: Part) -> Node<'s> {
        Node { kind: NodeKind::Refused, span: self.span(at) }
    }

    pub(super) fn mapping(&mut self, entries: Vec<Entry<'s>>, part: Part) -> Node<'s> {
        self.nodes += 1;
        Node { kind: NodeKind::Mapping(self.without_duplicates(entries)), span: self.span(part) }
    }

    /// Reports what is given twice, and leaves it out.
    pub(super) fn without_duplicates(&mut self, entries: Vec<Entry<'s>>) -> Vec<Entry<'s>> {
        unique(entries, |entry, earlier| {
            if self.out.len() >= MAX_FINDINGS {
                return ControlFlow::Break(());
            }
            if let Some(earlier) = earlier {
                let message = format!("`{}` is given twice", clip(&entry.key.text));
                let found = Diagnostic::error(rule::DUPLICATE_KEY, entry.key.span, message);
                self.report(
                    found.also(earlier, "first given here").help("keep one of the two, or rename one"),
                );
                self.holes |= entry.value.scalar().is_none();
            }
            ControlFlow::Continue(earlier.is_none())
        })
    }
}
