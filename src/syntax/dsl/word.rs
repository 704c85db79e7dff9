//! Words and texts in quotes as values.

use super::Reader;
use crate::diag::{Diagnostic, rule};
use crate::syntax::expr::{Token, TokenKind};
use crate::syntax::quoted;
use crate::syntax::yaml::{Node, NodeKind, Scalar, Style};

impl<'s> Reader<'s, '_> {
    /// A word, or a text in quotes.
    pub(super) fn name(&mut self) -> Option<Node<'s>> {
        if !self.t.is(TokenKind::Word) {
            return self.text();
        }
        let part = self.name_part()?;
        Some(self.name_node(part))
    }

    /// Words with dots between them.
    pub(super) fn dotted(&mut self) -> Option<Node<'s>> {
        let first = self.t.next.filter(|t| t.kind == TokenKind::Word);
        let Some(first) = first else { return self.text() };
        self.t.take();
        while self.t.next_text() == "." && self.t.here() == self.t.behind {
            let word = self.t.second().0.filter(|t| t.kind == TokenKind::Word);
            if word.is_none_or(|t| t.start != self.t.behind + 1) {
                break;
            }
            self.t.take();
            self.t.take();
        }
        Some(self.name_node((first.start, self.t.behind)))
    }

    /// The name of a tool: servers give them dots and dashes, too.
    pub(super) fn tool(&mut self) -> Option<Node<'s>> {
        let first = self.t.next.filter(|t| t.kind == TokenKind::Word);
        let Some(first) = first else { return self.text() };
        self.t.take();
        while let Some(next) = self.t.next.filter(|t| t.start == self.t.behind) {
            let joins = matches!(self.t.text(next), "." | "-" | "/" | ":");
            if !joins && !matches!(next.kind, TokenKind::Word | TokenKind::Number) {
                break;
            }
            self.t.take();
        }
        Some(self.name_node((first.start, self.t.behind)))
    }

    /// A text in quotes.
    pub(super) fn text(&mut self) -> Option<Node<'s>> {
        let token = self.t.next.filter(|t| t.kind == TokenKind::Quoted)?;
        self.t.take();
        Some(self.quoted(token))
    }

    fn quoted(&mut self, token: Token) -> Node<'s> {
        self.nodes += 1;
        let span = self.token_span(token);
        let (fragment, escapes) = quoted::read(self.t.text(token), self.file, token.start);
        for at in escapes {
            let shown = self.t.text.get(at.0..at.1).unwrap_or("\\").to_owned();
            let found =
                Diagnostic::error(rule::LOOP_SYNTAX, self.span(at), format!("`{shown}` is not an escape"));
            self.report(found.help("`\\` itself is written `\\\\`; a raw text r'…' takes it as it is"));
        }
        let scalar = Scalar { text: fragment.text.into(), style: Style::Text, span };
        Node { span, kind: NodeKind::Scalar(scalar) }
    }

    /// A word as a value.
    pub(super) fn word_node(&mut self, token: Token) -> Node<'s> {
        self.name_node((token.start, token.end))
    }
}
