//! One graph of one version, with what its parts mean in words.

use super::Version;
use super::item::ItemFact;
use super::piece::{DraftSide, TextPiece};
use crate::model::expr::{Block, Expr, Place};
use crate::model::graph::Graph;
use crate::model::node::{NameSource, NodeKind, TextSource};
use crate::program::code;
use crate::program::graph::{GraphCode, LinkedNodeKind as Code, NameCode, PlaceCode, TextCode};
use crate::program::listing::Words;
use crate::program::op::OpId;
use crate::source::Span;
use crate::value::Str;

/// One graph of one version.
pub(super) struct Side<'v> {
    pub(super) graph: &'v Graph,
    pub(super) code: &'v GraphCode,
    pub(super) words: Words<'v>,
    /// The names of nodes in paths and words: a renamed one has one name in both versions.
    pub(super) nodes: Vec<Str>,
    /// The names of actions.
    pub(super) actions: Vec<Str>,
    /// The names of called graphs.
    pub(super) graphs: Vec<Str>,
    /// All graphs of the version.
    pub(super) all: &'v [Graph],
}

impl<'v> Side<'v> {
    pub(super) fn new(
        version: &Version<'v>,
        index: usize,
        nodes: Vec<Str>,
        actions: Vec<Str>,
        graphs: Vec<Str>,
    ) -> Self {
        Self {
            graph: &version.model.graphs[index],
            code: &version.program.graphs[index],
            words: Words::new(version.program, index, nodes.clone(), actions.clone()),
            nodes,
            actions,
            graphs,
            all: &version.model.graphs,
        }
    }

    /// A graph with its own names.
    pub(super) fn alone(version: &Version<'v>, index: usize, graphs: &[Str]) -> Self {
        let graph = &version.model.graphs[index];
        Self::new(version, index, node_names(graph), action_names(graph), graphs.to_vec())
    }

    pub(super) fn expr(&mut self, key: &str, slug: &'static str, expr: &Expr, op: OpId) -> ItemFact {
        let written = vec![TextPiece::Expr(expr.span)];
        ItemFact::of(key, slug, DraftSide { meaning: self.words.expr(op), written, span: expr.span })
    }

    pub(super) fn optional(
        &mut self,
        key: &str,
        slug: &'static str,
        expr: Option<&Expr>,
        op: Option<OpId>,
    ) -> Option<ItemFact> {
        Some(self.expr(key, slug, expr?, op?))
    }

    pub(super) fn block(
        &mut self,
        key: &str,
        slug: &'static str,
        block: &Block,
        code: code::Block,
    ) -> Option<ItemFact> {
        let first = block.statements.first()?.span;
        let written = vec![TextPiece::Statements(block.statements.iter().map(|s| s.span).collect())];
        let end = block.statements.last().map_or(first.end, |last| last.span.end);
        let span = Span { end: end.max(first.end), ..first };
        Some(ItemFact::of(key, slug, DraftSide { meaning: self.words.block(code), written, span }))
    }

    pub(super) fn text(
        &mut self,
        key: &str,
        slug: &'static str,
        text: Option<(&TextSource, TextCode)>,
        near: Span,
    ) -> Option<ItemFact> {
        let (source, code) = text?;
        let meaning = self.words.text(code);
        let (written, span) = match source {
            TextSource::Text(id) => {
                let name = &self.graph.texts[id.0 as usize].name.value;
                (vec![TextPiece::Word(name.to_string())], near)
            }
            TextSource::Expr(expr) => (vec![TextPiece::Expr(expr.span)], expr.span),
        };
        Some(ItemFact::of(key, slug, DraftSide { meaning, written, span }))
    }

    /// `role` and `role_of`, `tool` and `tool_of`.
    pub(super) fn name(
        &mut self,
        key: &str,
        slug: &'static str,
        name: &NameSource,
        code: &NameCode,
    ) -> ItemFact {
        let meaning = self.words.name(code);
        let (written, span) = match name {
            NameSource::Fixed(name) => (vec![TextPiece::Word(name.value.to_string())], name.span),
            NameSource::Computed(expr) => {
                (vec![TextPiece::Word("of ".to_owned()), TextPiece::Expr(expr.span)], expr.span)
            }
        };
        ItemFact::of(key, slug, DraftSide { meaning, written, span })
    }

    pub(super) fn place(
        &mut self,
        key: &str,
        slug: &'static str,
        place: Option<(&Place, &PlaceCode)>,
    ) -> Option<ItemFact> {
        let (place, code) = place?;
        let meaning = self.words.place(code);
        Some(ItemFact::of(
            key,
            slug,
            DraftSide { meaning, written: vec![TextPiece::Place(place.span)], span: place.span },
        ))
    }

    /// The kinds of a node in the model and in the program.
    pub(super) fn kinds(&self, node: usize) -> (&'v NodeKind, &'v Code) {
        let id = crate::model::node::NodeId::new(node);
        (&self.graph.graph[id].kind, &self.code.nodes[node].kind)
    }
}

pub(super) fn node_names(graph: &Graph) -> Vec<Str> {
    graph.graph.node_weights().map(|node| node.name.value.clone()).collect()
}

pub(super) fn action_names(graph: &Graph) -> Vec<Str> {
    graph.actions.iter().map(|action| action.name.value.clone()).collect()
}
