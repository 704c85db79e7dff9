//! The pieces that a document is built of.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::Reader;
use super::extent::Part;
use crate::diag::Diagnostic;
use crate::source::Span;
use crate::syntax::expr::Token;
use crate::syntax::names::clip;
use crate::syntax::yaml::{Entry, MAX_FINDINGS, Node, NodeKind, Scalar, Style};

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
        let mut kept: Vec<Entry<'s>> = Vec::with_capacity(entries.len());
        // Few mappings have many keys: those are looked up, the others are looked through.
        let mut places: FxHashMap<Cow<'s, str>, Span> = FxHashMap::default();
        let many = entries.len() > 16;
        for entry in entries {
            let earlier = if many {
                places.get(&entry.key.text).copied()
            } else {
                kept.iter().find(|e| e.key.text == entry.key.text).map(|e| e.key.span)
            };
            if self.out.len() >= MAX_FINDINGS {
                break;
            }
            if let Some(earlier) = earlier {
                let message = format!("`{}` is given twice", clip(&entry.key.text));
                let found = Diagnostic::error("duplicate-key", entry.key.span, message);
                self.report(
                    found.also(earlier, "first given here").help("keep one of the two, or rename one"),
                );
                self.holes |= entry.value.scalar().is_none();
            } else {
                if many {
                    places.insert(entry.key.text.clone(), entry.key.span);
                }
                kept.push(entry);
            }
        }
        kept
    }
}
