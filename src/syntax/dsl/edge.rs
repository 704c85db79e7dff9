//! Edges: `-> target "label" outer "…" on trigger when guard do { statements }`.

use super::Reader;
use crate::diag::Diagnostic;
use crate::syntax::expr::TokenKind;
use crate::syntax::lower::Form;
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// The clauses in their order; the label has no word.
const CLAUSES: &[(&str, Form)] = &[
    ("label", Form::Text),
    ("outer", Form::Text),
    ("on", Form::Triggers),
    ("when", Form::Expr),
    ("do", Form::Statements),
];

impl<'s> Reader<'s, '_> {
    /// An edge; its arrow is the next token.
    pub(super) fn edge(&mut self) -> Node<'s> {
        let start = self.t.here();
        let arrow = (start, start + 2);
        self.t.take();
        let target = match self.t.next.filter(|t| t.kind == TokenKind::Word && !self.t.broke) {
            Some(to) => {
                self.t.take();
                self.word_node(to)
            }
            None => self.no_value(arrow, "the name of a node", "`-> target`"),
        };
        let mut entries = vec![self.named("to", arrow, target)];
        let mut last = 0;
        while let Some(rank) = self.clause() {
            if rank < last {
                let word = self.found(false);
                let at = self.t.next.map_or(self.span(arrow), |t| self.token_span(t));
                let message = format!("{word} stands behind `{}`", CLAUSES[last].0);
                let found = Diagnostic::error("loop-syntax", at, message);
                self.report(found.help("the order is: target, \"label\", outer, on, when, do"));
            }
            last = last.max(rank);
            let (name, form) = CLAUSES[rank];
            let Some(token) = self.t.next else { break };
            let at = (token.start, token.end);
            if rank > 0 {
                self.t.take();
            }
            let value = self.value(at, form);
            entries.push(self.named(name, if rank > 0 { at } else { (at.0, at.0) }, value));
        }
        if !self.t.broke && !matches!(self.t.next_text(), "" | "}" | "->") {
            self.after_edge();
        }
        self.mapping(entries, (start, self.t.behind))
    }

    /// The clause that begins at the next token.
    fn clause(&self) -> Option<usize> {
        if self.t.is(TokenKind::Quoted) {
            return (!self.t.broke).then_some(0);
        }
        let text = self.t.next_text();
        let rank = CLAUSES.iter().position(|(name, _)| *name == text).filter(|rank| *rank > 0)?;
        // `outer` is no reserved word: on a line of its own it may be a name.
        (rank != 1 || !self.t.broke || self.t.second().0.is_some_and(|t| t.kind == TokenKind::Quoted))
            .then_some(rank)
    }

    fn after_edge(&mut self) {
        let hint = match self.t.next_text() {
            "if" => "a guard begins with `when`",
            "label" => "a label stands in quotes behind the target, without a word before it",
            "," => "several triggers stand in brackets: `on [error, timeout]`",
            "{" => "statements of an edge stand behind `do`: `do { x = 1 }`",
            _ => {
                "an edge is written `-> target \"label\" outer \"…\" on trigger when guard do { statements }`"
            }
        };
        self.unexpected("a clause of the edge or the end of the line", hint);
    }

    /// `next { edges }`: the same as edges in the body, and none at all in a variant.
    pub(super) fn edge_block(&mut self, key: super::Part) -> Node<'s> {
        let start = self.t.here();
        let Some(open) = self.t.next.filter(|t| self.t.text(*t) == "{") else {
            return self.no_value(key, "`{`", "`-> target` at the end of the body");
        };
        self.t.take();
        let mut edges = Vec::new();
        if self.enter(open) {
            while self.inside(open) {
                if self.t.next_text() == "->" {
                    edges.push(self.edge());
                } else {
                    self.unexpected("an edge or `}`", "an edge is written `-> target`");
                }
            }
        }
        self.depth -= 1;
        Node { kind: NodeKind::Sequence(edges), span: self.span((start, self.t.behind)) }
    }

    /// The edges of a body as its key `next`.
    pub(super) fn next_entry(&mut self, edges: Vec<Node<'s>>) -> Option<Entry<'s>> {
        let (first, last) = (edges.first()?.span, edges.last()?.span);
        let head = (first.start as usize, first.start as usize + 2);
        let value = Node { kind: NodeKind::Sequence(edges), span: first.to(last) };
        self.nodes += 1;
        Some(self.named("next", head, value))
    }
}
