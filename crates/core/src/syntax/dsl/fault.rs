//! Faults of a file, in words that say what to do.

use super::keys::{is_declaration, is_kind};
use super::{Part, Reader};
use crate::diag::{Diagnostic, rule};
use crate::source::Span;
use crate::syntax::expr::{Token, TokenKind};
use crate::syntax::names::clip;
use crate::syntax::yaml::Node;

impl<'s> Reader<'s, '_> {
    /// The next token in words, for a message. The end of a line is only reported where `line` says that what is
    /// wanted had to stand on it.
    pub(super) fn found(&self, line: bool) -> String {
        match self.t.next {
            None => "the end of the file".to_owned(),
            Some(_) if line && self.t.broke => "the end of the line".to_owned(),
            Some(token) => format!("`{}`", clip(self.t.text(token))),
        }
    }

    /// The place of [`Self::found`].
    fn found_at(&self, line: bool) -> Span {
        match self.t.next {
            Some(token) if !(line && self.t.broke) => self.token_span(token),
            _ => self.span((self.t.end_of_last, self.t.end_of_last)),
        }
    }

    /// Reports that something else is wanted here.
    pub(super) fn wanted(&mut self, what: &str, hint: &str) {
        let message = format!("expected {what}, found {}", self.found(true));
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.found_at(true), message);
        self.report(found.help(hint));
    }

    /// Reports a key without a value.
    pub(super) fn no_value(&mut self, key: Part, what: &str, example: &str) -> Node<'s> {
        let name = clip(self.t.text.get(key.0..key.1).unwrap_or_default());
        let message = format!("`{name}` needs {what}, found {}", self.found(true));
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.found_at(true), message);
        self.report(found.help(format!("write {example}")));
        self.refused((self.t.end_of_last, self.t.end_of_last))
    }

    /// Reports that statements are missing, and gives what stands for them.
    pub(super) fn no_statements(&mut self, key: Part) -> Node<'s> {
        if self.t.broke || self.t.next_text() != "(" {
            return self.no_value(key, "`{`", "the statements in braces: `{ x = 1 }`");
        }
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.found_at(true), "an action has no parameters");
        self.report(found.help(
            "write the statements in braces after the name: `{ x = 1 }`; what they work on is in the state",
        ));
        self.refused((self.t.end_of_last, self.t.end_of_last))
    }

    /// Reports something that cannot stand here and passes over the line.
    pub(super) fn unexpected(&mut self, wanted: &str, hint: &str) {
        if self.habit() {
            return;
        }
        let message = format!("expected {wanted}, found {}", self.found(false));
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.found_at(false), message);
        self.report(found.help(hint));
        self.pass_line();
    }

    /// Passes over the rest of the line, one token at least.
    pub(super) fn pass_line(&mut self) {
        let start = self.t.here();
        if self.t.is(TokenKind::Open) {
            self.t.group();
        } else {
            self.t.take();
        }
        self.t.rest_of_line();
        self.reported.push((start, self.t.end_of_last.max(start)));
    }

    /// Reports a block without its closing brace; `next` begins outside of it.
    pub(super) fn not_closed(&mut self, open: Token, next: Option<Token>) {
        let mut found = Diagnostic::error(
            rule::LOOP_SYNTAX,
            self.token_span(open),
            "the block that begins here is not closed",
        );
        if let Some(next) = next {
            found = found.also(self.token_span(next), "this begins outside of it");
        }
        self.report(found.help("a `}` is missing"));
    }

    /// True if the next token begins a declaration at the margin of the block that was opened there, or further out.
    pub(super) fn begins_outside(&self, open: Token) -> bool {
        let Some(next) = self.t.next.filter(|t| self.t.broke && t.kind == TokenKind::Word) else {
            return false;
        };
        let text = self.t.text(next);
        if !is_kind(text) && !is_declaration(text)
            || self.t.indentation(next.start) > self.t.indentation(open.start)
        {
            return false;
        }
        let (second, same) = self.t.second();
        same && second
            .is_some_and(|t| matches!(t.kind, TokenKind::Word | TokenKind::Quoted) || self.t.text(t) == "{")
    }
}
