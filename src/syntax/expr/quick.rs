//! A short cut for the short texts most of a graph is made of: guards, paths, calls, plain assignments.
//!
//! It reads the same trees with the same places as the grammar, some ten times faster, and gives up ([`None`]) on
//! whatever it does not know or that has a fault: then the grammar reads the text anew and speaks. A test compares
//! both on random texts.

use smallvec::SmallVec;

use super::build::{operator, precedence};
use super::scan::{Scanner, Token, TokenKind};
use super::{literal, names};
use crate::source::{Fragment, Span, Spanned};
use crate::syntax::ast::{
    Block, Expr, ExprKind, Literal, Name, Place, PlaceStep, Statement, StatementKind, UnaryOp,
};

/// Longer texts are left to the grammar. A node takes two bytes at least, so no tree grows too deep here.
const LONGEST: usize = 240;
/// Brackets inside brackets.
const DEEPEST: u32 = 32;

/// Reads a text token by token with one token of lookahead.
struct Reader<'f> {
    fragment: &'f Fragment,
    scanner: Scanner<'f>,
    next: Option<Token>,
    /// Where the token taken last ends.
    behind: usize,
    depth: u32,
}

/// A whole expression.
pub(super) fn expression(fragment: &Fragment) -> Option<Expr> {
    let mut reader = Reader::new(fragment)?;
    reader.skip_lines();
    let expr = reader.expr(0)?;
    reader.skip_lines();
    reader.at_end().then_some(expr)
}

/// A whole place.
pub(super) fn place(fragment: &Fragment) -> Option<Place> {
    let mut reader = Reader::new(fragment)?;
    let place = reader.place()?;
    reader.at_end().then_some(place)
}

/// A name alone, or a name with a name in parentheses: most triggers.
pub(super) fn trigger(fragment: &Fragment) -> Option<(Name, Option<Expr>)> {
    let mut reader = Reader::new(fragment)?;
    let word = reader.take_kind(TokenKind::Word)?;
    let name = reader.name(word)?;
    let arg = if reader.take_text("(") {
        let arg = reader.expr(0)?;
        if !reader.take_text(")") {
            return None;
        }
        Some(arg)
    } else {
        None
    };
    reader.at_end().then_some((name, arg))
}

/// A list of plain statements.
pub(super) fn block(fragment: &Fragment) -> Option<Block> {
    let mut reader = Reader::new(fragment)?;
    let mut statements = Vec::new();
    loop {
        reader.skip_breaks();
        if reader.at_end() {
            return Some(Block { statements });
        }
        statements.push(reader.statement()?);
        let ended = reader.next.is_none_or(|t| t.kind == TokenKind::Break);
        if !ended || reader.scanner.fault.is_some() {
            return None;
        }
    }
}

impl<'f> Reader<'f> {
    fn new(fragment: &'f Fragment) -> Option<Self> {
        let text = fragment.text.as_str();
        if text.len() > LONGEST {
            return None;
        }
        let mut scanner = Scanner::new(text);
        let next = scanner.next();
        Some(Self { fragment, scanner, next, behind: 0, depth: 0 })
    }

