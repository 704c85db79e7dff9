//! Edges: `-> target "label" outer "…" on trigger when guard do { statements }`.

use super::{Part, Reader};
use crate::diag::{Diagnostic, did_you_mean, nearest, rule};
use crate::syntax::expr::{Rule, TokenKind};
use crate::syntax::lower::Form;
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// The clauses in their order; the label has no word.
const CLAUSES: &[(&str, Form)] = &[
    ("label", Form::Text),
    ("ignore", Form::Ignores),
    ("outer", Form::Text),
    ("on", Form::Triggers),
    ("when", Form::Expr),
    ("do", Form::Statements),
];

impl<'s> Reader<'s, '_> {
    /// An edge; its arrow is the next token.
    pub(super) fn edge(&mut self) -> Node<'s> {
        if let Some(pair) = self.piece(Rule::edge) {
            return self.edge_pair(pair);
        }
        let arrow = self.take_arrow();
        self.edge_after(arrow)
    }

    /// An edge whose arrow was taken.
    pub(super) fn edge_after(&mut self, arrow: Part) -> Node<'s> {
        let start = arrow.0;
        let named = !self.t.broke && !self.target_is_missing();
        let target = match if named { self.name_part() } else { None } {
            Some(to) => self.name_node(to),
            None => self.no_value(arrow, "the name of a node", "`-> target`"),
        };
        let mut entries = vec![self.named("to", arrow, target)];
        let mut last = 0;
        while let Some(rank) = self.clause() {
            if rank < last {
                let word = self.found(false);
                let at = self.t.next.map_or(self.span(arrow), |t| self.token_span(t));
                let message = format!("{word} comes after `{}`", CLAUSES[last].0);
                let found = Diagnostic::error(rule::LOOP_SYNTAX, at, message);
                self.report(found.help("the order is: target, \"label\", ignore, outer, on, when, do"));
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
            // What was read of it may not be what was meant.
            let refused = self.refused((self.t.end_of_last, self.t.end_of_last));
            match entries.last_mut() {
                Some(last) if last.key.text == "when" => last.value = refused,
                _ => entries.push(self.named("when", arrow, refused)),
            }
        }
        self.mapping(entries, (start, self.t.end_of_last))
    }

    /// Returns true if a clause is where the target should be.
    fn target_is_missing(&self) -> bool {
        let second = || self.t.second();
        match self.t.next_text() {
            "when" | "on" => true,
            "do" => second().1 && second().0.is_some_and(|t| self.t.text(t) == "{"),
            _ => false,
        }
    }

    /// The clause that begins at the next token.
    fn clause(&self) -> Option<usize> {
        if self.t.is(TokenKind::Quoted) {
            return (!self.t.broke).then_some(0);
        }
        let text = self.t.next_text();
        if self.t.ended {
            return None;
        }
        let rank = CLAUSES.iter().position(|(name, _)| *name == text).filter(|rank| *rank > 0)?;
        // `ignore` and `outer` are no reserved words: on a line of its own the first may be a declaration, the other a name.
        let goes_on = match rank {
            1 => !self.t.broke,
            2 => !self.t.broke || self.t.second().0.is_some_and(|t| t.kind == TokenKind::Quoted),
            _ => true,
        };
        goes_on.then_some(rank)
    }

    fn after_edge(&mut self) {
        let word = self.t.next_text();
        if let Some(meant) = nearest(word, ["when", "on", "do", "outer"]).filter(|_| word != "do") {
            return self.unexpected(
                "a clause of the edge or the end of the line",
                &did_you_mean(&format!("`{meant}`")),
            );
        }
        let hint = match word {
            "else" | "otherwise" | "default" => {
                "leave it out: an edge without `when` is taken when no edge before it is"
            }
            "=" => "to compare, write `==`",
            "and" | "or" | "not" => "logical operators are written `&&`, `||` and `!`",
            "if" => "a guard begins with `when`",
            "label" => "write the label in quotes after the target, without a word before it",
            "," => "write several triggers in brackets: `on [error, timeout]`",
            "{" => "write the statements of an edge after `do`: `do { x = 1 }`",
            _ => {
                "an edge is written `-> target \"label\" outer \"…\" on trigger when guard do { statements }`"
            }
        };
        self.unexpected("a clause of the edge or the end of the line", hint);
    }

    /// `next { edges }`: the same as edges in the body, and none at all in a variant.
    pub(super) fn edge_block(&mut self, key: Part) -> Node<'s> {
        let start = self.t.here();
        let Some(open) = self.t.next.filter(|t| !self.t.broke && self.t.text(*t) == "{") else {
            return self.no_value(key, "`{`", "`-> target` at the end of the body");
        };
        self.t.take();
        let mut edges = Vec::new();
        if self.enter(open) {
            while self.inside(open) {
                if self.at_arrow() {
                    edges.push(self.edge());
                } else {
                    self.unexpected("an edge or `}`", "an edge is written `-> target`");
                }
            }
        }
        self.depth -= 1;
        Node { kind: NodeKind::Sequence(edges), span: self.span((start, self.t.end_of_last)) }
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
