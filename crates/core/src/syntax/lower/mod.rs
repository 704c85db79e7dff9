//! The document that either syntax is read to, to the [`Tree`] both share.
//!
//! Every mapping with fixed keys has a table ([`Key`]): which keys there are, which form each value takes, and
//! who reads it. The JSON Schema of the YAML form is made from the same tables, so the two cannot drift apart.

mod budgets;
mod candidates;
mod edges;
mod fields;
mod form;
mod ignores;
mod keys;
mod migrate;
mod nodes;
mod sections;
mod texts;
mod values;

pub(super) use form::{Form, Key};
pub(crate) use nodes::KindName;
use nodes::NODE_KINDS;

/// The tables of keys and words, for the schema.
pub(super) mod tables {
    pub(in crate::syntax) use super::budgets::{FAMILY_KEYS, METER_KEYS};
    pub(in crate::syntax) use super::edges::{EDGE_KEYS, PAUSE_KEYS, RETRY_KEYS, START_KEYS};
    pub(in crate::syntax) use super::migrate::MIGRATE_KEYS;
    pub(in crate::syntax) use super::nodes::{BRANCH_KEYS, NODE_KEYS, NODE_KINDS};
    pub(in crate::syntax) use super::sections::{CLASSES, ROLE_KEYS, SECTIONS, VIEW_KEYS};
    pub(in crate::syntax) use super::texts::TEXT_KEYS;
}

use super::tree::{TextDecl, Tree, Unread};
use super::yaml::{Document, MAX_CODE, MAX_FINDINGS, Node, NodeKind};
use crate::diag::{Diagnostic, rule};
use crate::source::{FileId, Fragment, Span};

/// The syntax a document was written in.
pub(super) enum Syntax {
    /// YAML.
    Yaml,
    /// The loop DSL, with the places of what was found when it was read.
    Dsl(Vec<Span>),
}

/// Reads a document into a tree. `text` is the file's text.
pub(super) fn lower(
    document: &Document<'_>,
    text: &str,
    file: FileId,
    syntax: Syntax,
    out: &mut Vec<Diagnostic>,
) -> Tree {
    let (comments, unread) = (document.comments.clone(), document.unread.clone());
    let mut tree = Tree { file, comments, unread, ..Tree::default() };
    if let Some(root) = &document.root {
        let mut lower = Lower {
            text,
            file,
            syntax,
            variant: is_variant(root),
            unread: std::mem::take(&mut tree.unread),
            code: 0,
            whole: Fragment::mapped(String::new(), file, vec![(0, 0)], text.len()),
            owner: String::new(),
            texts: Vec::new(),
            out,
        };
        lower.sections(root, &mut tree);
        let cut = lower.is_full() || lower.code > MAX_CODE;
        tree.unread.extend(lower.unread);
        // Not even a mapping: there is nothing in it to miss.
        if cut || !root.is_empty() && !matches!(root.kind, NodeKind::Mapping(_)) {
            tree.unread.add_rest();
        }
    }
    tree
}

/// Returns true if the sections of a graph say that it is a variant of another one.
fn is_variant(sections: &Node<'_>) -> bool {
    matches!(&sections.kind, NodeKind::Mapping(entries) if entries.iter().any(|e| e.name() == "extends"))
}

/// Reads values and reports what is wrong with them.
pub(super) struct Lower<'a> {
    /// The file's text.
    text: &'a str,
    file: FileId,
    syntax: Syntax,
    /// The graph that is read extends another one.
    variant: bool,
    /// Bytes of expressions, statements and types read so far.
    code: usize,
    /// The map of the file to itself.
    whole: Fragment,
    /// The parts that could not be read, but for keys.
    unread: Unread,
    /// The node that is read; empty outside of nodes.
    owner: String,
    /// The texts that stand where they are used.
    texts: Vec<TextDecl>,
    out: &'a mut Vec<Diagnostic>,
}

impl Lower<'_> {
    /// Reads a graph that is written inside of another one.
    fn inner_graph(&mut self, node: &Node<'_>) -> Tree {
        let outer =
            (std::mem::replace(&mut self.variant, is_variant(node)), std::mem::take(&mut self.unread));
        let outside = (std::mem::take(&mut self.owner), std::mem::take(&mut self.texts));
        let mut tree = Tree { file: self.file, place: Some(node.span), ..Tree::default() };
        self.sections(node, &mut tree);
        tree.unread.extend(std::mem::take(&mut self.unread));
        (self.variant, self.unread) = outer;
        (self.owner, self.texts) = outside;
        tree
    }

    /// Adds a finding, unless the file has had enough of them.
    fn report(&mut self, found: Diagnostic) {
        if !self.is_full() {
            self.out.push(found);
        }
    }

    /// Returns true if reading an entry's value has said, or is known to have said, that something is wrong with it.
    fn spoils(&self, before: usize, value: &Node<'_>) -> bool {
        self.out.len() > before || matches!(value.kind, NodeKind::Refused) || self.is_reported(value.span)
    }

    /// Returns true if something was found in a part of the file when it was read.
    fn is_reported(&self, part: Span) -> bool {
        match &self.syntax {
            Syntax::Yaml => false,
            Syntax::Dsl(reported) => reported.iter().any(|at| part.start <= at.start && at.end <= part.end),
        }
    }

    /// An example written in YAML, as this file's syntax has it.
    fn example(&self, yaml: &str) -> String {
        match &self.syntax {
            Syntax::Yaml => yaml.to_owned(),
            Syntax::Dsl(_) => yaml.replacen(": ", " ", 1),
        }
    }

    /// Notes every name that is declared somewhere in a value that could not be read.
    fn leave_unread(&mut self, node: &Node<'_>) {
        match &node.kind {
            NodeKind::Mapping(entries) => {
                for entry in entries {
                    self.unread.add_name(entry.name().split(['(', ' ']).next().unwrap_or_default());
                    self.leave_unread(&entry.value);
                }
            }
            NodeKind::Sequence(items) => items.iter().for_each(|item| match &item.kind {
                NodeKind::Scalar(name) => self.unread.add_name(&name.text),
                _ => self.leave_unread(item),
            }),
            NodeKind::Scalar(_) => {}
            NodeKind::Refused => self.unread.add_unnamed(),
        }
    }

    /// Returns true if the file has had enough findings.
    fn is_full(&self) -> bool {
        self.out.len() >= MAX_FINDINGS
    }

    /// Reports a key that must be there and is not.
    fn missing(&mut self, key: &str, what: &str, span: Span, example: &str) {
        if !self.unread.has_rest() {
            let found = Diagnostic::error(rule::MISSING_KEY, span, format!("{what} needs the key `{key}`"));
            self.report(found.help(format!("add `{}`", self.example(example))));
        }
    }
}
