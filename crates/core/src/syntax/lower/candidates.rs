//! Graphs of which a node calls one.

use super::Lower;
use super::form::Form;
use crate::diag::{Diagnostic, rule};
use crate::source::Spanned;
use crate::syntax::ast::Name;
use crate::syntax::names::{clip, is_identifier};
use crate::syntax::tree::{CandidateDecl, KeyValue};
use crate::syntax::yaml::{Node, NodeKind, Scalar};

/// The most graphs that one node chooses from: each is checked with all that the node gives it.
const MAX_CANDIDATES: usize = 64;

impl Lower<'_> {
    /// Graphs by name, or paths.
    pub(super) fn candidates(&mut self, node: &Node<'_>) -> Option<Vec<CandidateDecl>> {
        let count = match &node.kind {
            NodeKind::Mapping(entries) => entries.len(),
            NodeKind::Sequence(items) => items.len(),
            _ => 1,
        };
        if count > MAX_CANDIDATES {
            let message = format!("a node chooses from {MAX_CANDIDATES} graphs at most, these are {count}");
            let fault = Diagnostic::error(rule::TOO_LARGE, self.head(node), message);
            self.report(fault.help("choose in two steps: let one of the graphs choose from others"));
            return None;
        }
        let found = match &node.kind {
            NodeKind::Mapping(entries) => self.all(entries, |lower, entry| {
                let name = lower.declared(entry, "a graph");
                let graph = lower.key_value(Form::Graph, entry);
                Some(CandidateDecl { name: name?, graph: graph? })
            })?,
            NodeKind::Scalar(scalar) if Scalar::is_empty(scalar) => Vec::new(),
            _ => self.one_or_more(node, |lower, item| {
                let path = lower.text(item)?;
                let name = lower.stem(&path)?;
                Some(CandidateDecl { name, graph: KeyValue::File(path) })
            })?,
        };
        if found.is_empty() {
            let fault = Diagnostic::error(rule::MISSING_VALUE, self.head(node), "`graphs` names no graph");
            self.report(fault.help("write `graphs: [one.yaml, other.yaml]`"));
            return None;
        }
        Some(found)
    }

    /// The name of a file without its folder and its ending.
    fn stem(&mut self, path: &Spanned<String>) -> Option<Name> {
        let file = path.value.rsplit('/').next().unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        if is_identifier(stem) {
            return Some(Name::new(stem.to_owned(), path.span));
        }
        let message = format!("`{}` cannot be the name of a graph", clip(stem));
        let tidy = stem.replace(['-', '.', ' '], "_");
        let name = if is_identifier(&tidy) { tidy } else { "name".to_owned() };
        let fault = Diagnostic::error(rule::INVALID_NAME, path.span, message);
        self.report(fault.help(format!("name it yourself: `graphs: {{{name}: '{}'}}`", clip(&path.value))));
        None
    }
}
