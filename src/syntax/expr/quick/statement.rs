//! Statements and the places they write to.

use smallvec::SmallVec;

use super::super::nesting::MAX_NESTING;
use super::super::scan::TokenKind;
use super::super::{names, statement};
use super::{MOST_TOKENS, Reader};
use crate::syntax::ast::{Block, Expr, Place, PlaceStep, Statement, StatementKind};

impl Reader<'_> {
    /// Statements up to `close`, which is left to the caller; nothing is the end of the text.
    pub(super) fn statements(&mut self, close: &str) -> Option<Block> {
        let mut statements = Vec::new();
        loop {
            while self.next.is_some_and(|t| t.kind == TokenKind::Break) {
                self.take();
            }
            if self.next_text() == close {
                // Statements are large, and most lists of them are short.
                statements.shrink_to_fit();
                return Some(Block { statements });
            }
            // Not only the nodes of its tree are counted, but those of one statement at a time.
            self.left = MOST_TOKENS;
            let statement = self.statement()?;
            let braced = matches!(statement.kind, StatementKind::If(..) | StatementKind::For(..));
            statements.push(statement);
            let ended = self.next.is_some_and(|t| t.kind == TokenKind::Break);
            if !ended && !braced && self.next_text() != close || self.scanner.fault.is_some() {
                return None;
            }
        }
    }

    fn statement(&mut self) -> Option<Statement> {
        let start = self.next?.start;
        let kind = match self.next_text() {
            "spend" => {
                self.take();
                let budget = statement::place_as_expr(self.place()?);
                let amount = if self.take_text("by") { Some(self.expr()?) } else { None };
                StatementKind::Spend(budget, amount)
            }
            "if" => return self.if_else(start),
            "for" => {
                self.take_across();
                let word = self.take_kind(TokenKind::Word)?;
                let name = self.usable(word)?;
                self.expect("in")?;
                StatementKind::For(name, self.before_block()?, self.braced()?)
            }
            "let" => {
                self.take_across();
                let word = self.take_kind(TokenKind::Word)?;
                let name = self.usable(word)?;
                self.expect("=")?;
                StatementKind::Let(name, self.expr()?)
            }
            "emit" | "fail" => self.raise()?,
            _ => self.write()?,
        };
        let end = self.behind;
        (end - start <= names::MAX_EXPRESSION).then(|| Statement { kind, span: self.span(start, end) })
    }

    fn if_else(&mut self, start: usize) -> Option<Statement> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        let mut end;
        loop {
            self.take_across();
            arms.push((self.before_block()?, self.braced()?));
            end = self.behind;
            // Nothing but an `else` continues the statement, and what follows it may stand on the next line.
            while self.next_text() == "\n" {
                self.take();
            }
            if !self.take_text("else") {
                break;
            }
            if self.next_text() != "if" {
                otherwise = Some(self.braced()?);
                end = self.behind;
                break;
            }
        }
        Some(Statement { kind: StatementKind::If(arms, otherwise), span: self.span(start, end) })
    }

    /// The expression before a block, where line ends mean nothing.
    fn before_block(&mut self) -> Option<Expr> {
        let (lines, start) = (std::mem::replace(&mut self.lines, true), self.next?.start);
        let expr = self.expr()?;
        self.lines = lines;
        (self.behind - start <= names::MAX_EXPRESSION).then_some(expr)
    }

    fn braced(&mut self) -> Option<Block> {
        if self.next_text() != "{" {
            return None;
        }
        self.take();
        let block = self.deeper(|reader| reader.statements("}"))?;
        self.take();
        Some(block)
    }

    fn raise(&mut self) -> Option<StatementKind> {
        let emit = self.next_text() == "emit";
        self.take();
        let word = self.take_kind(TokenKind::Word)?;
        let name = self.name(word)?;
        if self.next.is_some_and(|t| t.kind == TokenKind::Quoted && t.start == word.end) {
            return None;
        }
        let ends = self.next.is_none_or(|t| t.kind == TokenKind::Break || self.text(t) == "}");
        if !ends && emit && self.next_text() != "{" {
            return None;
        }
        let with = if ends { None } else { Some(self.expr()?) };
        Some(if emit { StatementKind::Emit(name, with) } else { StatementKind::Fail(name, with) })
    }

    /// An assignment, or the call of an action.
    fn write(&mut self) -> Option<StatementKind> {
        let place = self.place()?;
        let add = match self.next_text() {
            "(" if place.steps.is_empty() => {
                return self.bracketed(")", |_| Some(StatementKind::Call(place.root)));
            }
            "=" => false,
            "+=" => true,
            _ => return None,
        };
        self.take_across();
        Some(StatementKind::Assign { place, add, value: self.expr()? })
    }

    pub(super) fn place(&mut self) -> Option<Place> {
        let word = self.take_kind(TokenKind::Word)?;
        let root = self.usable(word)?;
        let mut steps = SmallVec::<[PlaceStep; 4]>::new();
        loop {
            steps.push(match self.next_text() {
                "." => {
                    self.take_across();
                    let word = self.take_kind(TokenKind::Word)?;
                    PlaceStep::Field(self.name(word)?)
                }
                "[" if !self.broke => PlaceStep::Index(self.bracketed("]", Self::expr)?),
                _ => break,
            });
        }
        if steps.len() > MAX_NESTING {
            return None;
        }
        Some(Place { root, steps: steps.into_vec(), span: self.span(word.start, self.behind) })
    }
}
