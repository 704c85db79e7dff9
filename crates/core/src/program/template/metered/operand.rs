//! Operands among the words and signs of a template's tags.

use crate::program::template::scan::{Token, TokenKind};

/// Returns true if an operand may end here, so that a sign after it is between two.
pub(super) fn ends_operand(token: &Token<'_>) -> bool {
    const WORDS: [&str; 10] = ["and", "or", "not", "if", "else", "elif", "is", "in", "set", "recursive"];
    match token.kind {
        TokenKind::Name => !WORDS.contains(&token.text),
        TokenKind::Number | TokenKind::Quoted | TokenKind::Close => true,
        TokenKind::Open | TokenKind::Sign => false,
    }
}

/// The last token of the operand that begins at `at`.
pub(super) fn operand(tokens: &[Token<'_>], mut at: usize) -> Option<usize> {
    while tokens.get(at).is_some_and(|token| matches!(token.text, "-" | "+" | "not")) {
        at += 1;
    }
    let first = tokens.get(at)?;
    let mut last = if first.kind == TokenKind::Open { closing(tokens, at)? } else { at };
    if !ends_operand(&tokens[last]) {
        return None;
    }
    while let Some(next) = tokens.get(last + 1) {
        last = match next.text {
            "." | "|" => last + 2,
            "(" | "[" => closing(tokens, last + 1)?,
            _ => break,
        };
    }
    (last < tokens.len()).then_some(last)
}

/// The bracket that closes the one at `at`.
pub(super) fn closing(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}
