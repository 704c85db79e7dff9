//! Expressions, statements and places as their author wrote them, found by where they are.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::piece::{DraftSide, TextPiece};
use crate::source::Span;
use crate::syntax::ast::{Block, Expr, Name, Place, Statement};
use crate::syntax::print;
use crate::syntax::tree::{
    BudgetBody, BudgetDecl, EdgeDecl, FieldDecl, KeyValue, MeterDecl, NodeDecl, PauseDecl, PropertyBody,
    RetryDecl, Tree,
};

/// The texts of one version.
#[derive(Debug, Default)]
pub(super) struct Written<'t> {
    exprs: FxHashMap<Span, &'t Expr>,
    statements: FxHashMap<Span, &'t Statement>,
    places: FxHashMap<Span, &'t Place>,
    /// Mappings of expressions.
    mappings: FxHashMap<Span, &'t [(Name, Expr)]>,
}

impl<'t> Written<'t> {
    pub(super) fn new(trees: &'t [Arc<Tree>]) -> Self {
        let mut written = Self::default();
        for tree in trees {
            written.tree(tree);
        }
        written
    }

    /// The text of a part, its meaning where that is all there is.
    pub(super) fn of(&self, part: &DraftSide) -> String {
        let written = (!part.written.is_empty()).then(|| self.text(&part.written)).flatten();
        written.unwrap_or_else(|| part.meaning.clone())
    }

    /// The text of all pieces in canonical form; [`None`] if one of them is not written anywhere.
    fn text(&self, pieces: &[TextPiece]) -> Option<String> {
        pieces.iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&self, piece: &TextPiece) -> Option<String> {
        Some(match piece {
            TextPiece::Word(word) => word.clone(),
            TextPiece::Part(part) => self.of(part),
            TextPiece::Expr(span) => match self.exprs.get(span) {
                Some(expr) => expr.to_string(),
                None => mapping(self.mappings.get(span)?),
            },
            TextPiece::Place(span) => self.places.get(span)?.to_string(),
            TextPiece::Statements(spans) => {
                let statements = spans.iter().map(|span| self.statements.get(span).copied().cloned());
                let block = Block { statements: statements.collect::<Option<_>>()? };
                print::block(&block, 0).trim_end().to_owned()
            }
        })
    }

    fn tree(&mut self, tree: &'t Tree) {
        tree.input.iter().chain(&tree.state).for_each(|field| self.field(field));
        tree.budgets.iter().for_each(|budget| self.budget(budget));
        tree.lets.iter().for_each(|decl| self.expr(&decl.body));
        tree.actions.iter().for_each(|action| self.block(&action.body));
        self.pause(tree.pause.as_ref());
        tree.nodes.iter().for_each(|node| self.node(node));
        tree.output.iter().for_each(|(_, value)| self.expr(value));
        for property in &tree.properties {
            match &property.body {
                PropertyBody::Never(one) | PropertyBody::Always(one) | PropertyBody::Eventually(one) => {
                    self.expr(one);
                }
                PropertyBody::Precedes(one, other) => [one, other].into_iter().for_each(|e| self.expr(e)),
            }
        }
    }

    fn expr(&mut self, expr: &'t Expr) {
        self.exprs.insert(expr.span, expr);
    }

    fn block(&mut self, block: &'t Block) {
        self.statements.extend(block.statements.iter().map(|statement| (statement.span, statement)));
    }

    fn field(&mut self, field: &'t FieldDecl) {
        field.default.iter().chain(&field.condition).for_each(|expr| self.expr(expr));
    }

    fn budget(&mut self, budget: &'t BudgetDecl) {
        match &budget.body {
            BudgetBody::Counter(meter) => self.meter(meter),
            BudgetBody::Family { each, meters, .. } => {
                self.expr(each);
                for (_, meter) in meters {
                    self.meter(meter);
                }
            }
        }
    }

    fn meter(&mut self, meter: &'t MeterDecl) {
        self.expr(&meter.limit);
        meter.grace.iter().for_each(|grace| self.expr(grace));
    }

    fn pause(&mut self, pause: Option<&'t PauseDecl>) {
        let Some(pause) = pause else { return };
        self.expr(&pause.when);
        pause.ask.iter().for_each(|ask| self.expr(ask));
    }

    fn node(&mut self, node: &'t NodeDecl) {
        node.entry.iter().chain(&node.then).for_each(|block| self.block(block));
        node.state.iter().for_each(|field| self.field(field));
        node.budgets.iter().for_each(|budget| self.budget(budget));
        self.pause(node.pause.as_deref());
        let branches = node.branches.iter().flat_map(|branch| &branch.keys);
        node.keys.iter().chain(branches).for_each(|(_, value)| self.key(value));
        node.edges.iter().flatten().for_each(|edge| self.edge(edge));
        node.nodes.iter().for_each(|inner| self.node(inner));
    }

    fn key(&mut self, value: &'t KeyValue) {
        match value {
            KeyValue::Expr(expr) => self.expr(expr),
            KeyValue::Fields(fields) => {
                for (_, value) in fields {
                    self.expr(value);
                }
                if let Some(((first, _), (_, last))) = fields.first().zip(fields.last()) {
                    self.mappings.insert(first.span.to(last.span), fields);
                }
            }
            KeyValue::Place(place) => {
                self.places.insert(place.span, place);
            }
            KeyValue::Retry(RetryDecl { attempts, first, factor, max, jitter, .. }) => {
                let all = [attempts, first, factor, max, jitter].into_iter().flatten();
                all.for_each(|expr| self.expr(expr));
            }
            _ => {}
        }
    }

    fn edge(&mut self, edge: &'t EdgeDecl) {
        edge.when.iter().for_each(|guard| self.expr(guard));
        edge.action.iter().for_each(|block| self.block(block));
    }
}

fn mapping(fields: &[(Name, Expr)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{}: {value}", name.value)).collect();
    format!("{{{}}}", fields.join(", "))
}
