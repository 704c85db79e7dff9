//! How far statements reach.

use super::extent::Part;
use super::tokens::Tokens;
use crate::syntax::expr::TokenKind;

impl Tokens<'_> {
    /// Passes over a statement, which surely begins here.
    pub(super) fn statement(&mut self) -> Part {
        let start = self.here();
        let first = self.next_text();
        match first {
            "if" => self.if_else(),
            "for" => {
                self.take();
                self.expression();
                self.block();
            }
            "let" => {
                self.take();
                self.take();
                if self.take_text("=").is_some() {
                    self.expression();
                }
            }
            "spend" => {
                self.take();
                if !self.broke {
                    self.expression();
                }
                if self.take_text("by").is_some() {
                    self.expression();
                }
            }
            "emit" | "fail" => {
                self.take();
                if !self.broke && self.is(TokenKind::Word) {
                    self.take();
                }
                if !self.broke && !matches!(self.next_text(), "}" | "->" | "") {
                    self.payload(first == "emit");
                }
            }
            _ => self.write(),
        }
        let goes_on = self.broke || self.next.is_none() || self.is(TokenKind::Word);
        if !goes_on && !matches!(self.next_text(), "}" | "->") {
            self.rest_of_line();
        }
        (start, self.behind)
    }

    /// What an `emit` or a `fail` carries; the next statement may follow on the same line.
    fn payload(&mut self, emit: bool) {
        let record = self.next_text().starts_with(|c: char| c.is_ascii_uppercase());
        if !emit || record || self.is(TokenKind::Open) {
            self.expression();
        }
    }

    /// An assignment or a call.
    fn write(&mut self) {
        // The place begins here for sure, also at the start of a line.
        (self.broke, self.ended) = (false, false);
        self.expression();
        if self.take_text("=").is_some() || self.take_text("+=").is_some() {
            self.expression();
        }
    }

    fn if_else(&mut self) {
        loop {
            self.take();
            self.expression();
            self.block();
            if self.take_text("else").is_none() {
                return;
            }
            if self.next_text() != "if" {
                return self.block();
            }
        }
    }

    fn block(&mut self) {
        if self.next_text() == "{" {
            self.group();
        }
    }
}
