//! The ends of the parts of a faulty text, so that each of them is read by its rule.
//!
//! A part ends where a value is complete and what follows cannot continue with it; brackets are passed over as a whole.

use super::Part;
use super::keys::{budget_form, is_declaration, is_kind, node_form};
use super::tokens::Tokens;
use crate::syntax::expr::{STATEMENT_WORDS, Scanner, Token, TokenKind};
use crate::syntax::yaml::MAX_DEPTH;

/// Words that can follow an expression on its line.
const FOLLOWING_WORDS: &[&str] =
    &["in", "where", "by", "precedes", "on", "when", "do", "ask", "as", "outer", "else"];

/// The most values that are looked at on a line where one follows another without a sign between them.
const MAX_JOINTS: usize = 64;

/// Returns true if two words side by side are a key and its value, or begin a declaration.
fn is_head(first: &str, second: &str) -> bool {
    let known = is_kind(first) || is_declaration(first) || node_form(first).is_some();
    let named = second.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '\'' | '"'));
    known
        && named
        && !FOLLOWING_WORDS.contains(&second)
        && node_form(second).is_none()
        && budget_form(second).is_none()
}

/// The part of an expression that was passed over.
#[derive(Default)]
struct Passed {
    /// A value ends here.
    complete: bool,
    /// It is a name in upper case, so that braces may follow.
    upper: bool,
    /// `?` without their `:`.
    conditions: u32,
}

