//! Reads the words of a tag as expressions, by the engine's order of operators.

use std::ops::Range;

use super::tree::{Argument, StepKind, TemplateExpr, TemplateExprKind, TemplateStep, Word};
use crate::program::template::scan::{Token, TokenKind};

/// Brackets and signs before an operand nest no deeper than this; what is deeper is unknown.
const MAX_NESTING: usize = 100;

/// Reads the words of one tag from left to right.
pub(super) struct TagReader<'t, 'a> {
    tokens: &'a [Token<'t>],
    at: usize,
    depth: usize,
}

impl<'t, 'a> TagReader<'t, 'a> {
    pub(super) const fn new(tokens: &'a [Token<'t>]) -> Self {
        Self { tokens, at: 0, depth: 0 }
    }

    fn peek(&self) -> Option<&'a Token<'t>> {
        self.tokens.get(self.at)
    }

    pub(super) const fn is_at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// True if the next word or sign is this one, and not a text in quotes.
    pub(super) fn sees(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.kind != TokenKind::Quoted && token.text == text)
    }

    /// Takes the next word or sign if it is this one.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let sees = self.sees(text);
        self.at += usize::from(sees);
        sees
    }

    /// The next word, if it is a name.
    pub(super) fn word(&mut self) -> Option<Word<'t>> {
        let token = self.peek().filter(|token| token.kind == TokenKind::Name)?;
        self.at += 1;
        Some(Word { text: token.text, start: token.start })
    }

    /// The names that are assigned to, in brackets or not. A field of a name is none.
    pub(super) fn names(&mut self) -> Vec<Word<'t>> {
        let mut names = Vec::new();
        while let Some(token) = self.peek() {
            match (token.kind, token.text) {
                (TokenKind::Name, "in") => break,
                (TokenKind::Name, _) => names.extend(self.word()),
                (TokenKind::Sign, ".") => {
                    names.pop();
                    self.at += 2;
                }
                (TokenKind::Sign, ",") | (TokenKind::Open | TokenKind::Close, "(" | ")") => self.at += 1,
                _ => break,
            }
        }
        names
    }

    fn start(&self) -> usize {
        self.peek().or(self.tokens.last()).map_or(0, |token| token.start)
    }

    /// The bytes from `start` up to what was read last.
    fn since(&self, start: usize) -> Range<usize> {
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        start..last.map_or(start, Token::end).max(start)
    }

    fn unknown(&mut self, start: usize) -> TemplateExpr<'t> {
        self.at = self.tokens.len();
        TemplateExpr { kind: TemplateExprKind::Unknown, range: self.since(start) }
    }

    /// One level deeper; what is too deep is unknown.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> TemplateExpr<'t>) -> TemplateExpr<'t> {
        if self.depth >= MAX_NESTING {
            let start = self.start();
            return self.unknown(start);
        }
        self.depth += 1;
        let expr = read(self);
        self.depth -= 1;
        expr
    }

    /// `a if b else c`, and all that binds closer.
    pub(super) fn expression(&mut self) -> TemplateExpr<'t> {
        self.deeper(Self::conditional)
    }

    fn conditional(&mut self) -> TemplateExpr<'t> {
        let start = self.start();
        let mut expr = self.plain();
        let mut deep = 0;
        while self.takes("if") {
            let condition = Box::new(self.plain());
            let otherwise = self.takes("else").then(|| Box::new(self.expression()));
            deep += 1;
            if deep > MAX_NESTING {
                return self.unknown(start);
            }
            let kind = TemplateExprKind::If { condition, then: Box::new(expr), otherwise };
            expr = TemplateExpr { kind, range: self.since(start) };
        }
        expr
    }

    /// An expression without `if`.
    pub(super) fn plain(&mut self) -> TemplateExpr<'t> {
        self.deeper(|reader| reader.either("or", TemplateExprKind::Or, Self::all))
    }

    fn all(&mut self) -> TemplateExpr<'t> {
        self.either("and", TemplateExprKind::And, Self::negation)
    }

    fn either(
        &mut self,
        word: &str,
        kind: fn(Vec<TemplateExpr<'t>>) -> TemplateExprKind<'t>,
        operand: fn(&mut Self) -> TemplateExpr<'t>,
    ) -> TemplateExpr<'t> {
        let start = self.start();
        let first = operand(self);
        if !self.sees(word) {
            return first;
        }
        let mut parts = vec![first];
        while self.takes(word) {
            parts.push(operand(self));
        }
        TemplateExpr { kind: kind(parts), range: self.since(start) }
    }

    fn negation(&mut self) -> TemplateExpr<'t> {
        let start = self.start();
        if !self.takes("not") {
            return self.comparison();
        }
        let inner = Box::new(self.deeper(Self::negation));
        TemplateExpr { kind: TemplateExprKind::Not(inner), range: self.since(start) }
    }

    fn comparison(&mut self) -> TemplateExpr<'t> {
        const SIGNS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
        self.operators(
            |reader| {
                if let Some(sign) = SIGNS.into_iter().find(|sign| reader.sees(sign)) {
                    return Some((sign, 1));
                }
                let negated = reader.sees("not").then_some(("not in", 2));
                reader.sees("in").then_some(("in", 1)).or(negated)
            },
            |reader| reader.chain(&["+", "-"], |reader| reader.chain(&["~"], Self::product)),
        )
    }

    fn product(&mut self) -> TemplateExpr<'t> {
        self.chain(&["*", "/", "//", "%"], |reader| reader.chain(&["**"], Self::operand))
    }

    fn chain(
        &mut self,
        signs: &[&'static str],
        operand: impl Fn(&mut Self) -> TemplateExpr<'t>,
    ) -> TemplateExpr<'t> {
        let sign = |reader: &Self| signs.iter().find(|sign| reader.sees(sign)).map(|sign| (*sign, 1));
        self.operators(sign, operand)
    }

    /// Operands with operators between them; `operator` gives the next one and how many words it has.
    fn operators(
        &mut self,
        operator: impl Fn(&Self) -> Option<(&'static str, usize)>,
        operand: impl Fn(&mut Self) -> TemplateExpr<'t>,
    ) -> TemplateExpr<'t> {
        let start = self.start();
        let first = operand(self);
        let mut further = Vec::new();
        while let Some((sign, words)) = operator(self) {
            self.at += words;
            further.push((sign, operand(self)));
        }
        if further.is_empty() {
            return first;
        }
        TemplateExpr { kind: TemplateExprKind::Operators(Box::new(first), further), range: self.since(start) }
    }

    /// An operand with its filters and tests.
    fn operand(&mut self) -> TemplateExpr<'t> {
        let start = self.start();
        let base = self.signed();
        let steps = self.filters(start);
        self.with_steps(base, steps, start)
    }

    /// `-a.b[c]`: the sign belongs to the whole path.
    fn signed(&mut self) -> TemplateExpr<'t> {
        let start = self.start();
        if self.takes("-") {
            let inner = Box::new(self.deeper(Self::signed));
            return TemplateExpr { kind: TemplateExprKind::Negative(inner), range: self.since(start) };
        }
        let base = self.primary();
        let steps = self.path(start);
        self.with_steps(base, steps, start)
    }

    fn with_steps(
        &self,
        base: TemplateExpr<'t>,
        further: Vec<TemplateStep<'t>>,
        start: usize,
    ) -> TemplateExpr<'t> {
        if further.is_empty() {
            return base;
        }
        let (base, mut steps) = match base {
            TemplateExpr { kind: TemplateExprKind::Steps(base, steps), .. } => (base, steps),
            base => (Box::new(base), Vec::new()),
        };
        steps.extend(further);
        TemplateExpr { kind: TemplateExprKind::Steps(base, steps), range: self.since(start) }
    }

    fn primary(&mut self) -> TemplateExpr<'t> {
        let start = self.start();
        let Some(token) = self.peek() else { return self.unknown(start) };
        self.at += 1;
        let kind = match (token.kind, token.text) {
            (TokenKind::Name, "none" | "None") => TemplateExprKind::None,
            (TokenKind::Name, "true" | "True" | "false" | "False") | (TokenKind::Number, _) => {
                TemplateExprKind::Scalar
            }
            (TokenKind::Name, name) => TemplateExprKind::Name(name),
            (TokenKind::Quoted, _) => {
                // Texts that follow each other are one.
                while self.peek().is_some_and(|next| next.kind == TokenKind::Quoted) {
                    self.at += 1;
                }
                TemplateExprKind::Text(token.word())
            }
            (TokenKind::Open, "(") => return self.tuple(start),
            (TokenKind::Open, "[") => TemplateExprKind::List(self.items("]")),
            (TokenKind::Open, _) => TemplateExprKind::Map(self.entries()),
            _ => return self.unknown(start),
        };
        TemplateExpr { kind, range: self.since(start) }
    }

    /// A bracket with one expression in it is that expression.
    fn tuple(&mut self, start: usize) -> TemplateExpr<'t> {
        let mut commas = false;
        let mut items = Vec::new();
        while !self.takes(")") {
            if self.is_at_end() {
                return self.unknown(start);
            }
            items.push(self.expression());
            commas |= self.takes(",");
        }
        match items.pop() {
            Some(only) if items.is_empty() && !commas => only,
            last => {
                items.extend(last);
                TemplateExpr { kind: TemplateExprKind::List(items), range: self.since(start) }
            }
        }
    }

    fn items(&mut self, close: &str) -> Vec<TemplateExpr<'t>> {
        let mut items = Vec::new();
        while !self.takes(close) && !self.is_at_end() {
            items.push(self.expression());
            self.takes(",");
        }
        items
    }

    fn entries(&mut self) -> Vec<(TemplateExpr<'t>, TemplateExpr<'t>)> {
        let mut entries = Vec::new();
        while !self.takes("}") && !self.is_at_end() {
            let key = self.expression();
            self.takes(":");
            entries.push((key, self.expression()));
            self.takes(",");
        }
        entries
    }

    /// Fields, items and calls.
    fn path(&mut self, start: usize) -> Vec<TemplateStep<'t>> {
        let mut steps = Vec::new();
        loop {
            let kind = if self.takes(".") {
                match self.word() {
                    Some(name) => StepKind::Field(name),
                    None => StepKind::Item(self.primary()),
                }
            } else if self.takes("[") {
                self.subscript()
            } else if self.sees("(") {
                StepKind::Call(self.arguments())
            } else {
                return steps;
            };
            steps.push(TemplateStep { kind, range: self.since(start) });
        }
    }

    fn subscript(&mut self) -> StepKind<'t> {
        let (mut parts, mut is_slice) = (Vec::new(), false);
        while !self.takes("]") && !self.is_at_end() {
            if self.takes(":") {
                is_slice = true;
            } else {
                parts.push(self.expression());
            }
        }
        match parts.pop() {
            Some(only) if parts.is_empty() && !is_slice => StepKind::Item(only),
            last => {
                parts.extend(last);
                StepKind::Slice(parts)
            }
        }
    }

    /// `|filter(…)|…`, and `is test` among them.
    pub(super) fn filters(&mut self, start: usize) -> Vec<TemplateStep<'t>> {
        let mut steps = Vec::new();
        loop {
            let kind = if self.takes("|") {
                let Some(name) = self.dotted() else { return steps };
                StepKind::Filter(name, if self.sees("(") { self.arguments() } else { Vec::new() })
            } else if self.takes("is") {
                let negated = self.takes("not");
                let Some(name) = self.dotted() else { return steps };
                StepKind::Test(name, self.test_arguments(), negated)
            } else {
                return steps;
            };
            steps.push(TemplateStep { kind, range: self.since(start) });
        }
    }

    /// `filter(…)|…`: the first has no sign before it.
    pub(super) fn filter_chain(&mut self) -> Vec<TemplateStep<'t>> {
        let start = self.start();
        let Some(name) = self.dotted() else { return Vec::new() };
        let arguments = if self.sees("(") { self.arguments() } else { Vec::new() };
        let first = TemplateStep { kind: StepKind::Filter(name, arguments), range: self.since(start) };
        std::iter::once(first).chain(self.filters(start)).collect()
    }

    /// The name of a filter or a test; of a dotted one the first word.
    fn dotted(&mut self) -> Option<Word<'t>> {
        let first = self.word()?;
        while self.takes(".") {
            self.word();
        }
        Some(first)
    }

    fn test_arguments(&mut self) -> Vec<Argument<'t>> {
        if self.sees("(") {
            return self.arguments();
        }
        let begins = self.peek().is_some_and(|token| match token.kind {
            TokenKind::Name => !matches!(token.text, "and" | "or" | "else" | "is" | "if" | "in" | "not"),
            TokenKind::Quoted | TokenKind::Number => true,
            TokenKind::Open => token.text != "(",
            _ => false,
        });
        if !begins {
            return Vec::new();
        }
        vec![Argument { name: None, value: self.deeper(Self::signed) }]
    }

    fn arguments(&mut self) -> Vec<Argument<'t>> {
        let mut arguments = Vec::new();
        self.takes("(");
        while !self.takes(")") && !self.is_at_end() {
            let _ = self.takes("**") || self.takes("*");
            let named = self.tokens.get(self.at + 1).is_some_and(|next| next.is_sign("="));
            let name = if named { self.word().map(|word| word.text) } else { None };
            if name.is_some() {
                self.takes("=");
            }
            arguments.push(Argument { name, value: self.expression() });
            self.takes(",");
        }
        arguments
    }
}
