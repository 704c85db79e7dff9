//! The declarations of a file, as an outline.

use ls_types::{DocumentSymbol, SymbolKind};

use super::document::LspDocument;
use super::text_index::TextIndex;
use crate::source::{Sources, Span};
use crate::syntax::ast::Name;
use crate::syntax::read;
use crate::syntax::tree::{BudgetBody, NodeDecl, TextBody, Tree, TypeBody};

impl LspDocument<'_> {
    /// The file as a tree of declarations; what cannot be read is left out.
    pub(super) fn tree(&self) -> Tree {
        let mut sources = Sources::new();
        let file = sources.add(self.name.as_str(), self.text.as_str());
        read(&sources, file).0
    }

    /// The declarations, those in others among them.
    pub(super) fn symbols(&self) -> Vec<DocumentSymbol> {
        let outline = Outliner { index: self.index(), text: &self.text };
        outline.tree(&self.tree())
    }
}

struct Outliner<'t> {
    index: TextIndex<'t>,
    text: &'t str,
}

impl Outliner<'_> {
    fn tree(&self, tree: &Tree) -> Vec<DocumentSymbol> {
        let mut all = Vec::new();
        for decl in &tree.types {
            let inner = match &decl.body {
                TypeBody::Record { fields, .. } => fields
                    .iter()
                    .map(|field| self.symbol(&field.name, field.span, SymbolKind::FIELD))
                    .collect(),
                TypeBody::Alias(_) => Vec::new(),
            };
            all.push(self.holder(&decl.name, decl.span, SymbolKind::STRUCT, inner));
        }
        for decl in &tree.errors {
            all.push(self.symbol(&decl.name, decl.name.span.to(decl.class.span), SymbolKind::EVENT));
        }
        for decl in &tree.input {
            all.push(self.symbol(&decl.name, decl.span, SymbolKind::PROPERTY));
        }
        for decl in &tree.state {
            all.push(self.symbol(&decl.name, decl.span, SymbolKind::VARIABLE));
        }
        for decl in &tree.budgets {
            let meters = match &decl.body {
                BudgetBody::Counter(_) => &[][..],
                BudgetBody::Family { meters, .. } => meters,
            };
            let meters = meters.iter().map(|(name, _)| self.symbol(name, name.span, SymbolKind::NUMBER));
            all.push(self.holder(&decl.name, decl.span, SymbolKind::NUMBER, meters.collect()));
        }
        for decl in &tree.lets {
            all.push(self.symbol(&decl.name, decl.name.span.to(decl.body.span), SymbolKind::CONSTANT));
        }
        for decl in &tree.actions {
            let end = decl.body.statements.last().map_or(decl.name.span, |last| last.span);
            all.push(self.symbol(&decl.name, decl.name.span.to(end), SymbolKind::FUNCTION));
        }
        for decl in &tree.roles {
            all.push(self.symbol(&decl.name, decl.name.span, SymbolKind::INTERFACE));
        }
        for decl in &tree.texts {
            let end = match &decl.body {
                TextBody::Inline(text) => text.whole(),
                TextBody::File(link) => link.span,
            };
            all.push(self.symbol(&decl.name, decl.name.span.to(end), SymbolKind::STRING));
        }
        all.extend(tree.nodes.iter().map(|node| self.node(node)));
        for (name, value) in &tree.output {
            all.push(self.symbol(name, name.span.to(value.span), SymbolKind::KEY));
        }
        for decl in &tree.properties {
            all.push(self.symbol(&decl.name, decl.name.span, SymbolKind::BOOLEAN));
        }
        for decl in &tree.views {
            all.push(self.symbol(&decl.name, decl.name.span, SymbolKind::KEY));
        }
        all.sort_by_key(|symbol| symbol.range.start);
        all
    }

    fn node(&self, node: &NodeDecl) -> DocumentSymbol {
        let fields = node.state.iter().map(|decl| self.symbol(&decl.name, decl.span, SymbolKind::VARIABLE));
        let mut inner: Vec<DocumentSymbol> = fields.collect();
        inner.extend(node.budgets.iter().map(|decl| self.symbol(&decl.name, decl.span, SymbolKind::NUMBER)));
        inner.extend(node.branches.iter().map(|b| self.symbol(&b.name, b.name.span, SymbolKind::OBJECT)));
        inner.extend(node.nodes.iter().map(|node| self.node(node)));
        self.holder(&node.name, node.span, SymbolKind::OBJECT, inner)
    }

    fn symbol(&self, name: &Name, whole: Span, kind: SymbolKind) -> DocumentSymbol {
        self.holder(name, whole, kind, Vec::new())
    }

    #[expect(deprecated, reason = "the field has to be given")]
    fn holder(
        &self,
        name: &Name,
        whole: Span,
        kind: SymbolKind,
        inner: Vec<DocumentSymbol>,
    ) -> DocumentSymbol {
        let whole = whole.to(name.span);
        // What is after a declaration is none of its own.
        let text = self.text.get(whole.start as usize..whole.end as usize).unwrap_or_default();
        let end = whole.start as usize + text.trim_end().len();
        DocumentSymbol {
            name: if name.value.is_empty() { "?".to_owned() } else { name.value.clone() },
            detail: None,
            kind,
            tags: None,
            deprecated: None,
            range: self.index.range(whole.start as usize, end.max(name.span.end as usize)),
            selection_range: self.index.range(name.span.start as usize, name.span.end as usize),
            children: (!inner.is_empty()).then_some(inner),
        }
    }
}
