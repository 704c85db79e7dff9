//! How far expressions and types reach.
//!
//! Only their ends are found here; the readers of expressions read them. An expression ends where a value is complete
//! and what follows cannot go on with it. What is not well formed ends no later than its line.

use super::keys::{budget_form, is_declaration, is_kind, node_form};
use super::tokens::Tokens;
use crate::syntax::expr::{Token, TokenKind};

/// A part of the text, `start..end` in bytes.
pub(in crate::syntax) type Part = (usize, usize);

/// Words that can stand behind an expression on its line.
const BEHIND: &[&str] = &["in", "where", "by", "precedes", "on", "when", "do", "ask", "as", "outer", "else"];

/// Whether two words that stand side by side are a key and its value, or begin a declaration.
fn is_head(first: &str, second: &str) -> bool {
    let known = is_kind(first) || is_declaration(first) || node_form(first).is_some();
    let named = second.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '\'' | '"'));
    known
        && named
        && !BEHIND.contains(&second)
        && node_form(second).is_none()
        && budget_form(second).is_none()
}

/// Words a statement begins with. They are reserved, so no key bears them.
pub(super) const STATEMENT_WORDS: &[&str] = &["if", "for", "let", "spend", "emit", "fail"];

impl Tokens<'_> {
    /// Passes over an expression; [`None`] if none can begin here.
    pub(in crate::syntax) fn expression(&mut self) -> Option<Part> {
        let start = self.next?.start;
        if self.ended || self.broke && self.begins_item() {
            return None;
        }
        let (mut complete, mut upper, mut conditions) = (false, false, 0_u32);
        let mut taken = false;
        while let Some(token) = self.next {
            if taken && (self.ended || !complete && self.broke && self.begins_item()) {
                break;
            }
            if !complete {
                match token.kind {
                    TokenKind::Symbol if !matches!(self.text(token), "->" | "=" | "+=" | "," | ":") => {
                        self.take();
                    }
                    TokenKind::Word | TokenKind::Number | TokenKind::Quoted => {
                        upper = self.text(token).starts_with(|c: char| c.is_ascii_uppercase());
                        self.take();
                        complete = true;
                    }
                    TokenKind::Open => {
                        self.group();
                        (complete, upper) = (true, false);
                    }
                    _ => break,
                }
                taken = true;
                continue;
            }
            match self.after_value(token, upper, &mut conditions) {
                After::End => break,
                After::Operator => complete = false,
                After::Selection => upper = false,
            }
        }
        taken.then_some((start, self.behind))
    }

    /// What a token behind a complete value does; it is taken unless it ends the expression.
    fn after_value(&mut self, token: Token, upper: bool, conditions: &mut u32) -> After {
        let text = self.text(token);
        match (token.kind, text) {
            (TokenKind::Symbol, "->" | "=" | "+=" | "," | "..") => After::End,
            (TokenKind::Symbol, "-") if self.broke => After::End,
            (TokenKind::Symbol, ":") if *conditions == 0 => After::End,
            (TokenKind::Symbol, ".") => {
                self.take();
                if self.is(TokenKind::Word) {
                    self.take();
                }
                After::Selection
            }
            (TokenKind::Symbol, _) => {
                match text {
                    "?" => *conditions += 1,
                    ":" => *conditions -= 1,
                    _ => {}
                }
                self.take();
                After::Operator
            }
            (TokenKind::Word, "in") if self.second().0.is_none_or(|t| self.text(t) != ":") => {
                self.take();
                After::Operator
            }
            (TokenKind::Open, "(" | "[") if !self.broke => {
                self.group();
                After::Selection
            }
            (TokenKind::Open, "{") if upper && !self.broke => {
                self.group();
                After::Selection
            }
            // A name directly before a quote: the reader of expressions says what is wrong with it.
            (TokenKind::Quoted, _) if token.start == self.behind => {
                self.take();
                After::Selection
            }
            _ => After::End,
        }
    }

    /// Whether a statement, an edge or a declaration surely begins at the next token.
    fn begins_item(&self) -> bool {
        let text = self.next_text();
        if text == "->" || STATEMENT_WORDS.contains(&text) {
            return true;
        }
        let (second, same) = self.second();
        let second = second.map_or("", |t| self.text(t));
        let record = text.starts_with(|c: char| c.is_ascii_uppercase());
        self.is(TokenKind::Word)
            && (matches!(second, "=" | "+=") || same && (second == "{" && !record || is_head(text, second)))
    }

    /// Passes over brackets and what stands in them. An edge or a brace that closes more than was opened ends them.
    pub(super) fn group(&mut self) -> bool {
        let closed = self.brackets();
        self.torn |= !closed;
        closed
    }

    fn brackets(&mut self) -> bool {
        let mut open: Vec<u8> = Vec::new();
        while let Some(token) = self.next {
            let text = self.text(token);
            match token.kind {
                TokenKind::Open => open.push(text.as_bytes()[0]),
                TokenKind::Close if text == "}" && !open.contains(&b'{') => return false,
                TokenKind::Close => {
                    // What does not fit is told by the reader of expressions.
                    while open.pop().is_some_and(|o| text == "}" && o != b'{') {}
                    if open.is_empty() {
                        self.take();
                        return true;
                    }
                }
                _ if text == "->" => return false,
                _ => {}
            }
            self.take();
        }
        false
    }

    /// Passes over braces and all that stands in them, edges too; false if they are not closed.
    pub(super) fn braces(&mut self) -> bool {
        let mut open = 0_usize;
        while let Some(token) = self.take() {
            match self.text(token) {
                "{" => open += 1,
                "}" => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return true;
            }
        }
        self.torn = true;
        false
    }

    /// Passes over a type; what is none is passed over as an expression.
    pub(super) fn type_expr(&mut self) -> Option<Part> {
        if !self.is(TokenKind::Word) {
            return self.expression();
        }
        let start = self.here();
        self.take();
        if !self.broke && self.next_text() == "<" {
            self.angles();
        }
        if !self.broke && self.next_text() == "(" {
            self.group();
        }
        if !self.broke && self.next_text() == "?" {
            self.take();
        }
        Some((start, self.behind))
    }

    fn angles(&mut self) {
        let mut open = 0_u32;
        let mut before = "";
        while let Some(token) = self.next {
            match (token.kind, self.text(token)) {
                (TokenKind::Symbol, "<") => open += 1,
                (TokenKind::Symbol, ">") => open = open.saturating_sub(1),
                (TokenKind::Word, _) if !self.broke || before == "<" => {}
                (TokenKind::Symbol, "?") if !self.broke => {}
                (TokenKind::Open, "(") => {
                    self.group();
                    continue;
                }
                _ => return,
            }
            before = self.text(token);
            self.take();
            if open == 0 {
                return;
            }
        }
    }

    /// Passes over `type`, `type = default`, `type = default where condition`.
    pub(super) fn field(&mut self) -> Option<Part> {
        let (start, _) = self.type_expr()?;
        for sign in ["=", "where"] {
            // A field may be called `where`.
            let named = |tokens: &Self| tokens.second().0.is_some_and(|t| tokens.text(t) == ":");
            if self.next_text() == sign && (sign == "=" || !named(self)) {
                self.take();
                self.expression();
            }
        }
        let follows = self.broke || self.next.is_none() || matches!(self.next_text(), "}" | ",");
        let named = self.is(TokenKind::Word) && self.second().0.is_some_and(|t| self.text(t) == ":");
        if !follows && !named {
            self.rest_of_line();
        }
        Some((start, self.behind))
    }

    /// Passes over what is left of the line, brackets as a whole, up to a brace or an edge that is not its own.
    pub(super) fn rest_of_line(&mut self) {
        while !self.broke && self.next.is_some() && !matches!(self.next_text(), "}" | "->") {
            if !self.is(TokenKind::Open) {
                self.take();
            } else if !self.group() {
                return;
            }
        }
    }
}

/// See [`Tokens::after_value`].
enum After {
    End,
    Operator,
    Selection,
}
