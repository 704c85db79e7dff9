//! Inclusions: places where texts take in others.

use std::ops::Range;

use super::scan::{Token, TokenKind, tags};
use crate::value::Str;

/// A place where a text takes in another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inclusion {
    /// The other text's name.
    pub(super) name: Str,
    /// The bytes of the quoted name.
    pub(super) range: Range<usize>,
    /// The bytes of the whole `{% … %}`.
    pub(super) block: Range<usize>,
    /// True if the other one is put in this place, as by `include`; `import` and `extends` take it in otherwise.
    pub(super) inline: bool,
    /// True if it may be missing.
    pub(super) optional: bool,
}

/// A place where a text takes in another one whose name is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Computed {
    /// The expression for the name, as it is written.
    pub(super) expression: String,
    /// The bytes of the whole `{% … %}`.
    pub(super) block: Range<usize>,
}

/// The places where a text takes in others, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Inclusions {
    /// By a name that is written out.
    pub(super) named: Vec<Inclusion>,
    /// By a name that is computed: then it may use the variables of any text.
    pub(super) computed: Vec<Computed>,
}

/// Looks for the places where a text takes in others.
pub(super) fn inclusions(source: &str) -> Inclusions {
    let mut found = Inclusions::default();
    for tag in tags(source).filter(|tag| tag.is_closed) {
        let Some(word @ ("include" | "import" | "extends" | "from")) = tag.keyword() else { continue };
        let (name, after_name) = tag.tokens[1..].split_at(end_of_name(&tag.tokens[1..]));
        match name {
            [quoted] if quoted.kind == TokenKind::Quoted => found.named.push(Inclusion {
                name: quoted.word().into(),
                range: quoted.start..quoted.end(),
                block: tag.range,
                inline: word == "include",
                optional: after_name
                    .windows(2)
                    .any(|pair| [pair[0].text, pair[1].text] == ["ignore", "missing"]),
            }),
            _ => {
                let expression = name
                    .first()
                    .zip(name.last())
                    .map_or("", |(first, last)| &source[first.start..last.end()]);
                found.computed.push(Computed { expression: expression.to_owned(), block: tag.range });
            }
        }
    }
    found
}

/// Counts the tokens after `include` and its like that are the name: what follows it says how it is taken in.
fn end_of_name(tokens: &[Token<'_>]) -> usize {
    let ends = |pair: &[Token<'_>]| {
        pair.iter().all(|token| token.kind == TokenKind::Name)
            && matches!([pair[0].text, pair[1].text], ["ignore", "missing"] | ["with" | "without", "context"])
    };
    let mut depth = 0_i32;
    for (i, token) in tokens.iter().enumerate() {
        depth += i32::from(token.kind == TokenKind::Open) - i32::from(token.kind == TokenKind::Close);
        let is_field = i > 0 && tokens[i - 1].is_sign(".");
        let word = token.kind == TokenKind::Name && !is_field && matches!(token.text, "import" | "as");
        if depth == 0 && (word || tokens.get(i..i + 2).is_some_and(ends)) {
            return i;
        }
    }
    tokens.len()
}
