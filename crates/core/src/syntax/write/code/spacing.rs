//! Blanks between tokens.

use super::CodeKind;
use crate::syntax::expr::{PROPERTY_WORDS, Scanner, Token, TokenKind};

/// A token and how it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    pub(super) kind: TokenKind,
    /// The start in the text, in bytes.
    pub(super) start: usize,
    /// A blank stands before it.
    pub(super) apart: bool,
    /// It is an operator before which a line may end; the lower, the sooner.
    pub(super) split: Option<u8>,
}

/// The surroundings before a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing, or a sign that wants a value: with a blank after it.
    Apart,
    /// A sign that wants a value, and no blank.
    Tight,
    /// A dot: a name follows.
    Dot,
    /// A value.
    Value,
}

/// An open bracket.
#[derive(Default)]
struct Level {
    /// Conditionals whose `:` has not come.
    conditions: usize,
    /// It belongs to `is(…)`, whose second argument is a type.
    is: bool,
    /// A type stands here.
    types: bool,
}

struct Spacing {
    kind: CodeKind,
    before: Before,
    levels: Vec<Level>,
    /// The last token was the word `is`.
    is: bool,
    first: bool,
}

/// The tokens of a text. Comments and line ends are left out.
pub(super) fn pieces(kind: CodeKind, text: &str) -> Vec<Piece<'_>> {
    let types = matches!(kind, CodeKind::Type | CodeKind::Field);
    let outer = Level { types, ..Level::default() };
    let mut spacing = Spacing { kind, before: Before::Apart, levels: vec![outer], is: false, first: true };
    let tokens = Scanner::new(text).filter(|token| token.kind != TokenKind::Break);
    let mut pieces = Vec::new();
    for token in tokens {
        // `list<int>=[]` has no operator `>=`.
        let cut = if token.text(text) == ">=" && spacing.level().types { token.start + 1 } else { token.end };
        pieces.push(spacing.piece(Token { end: cut, ..token }, text));
        if cut < token.end {
            pieces.push(spacing.piece(Token { start: cut, ..token }, text));
        }
    }
    pieces
}

/// The tokens on one line.
pub(super) fn flat(pieces: &[Piece<'_>]) -> String {
    let mut out = String::new();
    for (i, piece) in pieces.iter().enumerate() {
        if piece.apart && i > 0 {
            out.push(' ');
        }
        out.push_str(piece.text);
    }
    out
}

impl Spacing {
    fn piece<'t>(&mut self, token: Token, text: &'t str) -> Piece<'t> {
        let word = token.text(text);
        let (apart, split) = match token.kind {
            TokenKind::Open => (self.open(word), None),
            TokenKind::Close => {
                if self.levels.len() > 1 {
                    self.levels.pop();
                }
                self.before = Before::Value;
                (false, None)
            }
            TokenKind::Symbol => self.symbol(word),
            _ => (self.operand(word, token.kind), None),
        };
        self.is = token.kind == TokenKind::Word && word == "is";
        self.first = false;
        Piece { text: word, kind: token.kind, start: token.start, apart, split }
    }

    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn open(&mut self, word: &str) -> bool {
        let call = self.before == Before::Value;
        let apart = !call && self.before == Before::Apart;
        let is = self.is && word == "(" && call;
        let types = self.level().types;
        self.levels.push(Level { is, types, ..Level::default() });
        self.before = Before::Tight;
        apart
    }

    fn operand(&mut self, word: &str, kind: TokenKind) -> bool {
        let apart = matches!(self.before, Before::Apart | Before::Value);
        let named = self.before == Before::Dot;
        let operator = kind == TokenKind::Word
            && !named
            && match word {
                "in" => self.before == Before::Value,
                "where" if self.kind == CodeKind::Field && self.levels.len() == 1 => {
                    self.level().types = false;
                    true
                }
                "precedes" => self.kind == CodeKind::Property && self.before == Before::Value,
                _ if PROPERTY_WORDS.contains(&word) => self.kind == CodeKind::Property && self.first,
                _ => false,
            };
        self.before = if operator { Before::Apart } else { Before::Value };
        apart
    }

    fn symbol(&mut self, word: &str) -> (bool, Option<u8>) {
        let value = self.before == Before::Value;
        let free = self.before == Before::Apart;
        let types = self.level().types;
        let (apart, before, split) = match word {
            "," => {
                let level = self.level();
                level.types |= level.is;
                (false, Before::Apart, None)
            }
            "." => (false, Before::Dot, None),
            ".." => (false, Before::Tight, None),
            "<" | ">" | "?" if types => {
                (false, if word == "<" { Before::Tight } else { Before::Value }, None)
            }
            "=" if types => {
                self.level().types = false;
                (true, Before::Apart, None)
            }
            "!" => (free, Before::Tight, None),
            "-" if !value => (free, Before::Tight, None),
            "?" => {
                self.level().conditions += 1;
                (true, Before::Apart, Some(0))
            }
            ":" if self.level().conditions > 0 => {
                self.level().conditions -= 1;
                (true, Before::Apart, Some(0))
            }
            ":" => (false, Before::Apart, None),
            _ => (true, Before::Apart, rank(word)),
        };
        self.before = before;
        (apart, split)
    }
}

/// The rank of a line end before an operator: the weaker it holds, the sooner.
fn rank(operator: &str) -> Option<u8> {
    match operator {
        "??" => Some(1),
        "||" => Some(2),
        "&&" => Some(3),
        "+" => Some(4),
        _ => None,
    }
}
