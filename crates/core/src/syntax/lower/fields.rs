//! Declarations of fields and types.

use super::Lower;
use super::form::Key;
use crate::syntax::tree::{FieldDecl, Tree, TypeBody, TypeDecl};
use crate::syntax::yaml::{Entry, Node, NodeKind};

impl Lower<'_> {
    /// Fields by name.
    pub(super) fn fields(&mut self, node: &Node<'_>, what: &str) -> Vec<FieldDecl> {
        self.entries(node, what).iter().filter_map(|entry| self.field(entry)).collect()
    }

    fn field(&mut self, entry: &Entry<'_>) -> Option<FieldDecl> {
        let field = self.field_decl(entry);
        if field.is_none() {
            self.unread.add_name(entry.name());
        }
        field
    }

    fn field_decl(&mut self, entry: &Entry<'_>) -> Option<FieldDecl> {
        // After a dot and before a colon any word may stand, so only the model can say which names are taken.
        let name = self.name_in(&entry.key, "a field", false);
        let (ty, default, condition) = self.field_line(&entry.value)?;
        Some(FieldDecl { name: name?, ty, default, condition, span: entry.span() })
    }

    /// A type that lacks a part is lost as a whole: what is reported of a value that does not fit may only follow from that.
    fn type_decl(&mut self, entry: &Entry<'_>) -> Option<TypeDecl> {
        let decl = self.whole_type(entry);
        if decl.is_none() {
            self.unread.add_name(entry.name().strip_prefix("open ").unwrap_or(entry.name()).trim());
        }
        decl
    }

    fn whole_type(&mut self, entry: &Entry<'_>) -> Option<TypeDecl> {
        let (open, name) = self.type_name(entry)?;
        let before = self.unread.names().len() + self.out.len();
        let body = match &entry.value.kind {
            NodeKind::Mapping(_) => {
                TypeBody::Record { open, fields: self.fields(&entry.value, "a record type") }
            }
            _ => TypeBody::Alias(self.type_expr(&entry.value)?),
        };
        if self.unread.names().len() + self.out.len() > before {
            return None;
        }
        Some(TypeDecl { name, body, span: entry.span() })
    }

    /// `Name` or `open Name`.
    fn type_name(&mut self, entry: &Entry<'_>) -> Option<(bool, crate::syntax::ast::Name)> {
        let Some(rest) = entry.name().strip_prefix("open ") else {
            return Some((false, self.declared(entry, "a type")?));
        };
        let mut key = entry.key.clone();
        let skipped = entry.name().len() - rest.trim_start().len();
        let rest = rest.trim_start().to_owned();
        let whole = entry.key.fragment(self.text).span(skipped, entry.name().len());
        key.text = rest.into();
        key.span = whole;
        key.style = crate::syntax::yaml::Style::Plain;
        Some((true, self.name_in(&key, "a type", true)?))
    }
}

/// Reads the section `types`.
pub(super) fn types(lower: &mut Lower<'_>, _: &Key<Tree>, entry: &Entry<'_>, tree: &mut Tree) {
    let decls = lower.entries(&entry.value, "`types`").iter().filter_map(|e| lower.type_decl(e));
    tree.types = decls.collect();
}
