//! Expressions.

use super::super::build::{operator, precedence};
use super::super::literal;
use super::super::scan::{Token, TokenKind};
use super::Reader;
use crate::source::Spanned;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Literal, Name, UnaryOp};

impl Reader<'_> {
    pub(super) fn expr(&mut self) -> Option<Expr> {
        let start = self.next?.start;
        let condition = self.climb(0)?;
        if self.next_text() != "?" {
            return Some(condition);
        }
        let (then, otherwise) = self.deeper(|reader| {
            // Until the `:` has come, line ends mean nothing.
            let lines = std::mem::replace(&mut reader.lines, true);
            reader.take();
            let then = reader.expr()?;
            reader.expect(":")?;
            reader.lines = lines;
            Some((then, reader.expr()?))
        })?;
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
        Some(Expr { kind, span: self.span(start, self.behind) })
    }

    fn climb(&mut self, least: u8) -> Option<Expr> {
        let mut left = self.operand()?;
        while let Some((op, token)) = self.infix().filter(|(op, _)| precedence(*op) >= least) {
            self.take_across();
            let right = self.climb(precedence(op) + 1)?;
            let span = left.span.to(right.span);
            let op = Spanned::new(op, self.span(token.start, token.end));
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Some(left)
    }

    /// The operator that is next. A `-` on a new line is none: something else may begin there.
    fn infix(&self) -> Option<(BinaryOp, Token)> {
        let token = self.next.filter(|t| matches!(t.kind, TokenKind::Symbol | TokenKind::Word))?;
        let op = operator(self.text(token))?;
        (!self.broke || op != BinaryOp::Sub).then_some((op, token))
    }

    fn operand(&mut self) -> Option<Expr> {
        let first = self.next?;
        let op = match self.text(first) {
            "!" => UnaryOp::Not,
            "-" => UnaryOp::Negate,
            _ => return self.value(first.start, false),
        };
        self.take_across();
        let number = op == UnaryOp::Negate && self.next?.kind == TokenKind::Number;
        if number {
            return self.value(first.start, true);
        }
        let start = self.next.filter(|t| !matches!(self.text(*t), "!" | "-"))?.start;
        let operand = self.value(start, false)?;
        let span = self.span(first.start, first.end).to(operand.span);
        Some(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }

    /// A primary and what is selected from it. `start` is where a sign before a number stands.
    fn value(&mut self, start: usize, negative: bool) -> Option<Expr> {
        let token = self.next?;
        let text = self.text(token);
        let kind = match token.kind {
            TokenKind::Word => return self.named(token),
            TokenKind::Number => ExprKind::Literal(literal::number(text, negative, token.start).ok()?),
            TokenKind::Quoted => ExprKind::Literal(Literal::String(literal::string(text, token.start).ok()?)),
            TokenKind::Open => return self.in_brackets(text, start),
            _ => return None,
        };
        self.take();
        let value = Expr { kind, span: self.span(start, token.end) };
        self.selected(value, start)
    }

    /// A list, a map, or an expression in parentheses.
    fn in_brackets(&mut self, open: &str, start: usize) -> Option<Expr> {
        let kind = match open {
            "[" => ExprKind::List(self.listed("]", Self::expr)?),
            "{" => ExprKind::Map(self.listed("}", |reader| {
                let key = reader.expr()?;
                reader.expect(":")?;
                Some((key, reader.expr()?))
            })?),
            _ => self.bracketed(")", Self::expr)?.kind,
        };
        let value = Expr { kind, span: self.span(start, self.behind) };
        self.selected(value, start)
    }

    fn named(&mut self, token: Token) -> Option<Expr> {
        self.take();
        let text = self.text(token);
        let called = self.stands_behind("(");
        let kind = match text {
            "true" | "false" | "null" if called => return None,
            "true" => ExprKind::Literal(Literal::Bool(true)),
            "false" => ExprKind::Literal(Literal::Bool(false)),
            "null" => ExprKind::Literal(Literal::Null),
            "is" if called => self.type_test()?,
            _ if called => {
                let name = self.usable(token)?;
                ExprKind::Call { receiver: None, name, args: self.listed(")", Self::expr)? }
            }
            _ if text.starts_with(|c: char| c.is_ascii_uppercase()) && self.stands_behind("{") => {
                ExprKind::Record(self.name(token)?, self.listed("}", Self::record_field)?)
            }
            _ => ExprKind::Name(self.usable(token)?.value),
        };
        let value = Expr { kind, span: self.span(token.start, self.behind) };
        self.selected(value, token.start)
    }

    fn record_field(&mut self) -> Option<(Name, Expr)> {
        let word = self.take_kind(TokenKind::Word)?;
        let name = self.name(word)?;
        self.expect(":")?;
        Some((name, self.expr()?))
    }

    fn type_test(&mut self) -> Option<ExprKind> {
        let (value, ty) = self.bracketed(")", |reader| {
            let value = reader.expr()?;
            reader.expect(",")?;
            let ty = reader.type_expr()?;
            reader.take_text(",");
            Some((value, ty))
        })?;
        Some(ExprKind::Is(Box::new(value), Box::new(ty)))
    }

    /// Fields, methods and items of a value.
    fn selected(&mut self, mut value: Expr, start: usize) -> Option<Expr> {
        loop {
            let kind = match self.next_text() {
                "." => {
                    self.take_across();
                    let word = self.take_kind(TokenKind::Word)?;
                    let name = self.name(word)?;
                    let value = Box::new(value);
                    if self.stands_behind("(") {
                        let args = self.listed(")", Self::expr)?;
                        ExprKind::Call { receiver: Some(value), name, args }
                    } else {
                        ExprKind::Field(value, name)
                    }
                }
                "[" if !self.broke => {
                    let index = self.bracketed("]", Self::expr)?;
                    ExprKind::Index(Box::new(value), Box::new(index))
                }
                _ => return Some(value),
            };
            value = Expr { kind, span: self.span(start, self.behind) };
        }
    }
}
