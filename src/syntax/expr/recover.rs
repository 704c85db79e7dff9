//! Reading a statement list that has a fault: statement by statement, so that the rest is still judged.

use super::build::Builder;
use super::fault::Fault;
use super::grammar::{self, Rule};
use super::message::{self, Wanted};
use super::nesting::{self, STATEMENT_WORDS};
use super::scan::{Scanner, Token, TokenKind};
use crate::source::Fragment;
use crate::syntax::ast::{Block, Expr, Name, Statement, StatementKind};

/// Reads the tokens of a text from left to right.
pub(super) struct Recovery<'f> {
    fragment: &'f Fragment,
    text: &'f str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    pub faults: Vec<Fault>,
}

/// A part of the text, `start..end` in bytes.
type Part = (usize, usize);

impl<'f> Recovery<'f> {
    pub(super) fn new(fragment: &'f Fragment) -> Self {
        let text = fragment.text.as_str();
        Self { fragment, text, tokens: Scanner::new(text).collect(), at: 0, depth: 0, faults: Vec::new() }
    }

    /// The statements of the whole text that can be read; the others left a fault.
    pub(super) fn block(&mut self) -> Block {
        let mut block = Block::default();
        loop {
            block.statements.extend(self.list().statements);
            let Some(stray) = self.token(self.at) else { return block };
            self.faults.push(Fault::syntax((stray.start, stray.end), "this `}` closes nothing"));
            self.at += 1;
        }
    }

    fn token(&self, index: usize) -> Option<Token> {
        self.tokens.get(index).copied()
    }

