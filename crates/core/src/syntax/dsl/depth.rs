//! The depth to which the grammar would have to go, judged in one linear pass before it reads a file.

use super::tokens::Tokens;
use crate::syntax::expr::{Token, TokenKind};
use crate::syntax::yaml::MAX_DEPTH;

/// The most that the grammar reads at once, in what [`cost`] counts: it notes some four marks of forty bytes for each.
const MAX_COST: usize = 500_000;

/// The amount that the grammar notes of a token, in words.
fn cost(token: Token, text: &str) -> usize {
    match (token.kind, text) {
        // A statement, its place and its value.
        (TokenKind::Symbol, "=" | "+=") => 3,
        (TokenKind::Close | TokenKind::Break, _) => 0,
        _ => 1,
    }
}

/// Brackets that are open, and conditionals and type arguments that were begun and may not have ended.
#[derive(Default)]
struct Depth {
    /// The conditionals of each open bracket.
    open: Vec<usize>,
    conditions: usize,
    angles: usize,
}

impl Tokens<'_> {
    /// Passes over the whole text, which stands that deep in its file, with its comments and lexical faults. False if it
    /// is too large, or may be too deep for the grammar to read it at once; it counts too much rather than too little.
    pub(super) fn survey(&mut self, outer: usize) -> bool {
        let mut depth = Depth::default();
        let mut before: Option<Token> = None;
        let mut taken = 0_usize;
        while let Some(token) = self.next {
            let value = matches!(token.kind, TokenKind::Word | TokenKind::Number | TokenKind::Quoted);
            let follows = before.is_some_and(Token::ends_operand) && self.text(token) != "in";
            match (token.kind, self.text(token)) {
                // Two values side by side: an expression has ended between them.
                _ if value && follows => depth.settle(),
                (TokenKind::Open, _) => depth.open.push(std::mem::take(&mut depth.conditions)),
                (TokenKind::Close, _) => depth.conditions = depth.open.pop().unwrap_or_default(),
                (TokenKind::Symbol, "?") => depth.conditions += 1,
                (TokenKind::Symbol, "," | "=" | "+=" | "->") => depth.settle(),
                (TokenKind::Symbol, "<") => {
                    let generic = before.is_some_and(|b| matches!(self.text(b), "list" | "map"));
                    depth.angles += usize::from(generic);
                }
                (TokenKind::Symbol, ">") => depth.angles = depth.angles.saturating_sub(1),
                _ => {}
            }
            taken += cost(token, self.text(token));
            if taken > MAX_COST || outer + depth.total() > MAX_DEPTH {
                return false;
            }
            before = self.take();
        }
        true
    }
}

impl Depth {
    fn settle(&mut self) {
        self.conditions = 0;
    }

    fn total(&self) -> usize {
        self.open.len() + self.open.iter().sum::<usize>() + self.conditions + self.angles
    }
}
