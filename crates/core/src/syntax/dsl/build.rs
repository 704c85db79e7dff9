//! The pieces that a document is built of.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::{Part, Reader};
use crate::diag::{Diagnostic, rule};
use crate::syntax::names::clip;
use crate::syntax::quoted;
use crate::syntax::yaml::{Entry, MAX_FINDINGS, Node, NodeKind, Scalar, Style, unique};

impl<'s> Reader<'s, '_> {
    /// A scalar that is in the file as it is.
    pub(super) fn verbatim(&mut self, part: Part) -> Scalar<'s> {
        self.nodes += 1;
        let text = Cow::Borrowed(self.t.text.get(part.0..part.1).unwrap_or_default());
        Scalar { text, style: Style::Code, span: self.span(part), pair: None }
    }

    /// A name as a scalar.
    pub(super) fn name_node(&mut self, part: Part) -> Node<'s> {
        let scalar = self.verbatim(part);
        Node { span: scalar.span, kind: NodeKind::Scalar(scalar) }
    }

    /// A part that one of the other readers judges.
    pub(super) fn code(&mut self, part: Part) -> Node<'s> {
        self.reported.push(part);
        let scalar = self.verbatim(part);
        Node { span: scalar.span, kind: NodeKind::Scalar(scalar) }
    }

    /// An entry whose key is not written, or not in these words.
    pub(super) fn named(&self, name: &'static str, at: Part, value: Node<'s>) -> Entry<'s> {
        let key = Scalar { text: Cow::Borrowed(name), style: Style::Code, span: self.span(at), pair: None };
        Entry { key, value }
    }

    /// A text in quotes.
    pub(super) fn quoted(&mut self, part: Part) -> Node<'s> {
        self.nodes += 1;
        let span = self.span(part);
        let (fragment, escapes) = quoted::read(&self.t.text[part.0..part.1], self.file, part.0);
        for at in escapes {
            let shown = self.t.text.get(at.0..at.1).unwrap_or("\\").to_owned();
            let found =
                Diagnostic::error(rule::LOOP_SYNTAX, self.span(at), format!("`{shown}` is not an escape"));
            self.report(found.help("`\\` itself is written `\\\\`; a raw text r'…' takes it as it is"));
        }
        let scalar = Scalar { text: fragment.text.into(), style: Style::Text, span, pair: None };
        Node { span, kind: NodeKind::Scalar(scalar) }
    }

    /// A value that is not there and need not be.
    pub(super) fn nothing(&mut self, at: usize) -> Node<'s> {
        let scalar = Scalar { style: Style::Plain, ..self.verbatim((at, at)) };
        Node { span: scalar.span, kind: NodeKind::Scalar(scalar) }
    }

    /// Adds entries to the section of that name, which is made when there is none. `part` is their place.
    pub(super) fn add(
        &mut self,
        sections: &mut Vec<Entry<'s>>,
        name: &'static str,
        part: Part,
        mut entries: Vec<Entry<'s>>,
    ) {
        let place = sections.iter_mut().rev().find(|section| section.key.text == name);
        if let Some(section) = place {
            section.value.span.end = u32::try_from(part.1).unwrap_or(u32::MAX);
            if let NodeKind::Mapping(all) = &mut section.value.kind {
                all.append(&mut entries);
            }
            return;
        }
        self.nodes += 1;
        let value = Node { kind: NodeKind::Mapping(entries), span: self.span(part) };
        sections.push(self.named(name, self.t.word_at(part.0), value));
    }

    /// Adds a key of the file, which is given once; files to use may be named one by one.
    pub(super) fn put(&mut self, sections: &mut Vec<Entry<'s>>, entry: Entry<'s>, part: Part) {
        if entry.key.text == "nodes" {
            if let NodeKind::Mapping(nodes) = entry.value.kind {
                self.add(sections, "nodes", part, nodes);
            }
            return;
        }
        let earlier = sections.iter_mut().find(|s| s.key.text == entry.key.text && entry.key.text == "use");
        let Some(earlier) = earlier else {
            sections.push(entry);
            return;
        };
        let listed = |node: Node<'s>| match node.kind {
            NodeKind::Sequence(items) => items,
            _ => vec![node],
        };
        let span = earlier.value.span.to(entry.value.span);
        let empty = Node { kind: NodeKind::Refused, span };
        let mut all = listed(std::mem::replace(&mut earlier.value, empty));
        all.extend(listed(entry.value));
        earlier.value = Node { kind: NodeKind::Sequence(all), span };
    }

    /// Leaves out what is declared twice in a section, which is reported.
    pub(super) fn drop_duplicates(&mut self, sections: &mut [Entry<'s>]) {
        for entry in sections {
            if let NodeKind::Mapping(entries) = &mut entry.value.kind {
                let all = std::mem::take(entries);
                *entries = self.without_duplicates(all);
            }
        }
    }

    /// The sections of a graph in place.
    pub(super) fn sections_node(&mut self, mut sections: Vec<Entry<'s>>, part: Part) -> Node<'s> {
        self.drop_duplicates(&mut sections);
        self.mapping(sections, part)
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
                if entry.value.scalar().is_none() {
                    self.unread.add_unnamed();
                }
            }
            ControlFlow::Continue(earlier.is_none())
        })
    }
}