impl Tokens<'_> {
    /// Passes over an expression; [`None`] if none can begin here.
    pub(super) fn pass_value(&mut self) -> Option<Part> {
        let start = self.next?.start;
        if self.ended || self.broke && self.begins_item() {
            return None;
        }
        let (mut passed, mut taken) = (Passed::default(), false);
        while let Some(token) = self.next {
            let ends = self.ended || !passed.complete && self.broke && self.begins_item();
            if taken && ends || !self.goes_on(token, &passed) {
                break;
            }
            let text = self.text(token);
            let selects = passed.complete && text == ".";
            match token.kind {
                TokenKind::Open => {
                    self.group();
                    passed = Passed { complete: true, upper: false, ..passed };
                }
                TokenKind::Symbol => {
                    if passed.complete {
                        passed.conditions += u32::from(text == "?");
                        passed.conditions = passed.conditions.saturating_sub(u32::from(text == ":"));
                    }
                    self.take();
                    passed.complete = selects;
                    if selects && self.is(TokenKind::Word) {
                        self.take();
                        passed.upper = false;
                    }
                }
                _ => {
                    let operator = passed.complete && text == "in";
                    passed.upper = text.starts_with(|c: char| c.is_ascii_uppercase());
                    passed.complete = !operator;
                    self.take();
                }
            }
            taken = true;
        }
        taken.then_some((start, self.end_of_last))
    }

    /// Returns true if the next token belongs to the expression before it.
    fn goes_on(&self, token: Token, passed: &Passed) -> bool {
        let text = self.text(token);
        match (token.kind, text) {
            (TokenKind::Close | TokenKind::Break, _) | (TokenKind::Symbol, "->" | "=" | "+=" | ",") => false,
            (TokenKind::Symbol, ":") => passed.complete && passed.conditions > 0,
            (_, _) if !passed.complete => true,
            (TokenKind::Symbol, "..") | (TokenKind::Number, _) => false,
            (TokenKind::Symbol, "-") => !self.broke,
            (TokenKind::Symbol, _) => true,
            (TokenKind::Word, _) => text == "in" && self.second().0.is_none_or(|t| self.text(t) != ":"),
            (TokenKind::Open, "{") => passed.upper && !self.broke,
            (TokenKind::Open, _) => !self.broke,
            // A name directly before a quote: the reader of expressions says what is wrong with it.
            (TokenKind::Quoted, _) => token.start == self.end_of_last,
        }
    }

    /// Returns true if a statement, an edge or a declaration surely begins at the next token.
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

    /// Passes over brackets and what is in them. An edge or a brace that closes more than was opened ends them.
    pub(super) fn group(&mut self) -> bool {
        let closed = self.brackets();
        self.ends_in_text |= !closed;
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
                    // What does not fit is reported by the reader of expressions.
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

    /// Passes over braces and all that is in them, edges too; false if they are not closed.
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
        self.ends_in_text = true;
        false
    }

    /// Passes over a type; what is none is passed over as an expression.
    pub(super) fn pass_type(&mut self) -> Option<Part> {
        if !self.is(TokenKind::Word) {
            return self.pass_value();
        }
        let start = self.here();
        self.take();
        let (mut open, mut before) = (0_usize, "");
        while let Some(next) = self.next {
            let text = self.text(next);
            if self.broke && (open == 0 || text != ">" && before != "<") {
                break;
            }
            before = text;
            match text {
                "<" => open += 1,
                ">" if open > 0 => open -= 1,
                "?" => {}
                "(" => {
                    self.group();
                    continue;
                }
                _ if open > 0 && next.kind == TokenKind::Word => {}
                _ => break,
            }
            self.take();
        }
        Some((start, self.end_of_last))
    }

    /// Passes over `type`, `type = default`, `type = default where condition`.
    pub(super) fn pass_field(&mut self) -> Option<Part> {
        let (start, _) = self.pass_type()?;
        let named = |tokens: &Self| tokens.second().0.is_some_and(|t| tokens.text(t) == ":");
        for sign in ["=", "where"] {
            // A field may be called `where`.
            if self.next_text() == sign && (sign == "=" || !named(self)) {
                self.take();
                self.pass_value();
            }
        }
        let follows = self.broke || self.next.is_none() || matches!(self.next_text(), "}" | ",");
        if !(follows || self.is(TokenKind::Word) && named(self)) {
            self.rest_of_line();
        }
        Some((start, self.end_of_last))
    }

    /// Passes over a statement, which surely begins here.
    pub(super) fn pass_statement(&mut self) -> Part {
        let (start, first) = (self.here(), self.next_text());
        // Also at the start of a line.
        (self.broke, self.ended) = (false, false);
        if STATEMENT_WORDS.contains(&first) {
            self.take();
        }
        match first {
            "if" | "for" => self.pass_blocks(),
            "emit" | "fail" => self.pass_payload(first == "emit"),
            _ => {
                if first != "spend" || !self.broke {
                    self.pass_value();
                }
                let signs: &[&str] = if first == "spend" { &["by"] } else { &["=", "+="] };
                if signs.iter().any(|sign| self.take_text(sign).is_some()) {
                    self.pass_value();
                }
            }
        }
        // The next one may begin on the same line.
        if !self.is(TokenKind::Word) {
            self.rest_of_line();
        }
        (start, self.end_of_last)
    }

    /// Passes over `condition { statements }` and what follows after `else`.
    fn pass_blocks(&mut self) {
        loop {
            self.pass_value();
            if self.next_text() == "{" {
                self.group();
            }
            if self.take_text("else").is_none() {
                return;
            }
            self.take_text("if");
        }
    }

    /// Passes over a name and what an `emit` or a `fail` carries.
    fn pass_payload(&mut self, emit: bool) {
        if !self.broke && self.is(TokenKind::Word) {
            self.take();
        }
        let record = self.next_text().starts_with(|c: char| c.is_ascii_uppercase());
        let carries = !emit || record || self.is(TokenKind::Open);
        if carries && !self.broke && !matches!(self.next_text(), "}" | "->") {
            self.pass_value();
        }
    }

    /// The end of the line that begins at this byte, with the lines that its brackets and operators take in: no key,
    /// statement, edge or declaration continues after it. [`None`] if that is too deep to be read.
    pub(super) fn line_from(&self, at: usize) -> Option<usize> {
        let mut scanner = Scanner::new(self.text);
        scanner.skip_to(at);
        let (mut open, mut broke, mut joints) = (0_usize, false, 0);
        let mut before: Option<Token> = None;
        for token in scanner {
            let text = self.text(token);
            let ended = before.is_some_and(|b| b.ends_operand() || matches!(self.text(b), "?" | ">"));
            match token.kind {
                TokenKind::Break => {
                    broke = true;
                    continue;
                }
                TokenKind::Word if FOLLOWING_WORDS.contains(&text) => {}
                TokenKind::Word | TokenKind::Number | TokenKind::Quoted if open == 0 && ended => {
                    joints += 1;
                    if broke || joints > MAX_JOINTS {
                        return Some(token.start);
                    }
                }
                TokenKind::Symbol if open == 0 && text == "->" && before.is_some() => {
                    return Some(token.start);
                }
                TokenKind::Open if open == MAX_DEPTH => return None,
                TokenKind::Open => open += 1,
                TokenKind::Close if open == 0 => return Some(token.start),
                TokenKind::Close => open -= 1,
                _ => {}
            }
            (before, broke) = (Some(token), false);
        }
        Some(self.text.len())
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