    fn text_at(&self, index: usize) -> &'f str {
        self.token(index).map_or("", |t| t.text(self.text))
    }

    fn is_break(&self, index: usize) -> bool {
        self.token(index).is_some_and(|t| t.kind == TokenKind::Break)
    }

    /// Statements up to a `}` that is not theirs, or the end.
    fn list(&mut self) -> Block {
        let mut statements = Vec::new();
        loop {
            while self.is_break(self.at) {
                self.at += 1;
            }
            match self.text_at(self.at) {
                "" | "}" => return Block { statements },
                "if" => statements.extend(self.if_else()),
                "for" => statements.extend(self.for_in()),
                _ => statements.extend(self.simple()),
            }
        }
    }

    fn simple(&mut self) -> Option<Statement> {
        let start = self.at;
        self.at = self.statement_end(start).max(start + 1);
        let part = self.part(start, self.at);
        self.statement(part)
    }

    fn statement(&mut self, part: Part) -> Option<Statement> {
        self.read(part, Rule::statement_text, Wanted::Statement, |builder, pair, faults| {
            pair.into_inner().next().and_then(|p| builder.statement(p, faults))
        })
    }

    fn part(&self, from: usize, to: usize) -> Part {
        let start = self.token(from).map_or(self.text.len(), |t| t.start);
        let end = to.checked_sub(1).and_then(|i| self.token(i)).map_or(start, |t| t.end);
        (start, end.max(start))
    }

    /// The index behind the last token of the statement that begins at `start`.
    fn statement_end(&self, start: usize) -> usize {
        let mut open: Vec<usize> = Vec::new();
        let mut index = start;
        while let Some(token) = self.token(index) {
            match token.kind {
                TokenKind::Open => open.push(index),
                TokenKind::Close if open.is_empty() => return index,
                TokenKind::Close => {
                    open.pop();
                }
                TokenKind::Break if self.ends_here(index, &open) => return index,
                _ => {}
            }
            index += 1;
        }
        index
    }

    /// Whether the line end or `;` at `index` ends a statement.
    fn ends_here(&self, index: usize, open: &[usize]) -> bool {
        if self.text_at(index) == ";" {
            return open.is_empty();
        }
        let mut next = index;
        while self.is_break(next) {
            next += 1;
        }
        if self.begins_statement(next) {
            return true;
        }
        let before = index.checked_sub(1).and_then(|i| self.token(i));
        let goes_on = matches!(
            self.text_at(next),
            "&&" | "||"
                | "=="
                | "!="
                | "<"
                | "<="
                | ">"
                | ">="
                | "+"
                | "*"
                | "/"
                | "%"
                | "?"
                | ":"
                | "??"
                | "."
                | "in"
                | "by"
        );
        let doubled = index >= 2
            && matches!(self.text_at(index - 1), "+" | "-")
            && self.text_at(index - 2) == self.text_at(index - 1);
        open.is_empty() && (doubled || before.is_none_or(Token::ends_operand)) && !goes_on
    }

    /// Whether a statement surely begins at `index`: a keyword, or a name followed by `=` or `+=`.
    fn begins_statement(&self, index: usize) -> bool {
        if self.token(index).is_none_or(|t| t.kind != TokenKind::Word) {
            return false;
        }
        let next = self.text_at(index + 1);
        let word = self.text_at(index);
        STATEMENT_WORDS.contains(&word) && word != "else" && next != ":" || matches!(next, "=" | "+=")
    }

    fn if_else(&mut self) -> Option<Statement> {
        let start = self.at;
        let mut arms = Vec::new();
        let mut otherwise = None;
        let mut whole = true;
        loop {
            self.at += 1;
            let (condition, body) = self.arm(start, Self::condition)?;
            whole &= condition.is_some();
            arms.extend(condition.map(|c| (c, body)));
            let mut next = self.at;
            while self.is_break(next) {
                next += 1;
            }
            if self.text_at(next) != "else" {
                break;
            }
            self.at = next + 1;
            if self.text_at(self.at) == "if" {
                continue;
            }
            otherwise = Some(self.body()?);
            break;
        }
        let end = self.part(start, self.at);
        whole.then(|| Statement {
            kind: StatementKind::If(arms, otherwise),
            span: self.fragment.span(end.0, end.1),
        })
    }

    fn for_in(&mut self) -> Option<Statement> {
        let start = self.at;
        self.at += 1;
        let (head, body) = self.arm(start, Self::for_head)?;
        let end = self.part(start, self.at);
        let (name, list) = head?;
        Some(Statement { kind: StatementKind::For(name, list, body), span: self.fragment.span(end.0, end.1) })
    }

    /// A head and its body; [`None`] when there is no body, which was said.
    fn arm<T>(
        &mut self,
        start: usize,
        read: impl FnOnce(&mut Self, Part) -> Option<T>,
    ) -> Option<(Option<T>, Block)> {
        let from = self.at;
        let stop = self.head_end(from);
        let part = self.part(from, stop);
        self.at = stop;
        if self.text_at(stop) != "{" {
            let part = (self.token(start).map_or(part.0, |t| t.start), part.1);
            self.statement(part);
            return None;
        }
        let head = read(self, part);
        let body = self.body()?;
        Some((head, body))
    }

    fn condition(&mut self, part: Part) -> Option<Expr> {
        self.read(part, Rule::expr_text, Wanted::Expression, |builder, pair, faults| {
            keep(pair.into_inner().next().map(|p| builder.expr(p)), faults)
        })
    }

    fn for_head(&mut self, part: Part) -> Option<(Name, Expr)> {
        self.read(part, Rule::for_head_text, Wanted::ForHead, |builder, pair, faults| {
            let mut parts = pair.into_inner();
            let name = keep(parts.next().map(|p| builder.name(&p)), faults)?;
            let list = keep(parts.next().map(|p| builder.expr(p)), faults)?;
            Some((name, list))
        })
    }

    /// The index of the `{` that begins the body behind a head, or of the token that ends the statement.
    fn head_end(&self, start: usize) -> usize {
        let mut open = 0_usize;
        let mut index = start;
        while let Some(token) = self.token(index) {
            let text = token.text(self.text);
            match token.kind {
                TokenKind::Open if text == "{" && open == 0 && self.body_may_follow(start, index) => {
                    return index;
                }
                TokenKind::Open => open += 1,
                TokenKind::Close if open == 0 => return index,
                TokenKind::Close => open -= 1,
                TokenKind::Break if self.ends_here(index, if open == 0 { &[] } else { &[0] }) => {
                    return index;
                }
                _ => {}
            }
            index += 1;
        }
        index
    }

    /// A `{` behind a value begins a body; behind an operator a map, behind an upper-case name a record.
    fn body_may_follow(&self, start: usize, brace: usize) -> bool {
        let Some(before) = brace.checked_sub(1).filter(|i| *i >= start).and_then(|i| self.token(i)) else {
            return true;
        };
        let upper = before.kind == TokenKind::Word
            && before.text(self.text).starts_with(|c: char| c.is_ascii_uppercase());
        before.ends_operand() && !upper && before.text(self.text) != "in"
    }

    /// `{ statements }`; [`None`] when the bracket is not there, which was said.
    fn body(&mut self) -> Option<Block> {
        let open = self.token(self.at);
        let Some(open) = open.filter(|t| t.text(self.text) == "{") else {
            let at = open.map_or((self.text.len(), self.text.len()), |t| (t.start, t.end));
            self.faults.push(
                Fault::syntax(at, "`{` is wanted here").help("if … { statements } else { statements }"),
            );
            return None;
        };
        self.at += 1;
        if self.depth >= nesting::MAX_NESTING {
            // The scan said so already; reading on would only repeat it.
            self.at = self.tokens.len();
            return None;
        }
        self.depth += 1;
        let block = self.list();
        self.depth -= 1;
        if self.text_at(self.at) != "}" {
            self.faults.push(
                Fault::syntax((open.start, open.end), "this `{` is not closed").help("a `}` is wanted"),
            );
            return Some(block);
        }
        self.at += 1;
        Some(block)
    }

    /// Reads one part by a rule of the grammar; a fault is kept.
    fn read<T>(
        &mut self,
        (start, end): Part,
        rule: Rule,
        wanted: Wanted,
        build: impl FnOnce(Builder<'_>, pest::iterators::Pair<'_, Rule>, &mut Vec<Fault>) -> Option<T>,
    ) -> Option<T> {
        let text = self.text.get(start..end).unwrap_or_default();
        let mut faults = Vec::new();
        let read = nesting::check(text)
            .and_then(|()| grammar::parse(rule, text).map_err(|stop| message::explain(wanted, text, stop)))
            .map(|pair| build(Builder { fragment: self.fragment, base: start }, pair, &mut faults));
        let value = match read {
            Ok(value) => value,
            Err(fault) => {
                faults.push(fault);
                None
            }
        };
        self.faults.extend(faults.into_iter().map(|f| f.shifted(start)));
        value
    }
}

fn keep<T>(result: Option<Result<T, Fault>>, faults: &mut Vec<Fault>) -> Option<T> {
    match result? {
        Ok(value) => Some(value),
        Err(fault) => {
            faults.push(fault);
            None
        }
    }
}
