//! Texts that are filled in: those under `texts`, and those that stand where they are used.

use super::{Form, Key, Lower};
use crate::diag::{Diagnostic, rule};
use crate::source::Fragment;
use crate::syntax::ast::Name;
use crate::syntax::tree::{TextBody, TextDecl};
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// The keys of a text given as a mapping.
pub(in crate::syntax) const TEXT_KEYS: &[Key<Option<TextBody>>] = &[
    Key::new("text", Form::Text, "The template.", |l, _, e, body| {
        *body = l.template(&e.value).map(TextBody::Inline);
    }),
    Key::new("file", Form::Path, "The file of the template.", |l, _, e, body| {
        *body = l.text(&e.value).map(TextBody::File);
    }),
];

/// True for a text that stands where it is used.
pub(super) fn is_text_here(node: &Node<'_>) -> bool {
    matches!(node.kind, NodeKind::Mapping(_))
}

impl Lower<'_> {
    /// The texts of the section.
    pub(super) fn texts(&mut self, node: &Node<'_>) -> Vec<TextDecl> {
        let mut texts = Vec::new();
        for entry in self.entries(node, "`texts`") {
            let name = self.declared(entry, "a text");
            match (self.text_body(entry), name) {
                (Some(body), Some(name)) => texts.push(TextDecl { name, body }),
                _ => self.unread.add_name(entry.name()),
            }
        }
        texts
    }

    /// Declares a text that stands where it is used. Its name is made of its node and its key, and is no identifier, so that nothing
    /// else has it.
    pub(super) fn text_here(&mut self, entry: &Entry<'_>) -> Option<Name> {
        let body = self.text_body(entry)?;
        let owner = if self.owner.is_empty() { "(graph)" } else { &self.owner };
        let name = Name::new(format!("{owner}.{}", entry.name()), entry.value.span);
        self.texts.push(TextDecl { name: name.clone(), body });
        Some(name)
    }

    fn text_body(&mut self, entry: &Entry<'_>) -> Option<TextBody> {
        if !is_text_here(&entry.value) {
            return self.template(&entry.value).map(TextBody::Inline);
        }
        let mut body = None;
        let known = self.mapping(&entry.value, "a text", TEXT_KEYS, &mut body);
        let entries = self.entries(&entry.value, "a text");
        if known && entries.is_empty() {
            self.missing("text", "a text given as a mapping", entry.key.span, "text: Hello");
        }
        if let [_, second, ..] = entries {
            let found = format!("a text has one source, and `{}` is another one", second.name());
            self.report(
                Diagnostic::error(rule::WRONG_FORM, second.key.span, found).help("keep `text` or `file`"),
            );
        }
        body
    }

    fn template(&mut self, node: &Node<'_>) -> Option<Fragment> {
        self.fragment(node, "a template", "the template, or `{file: path}`")
    }
}