    fn text(&self, token: Token) -> &'f str {
        token.text(&self.fragment.text)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        self.fragment.span(start, end)
    }

    fn next_text(&self) -> &'f str {
        self.next.map_or("", |t| self.text(t))
    }

    fn take(&mut self) -> Option<Token> {
        let taken = std::mem::replace(&mut self.next, self.scanner.next());
        self.behind = taken.map_or(self.behind, |t| t.end);
        taken
    }

    fn take_kind(&mut self, kind: TokenKind) -> Option<Token> {
        if self.next?.kind == kind { self.take() } else { None }
    }

    fn take_text(&mut self, text: &str) -> bool {
        let found = self.next.is_some() && self.next_text() == text;
        if found {
            self.take();
        }
        found
    }

    fn skip_breaks(&mut self) {
        while self.next.is_some_and(|t| t.kind == TokenKind::Break) {
            self.take();
        }
    }

    fn skip_lines(&mut self) {
        while self.take_text("\n") {}
    }

    fn at_end(&self) -> bool {
        self.next.is_none() && self.scanner.fault.is_none()
    }

    /// A word that may stand anywhere.
    fn name(&self, token: Token) -> Option<Name> {
        let word = self.text(token);
        (word.len() <= names::MAX_NAME)
            .then(|| Spanned::new(word.to_owned(), self.span(token.start, token.end)))
    }

    fn usable(&self, token: Token) -> Option<Name> {
        if names::is_reserved(self.text(token)) { None } else { self.name(token) }
    }

    fn expr(&mut self, least: u8) -> Option<Expr> {
        let mut left = self.operand()?;
        while let Some(token) = self.next {
            let known = matches!(token.kind, TokenKind::Symbol | TokenKind::Word);
            let Some(op) = operator(self.text(token)).filter(|_| known) else { break };
            if precedence(op) < least {
                break;
            }
            self.take();
            let right = self.expr(precedence(op) + 1)?;
            let span = left.span.to(right.span);
            let op = Spanned::new(op, self.span(token.start, token.end));
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Some(left)
    }

    fn operand(&mut self) -> Option<Expr> {
        let first = self.next?;
        let prefix = match self.text(first) {
            "!" => Some(UnaryOp::Not),
            "-" => Some(UnaryOp::Negate),
            _ => None,
        };
        let Some(op) = prefix else { return self.value(first.start, false) };
        self.take();
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
        let token = self.take()?;
        let text = self.text(token);
        let kind = match token.kind {
            TokenKind::Word => return self.named(token),
            TokenKind::Number => ExprKind::Literal(literal::number(text, negative, token.start).ok()?),
            TokenKind::Quoted => ExprKind::Literal(Literal::String(literal::string(text, token.start).ok()?)),
            TokenKind::Open if text == "[" => {
                let (items, end) = self.items("]")?;
                let list = Expr { kind: ExprKind::List(items), span: self.span(start, end) };
                return self.selected(list, start);
            }
            TokenKind::Open if text == "(" => {
                let mut inner = self.nested()?;
                let end = self.next?.end;
                if !self.take_text(")") {
                    return None;
                }
                inner.span = self.span(start, end);
                return self.selected(inner, start);
            }
            _ => return None,
        };
        let value = Expr { kind, span: self.span(start, token.end) };
        self.selected(value, start)
    }

    fn named(&mut self, token: Token) -> Option<Expr> {
        let literal = match self.text(token) {
            "true" => Some(Literal::Bool(true)),
            "false" => Some(Literal::Bool(false)),
            "null" => Some(Literal::Null),
            _ => None,
        };
        let called = self.next_text() == "(";
        let kind = match literal {
            Some(_) if called => return None,
            Some(literal) => ExprKind::Literal(literal),
            None if called && self.text(token) == "is" => return None,
            None => {
                let name = self.usable(token)?;
                if called {
                    let call = self.call(None, name, token.start)?;
                    return self.selected(call, token.start);
                }
                ExprKind::Name(name.value)
            }
        };
        let value = Expr { kind, span: self.span(token.start, token.end) };
        self.selected(value, token.start)
    }

    fn call(&mut self, receiver: Option<Box<Expr>>, name: Name, start: usize) -> Option<Expr> {
        self.take();
        let (args, end) = self.items(")")?;
        Some(Expr { kind: ExprKind::Call { receiver, name, args }, span: self.span(start, end) })
    }

    fn selected(&mut self, mut value: Expr, start: usize) -> Option<Expr> {
        loop {
            match self.next_text() {
                "." => {
                    self.take();
                    let word = self.take_kind(TokenKind::Word)?;
                    let field = self.name(word)?;
                    value = if self.next_text() == "(" {
                        self.call(Some(Box::new(value)), field, start)?
                    } else {
                        let span = self.span(start, word.end);
                        Expr { kind: ExprKind::Field(Box::new(value), field), span }
                    };
                }
                "[" => {
                    self.take();
                    let index = self.nested()?;
                    let end = self.next?.end;
                    if !self.take_text("]") {
                        return None;
                    }
                    let kind = ExprKind::Index(Box::new(value), Box::new(index));
                    value = Expr { kind, span: self.span(start, end) };
                }
                _ => return Some(value),
            }
        }
    }

    fn nested(&mut self) -> Option<Expr> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let inner = self.expr(0);
        self.depth -= 1;
        inner
    }

    /// Expressions up to the bracket `close`, and where that ends.
    fn items(&mut self, close: &str) -> Option<(Vec<Expr>, usize)> {
        let mut items = Vec::new();
        loop {
            let token = self.next?;
            if self.text(token) == close {
                self.take();
                return Some((items, token.end));
            }
            items.push(self.nested()?);
            if !self.take_text(",") && self.next_text() != close {
                return None;
            }
        }
    }

    fn place(&mut self) -> Option<Place> {
        let word = self.take_kind(TokenKind::Word)?;
        let root = self.usable(word)?;
        let mut steps = SmallVec::<[PlaceStep; 4]>::new();
        let mut end = word.end;
        while self.take_text(".") {
            let word = self.take_kind(TokenKind::Word)?;
            end = word.end;
            steps.push(PlaceStep::Field(self.name(word)?));
        }
        if steps.len() > super::scan::MAX_NESTING {
            return None;
        }
        Some(Place { root, steps: steps.into_vec(), span: self.span(word.start, end) })
    }

    fn statement(&mut self) -> Option<Statement> {
        let start = self.next?.start;
        let kind = if self.next_text() == "spend" {
            self.take();
            let place = self.place()?;
            let amount = if self.take_text("by") { Some(self.expr(0)?) } else { None };
            StatementKind::Spend(super::statement::place_as_expr(place), amount)
        } else {
            let place = self.place()?;
            match self.next_text() {
                "(" if place.steps.is_empty() => {
                    self.take();
                    if !self.take_text(")") {
                        return None;
                    }
                    StatementKind::Call(place.root)
                }
                op @ ("=" | "+=") => {
                    self.take();
                    StatementKind::Assign { place, add: op == "+=", value: self.expr(0)? }
                }
                _ => return None,
            }
        };
        Some(Statement { kind, span: self.span(start, self.behind) })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use proptest::prelude::*;

    use super::*;
    use crate::diag::Diagnostic;
    use crate::source::FileId;
    use crate::syntax::expr;
    use crate::syntax::tree::TriggerDecl;

    /// What the short cut reads, the grammar reads in the same way.
    fn agree<T: Debug>(
        text: &str,
        quick: impl Fn(&Fragment) -> Option<T>,
        slow: impl Fn(&Fragment, &mut Vec<Diagnostic>) -> Option<T>,
    ) -> bool {
        let fragment = Fragment::verbatim(text, FileId(0), 0);
        let Some(read) = quick(&fragment) else { return false };
        let mut found = Vec::new();
        let wanted = slow(&fragment, &mut found);
        assert!(found.is_empty(), "{text:?}: {found:?}");
        assert_eq!(format!("{:?}", Some(read)), format!("{wanted:?}"), "{text:?}");
        true
    }

    fn all_agree(text: &str) {
        agree(text, expression, expr::expression_by_grammar);
        agree(text, place, expr::place_by_grammar);
        agree(text, |f| trigger(f).map(|(name, arg)| TriggerDecl { name, arg }), expr::trigger_by_grammar);
        agree(text, block, |f, out| {
            let (block, faults) = expr::block_by_grammar(f);
            out.extend(faults.into_iter().map(|fault| fault.diagnostic(f)));
            Some(block)
        });
    }

    #[test]
    fn common_texts_are_read_here() {
        for text in [
            "answer.action == 'call_tool' && answer.tool_call != null",
            "exhausted(rounds)",
            "!done || count + 1 < limit(rounds) * 2",
            "xs.exists(x, x.id == id) && kind in ['a', \"b\",]",
            " -5 + -(a) - b[0].c ?? 1m30s\n",
        ] {
            assert!(agree(text, expression, expr::expression_by_grammar), "{text}");
        }
        for text in ["x = 1", "spend rounds\ncount += 1; note()\n# done\n", "spend stage by 2"] {
            let slow = |f: &Fragment, _: &mut Vec<Diagnostic>| Some(expr::block_by_grammar(f).0);
            assert!(agree(text, block, slow), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn both_ways_agree(pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "b.c", "T", "is", "in", "by", "spend", "when", "true", "1", "-", "!", "1.5", "2s", "0x1", "3u", "'t'",
            "r'\\d'", "", "b'x'", "(", ")", "[", "]", "{", "}", ",", ":", ".", "..", " ", " ", "\n", ";", "#c\n",
            "=", "+=", " == ", " && ", " || ", " < ", " + ", " * ", " ?? ", " ? ", "f(", "a.g(", "x = ", "()", "a[",
        ]), 1..14)) {
            all_agree(&pieces.concat());
        }
    }
}
