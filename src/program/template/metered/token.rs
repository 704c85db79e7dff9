//! The words and signs of a template's tags.

/// A word or sign between `{{` and `}}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    /// A number or a text in quotes.
    Literal,
    Open,
    Close,
    Sign,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'s> {
    pub(super) kind: Kind,
    pub(super) text: &'s str,
    pub(super) end: usize,
}

/// Whether an operand may end here, so that a sign behind it stands between two.
pub(super) fn ends_operand(token: &Token<'_>) -> bool {
    const WORDS: [&str; 10] = ["and", "or", "not", "if", "else", "elif", "is", "in", "set", "recursive"];
    match token.kind {
        Kind::Name => !WORDS.contains(&token.text),
        Kind::Literal | Kind::Close => true,
        Kind::Open | Kind::Sign => false,
    }
}

/// The last token of the operand that begins at `at`.
pub(super) fn operand(tokens: &[Token<'_>], mut at: usize) -> Option<usize> {
    while tokens.get(at).is_some_and(|token| matches!(token.text, "-" | "+" | "not")) {
        at += 1;
    }
    let first = tokens.get(at)?;
    let mut last = if first.kind == Kind::Open { closing(tokens, at)? } else { at };
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
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// The tokens from `at` to `close`, and the end of that.
pub(super) fn tokens<'s>(source: &'s str, mut at: usize, close: &str) -> Option<(Vec<Token<'s>>, usize)> {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    if source[at..].starts_with(['-', '+']) {
        at += 1;
    }
    loop {
        let rest = &source[at..];
        let first = rest.chars().next()?;
        let cut = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        if depth == 0 && cut.starts_with(close) {
            return Some((tokens, source.len() - cut.len() + close.len()));
        }
        let (kind, len) = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '\'' | '"' => (Kind::Literal, quoted(rest, first)?),
            '(' | '[' | '{' => (Kind::Open, 1),
            ')' | ']' | '}' => (Kind::Close, 1),
            '0'..='9' => (Kind::Literal, number(rest)),
            _ if first.is_alphabetic() || first == '_' => (Kind::Name, word(rest)),
            _ => (Kind::Sign, sign(rest, first)),
        };
        match kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        tokens.push(Token { kind, text: &rest[..len], end: at + len });
        at += len;
    }
}

fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return Some(i + 1);
        }
    }
    None
}

fn word(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
}

/// A number with its point and exponent: `1.5`, `2e-3`, `0x1f`.
fn number(rest: &str) -> usize {
    let whole = word(rest);
    let behind = &rest[whole..];
    let fraction = behind.strip_prefix('.').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
    let mut len = whole + fraction.map_or(0, |digits| 1 + word(digits));
    let hex = rest.starts_with("0x") || rest.starts_with("0X");
    if !hex && rest[..len].ends_with(['e', 'E']) && rest[len..].starts_with(['-', '+']) {
        len += 1 + word(&rest[len + 1..]);
    }
    len
}

fn sign(rest: &str, first: char) -> usize {
    let double = ["**", "//", "==", "!=", "<=", ">="].iter().any(|sign| rest.starts_with(sign));
    if double { 2 } else { first.len_utf8() }
}
