//! A short cut for the texts most of a graph is made of: guards, calls, assignments, declarations of fields.
//!
//! It reads the same trees with the same places as the grammar, some ten times faster, and gives up ([`None`]) on
//! whatever it does not know or that has a fault: then the grammar reads the text anew and speaks. A test compares
//! both on random texts.

#[cfg(any(test, fuzzing))]
pub(super) mod agree;
mod statement;
mod types;
mod value;

#[cfg(test)]
mod tests;

use super::scan::{Scanner, Token, TokenKind};
use super::{FieldLine, names};
use crate::source::{Fragment, Span, Spanned};
use crate::syntax::ast::{Block, Expr, Name, Place, TypeExpr};

/// The most tokens of one expression or statement: a node takes one at least, so no tree grows too deep here.
const MOST_TOKENS: u32 = 120;
/// How deep brackets, conditionals and blocks may nest.
const DEEPEST: u32 = 32;

/// Reads a text token by token with one token of lookahead.
struct Reader<'f> {
    fragment: &'f Fragment,
    scanner: Scanner<'f>,
    next: Option<Token>,
    /// Line ends mean nothing here: between brackets, and where only an expression can stand.
    lines: bool,
    /// A line end was passed over before the next token.
    broke: bool,
    /// Where the last token that is no line end ends.
    behind: usize,
    depth: u32,
    /// How many tokens the expression or statement may still have.
    left: u32,
}

/// A whole expression.
pub(super) fn expression(fragment: &Fragment) -> Option<Expr> {
    let mut reader = Reader::new(fragment, names::MAX_EXPRESSION, true)?;
    let expr = reader.expr()?;
    reader.at_end().then_some(expr)
}

/// A whole type.
pub(super) fn type_expr(fragment: &Fragment) -> Option<TypeExpr> {
    let mut reader = Reader::new(fragment, names::MAX_EXPRESSION, true)?;
    let ty = reader.type_expr()?;
    reader.at_end().then_some(ty)
}

/// A field's type, default and condition.
pub(super) fn field_line(fragment: &Fragment) -> Option<FieldLine> {
    let mut reader = Reader::new(fragment, names::MAX_EXPRESSION, true)?;
    let ty = reader.type_expr()?;
    let default = if reader.take_text("=") { Some(reader.expr()?) } else { None };
    let condition = if reader.take_text("where") { Some(reader.expr()?) } else { None };
    reader.at_end().then_some((ty, default, condition))
}

/// A whole place.
pub(super) fn place(fragment: &Fragment) -> Option<Place> {
    let mut reader = Reader::new(fragment, names::MAX_EXPRESSION, true)?;
    let place = reader.place()?;
    reader.at_end().then_some(place)
}

/// A name alone, or a name with an expression in parentheses: most triggers.
pub(super) fn trigger(fragment: &Fragment) -> Option<(Name, Option<Expr>)> {
    let mut reader = Reader::new(fragment, names::MAX_EXPRESSION, true)?;
    let word = reader.take_kind(TokenKind::Word)?;
    let name = reader.name(word)?;
    let called = reader.stands_behind("(");
    let arg = if called { Some(reader.bracketed(")", Reader::expr)?) } else { None };
    reader.at_end().then_some((name, arg))
}

/// A list of statements.
pub(super) fn block(fragment: &Fragment) -> Option<Block> {
    let mut reader = Reader::new(fragment, names::MAX_BLOCK, false)?;
    let block = reader.statements("")?;
    reader.at_end().then_some(block)
}

impl<'f> Reader<'f> {
    /// Texts longer than `longest` bytes are left to the grammar.
    fn new(fragment: &'f Fragment, longest: usize, lines: bool) -> Option<Self> {
        let text = fragment.text.as_str();
        if text.len() > longest {
            return None;
        }
        let scanner = Scanner::new(text);
        let mut reader = Self {
            fragment,
            scanner,
            next: None,
            lines,
            broke: false,
            behind: 0,
            depth: 0,
            left: MOST_TOKENS,
        };
        reader.take();
        Some(reader)
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

    /// Takes the next token. When the text turns out too long, it looks like the end of the text, with [`Self::left`]
    /// at 0.
    fn take(&mut self) -> Option<Token> {
        let taken = self.next.take();
        if let Some(token) = taken.filter(|t| t.kind != TokenKind::Break) {
            self.behind = token.end;
        }
        self.broke = false;
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            self.next = self.scanner.next();
            while self.lines && self.next_text() == "\n" {
                self.broke = true;
                self.next = self.scanner.next();
            }
        }
        taken
    }

    /// Takes the next token and the line ends behind it.
    fn take_across(&mut self) {
        let lines = std::mem::replace(&mut self.lines, true);
        self.take();
        self.lines = lines;
    }

    fn take_kind(&mut self, kind: TokenKind) -> Option<Token> {
        if self.next?.kind == kind { self.take() } else { None }
    }

    /// Takes a word or sign and the line ends behind it, if it is the next one.
    fn take_text(&mut self, text: &str) -> bool {
        let found = self.next_text() == text;
        if found {
            self.take_across();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.take_text(text).then_some(())
    }

    /// Whether this sign stands behind the last token on the same line.
    fn stands_behind(&self, sign: &str) -> bool {
        !self.broke && self.next_text() == sign
    }

    fn at_end(&self) -> bool {
        self.next.is_none() && self.scanner.fault.is_none() && self.left > 0
    }

    /// Reads what stands in brackets. The opening one is next, and the one that closes it is taken, too.
    fn bracketed<T>(&mut self, close: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let lines = std::mem::replace(&mut self.lines, true);
        self.take();
        let inner = self.deeper(read)?;
        self.lines = lines;
        if self.next_text() != close {
            return None;
        }
        self.take();
        Some(inner)
    }

    /// Reads something one level further in.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let inner = read(self);
        self.depth -= 1;
        inner
    }

    /// Reads a list up to the bracket `close`; a comma may stand behind the last one.
    fn listed<T>(&mut self, close: &str, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.bracketed(close, |reader| {
            let mut items = Vec::new();
            while reader.next_text() != close {
                items.push(read(reader)?);
                if !reader.take_text(",") {
                    break;
                }
            }
            Some(items)
        })
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
}
