//! The tokens of a text: quotes, numbers, words and stray characters.
//!
//! They are judged before the text is parsed, and tell what is around the place where parsing stopped.

use super::fault::Fault;

/// The kind of a [`Token`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax) enum TokenKind {
    Word,
    Number,
    Quoted,
    Symbol,
    Open,
    Close,
    /// A line end or `;`.
    Break,
}

/// A piece of the text; white space and comments are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub(in crate::syntax) fn text(self, whole: &str) -> &str {
        whole.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns true if a value can end here, so that an operator may follow.
    pub(in crate::syntax) const fn ends_operand(self) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Number | TokenKind::Quoted | TokenKind::Close)
    }
}

/// Cuts a text into tokens. The first lexical fault goes to `fault`; cutting continues after it.
#[derive(Clone)]
pub(in crate::syntax) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    after_operand: bool,
    /// No `*/` follows.
    endless: bool,
    pub fault: Option<Fault>,
}

impl<'t> Scanner<'t> {
    pub(in crate::syntax) const fn new(text: &'t str) -> Self {
        Self { text, at: 0, after_operand: false, endless: false, fault: None }
    }

    /// The byte after the last token.
    pub(in crate::syntax) const fn position(&self) -> usize {
        self.at
    }

    /// Continues at this byte.
    pub(in crate::syntax) const fn skip_to(&mut self, at: usize) {
        self.at = at;
        self.after_operand = false;
    }

    fn blame(&mut self, fault: impl FnOnce() -> Fault) {
        if self.fault.is_none() {
            self.fault = Some(fault());
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) {
        while self.at < self.text.len() && keep(self.text.as_bytes()[self.at]) {
            self.at += 1;
        }
    }

    fn take(&mut self) -> Option<Token> {
        loop {
            self.skip_while(|b| matches!(b, b' ' | b'\t' | b'\r'));
            if self.peek(0) == b'#' {
                self.skip_while(|b| b != b'\n');
            }
            if self.at >= self.text.len() {
                return None;
            }
            let start = self.at;
            let kind = match self.peek(0) {
                b'\n' | b';' => {
                    self.at += 1;
                    TokenKind::Break
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
                b'0'..=b'9' => self.number(),
                b'.' if self.peek(1).is_ascii_digit() && !self.after_operand => self.number(),
                b'\'' | b'"' => self.quoted(start, false),
                b'(' | b'[' | b'{' => {
                    self.at += 1;
                    TokenKind::Open
                }
                b')' | b']' | b'}' => {
                    self.at += 1;
                    TokenKind::Close
                }
                _ => match self.symbol() {
                    Some(kind) => kind,
                    None => continue,
                },
            };
            let token = Token { kind, start, end: self.at };
            self.after_operand = token.ends_operand();
            return Some(token);
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_while(is_word);
        let raw = match &self.text[start..self.at] {
            "r" | "R" | "rb" | "rB" | "Rb" | "RB" | "br" | "bR" | "Br" | "BR" => true,
            "b" | "B" => false,
            _ => return TokenKind::Word,
        };
        if matches!(self.peek(0), b'\'' | b'"') { self.quoted(start, raw) } else { TokenKind::Word }
    }

    fn number(&mut self) -> TokenKind {
        let hexadecimal = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X');
        loop {
            let byte = self.peek(0);
            let exponent = matches!(byte, b'e' | b'E') && matches!(self.peek(1), b'+' | b'-') && !hexadecimal;
            if exponent && self.peek(2).is_ascii_digit() {
                self.at += 2;
            } else if is_word(byte) || byte == b'.' && self.peek(1).is_ascii_digit() {
                self.at += 1;
            } else {
                return TokenKind::Number;
            }
        }
    }

    fn quoted(&mut self, start: usize, raw: bool) -> TokenKind {
        let quote = self.peek(0);
        let long = self.peek(1) == quote && self.peek(2) == quote;
        let open = self.at;
        self.at += if long { 3 } else { 1 };
        loop {
            let byte = self.peek(0);
            if self.at >= self.text.len() || byte == b'\n' && !long {
                self.blame(|| unclosed_quote((start, open + 1), quote, long));
                return TokenKind::Quoted;
            }
            let closes = byte == quote && (!long || self.peek(1) == quote && self.peek(2) == quote);
            if closes {
                self.at += if long { 3 } else { 1 };
                return TokenKind::Quoted;
            }
            let escaped = byte == b'\\' && !raw && self.peek(1) != b'\n' && self.at + 1 < self.text.len();
            self.at += if escaped { 2 } else { 1 };
        }
    }

    /// A symbol of one, two or three characters; [`None`] when what is here was skipped as a fault.
    fn symbol(&mut self) -> Option<TokenKind> {
        let rest = &self.text[self.at..];
        let here = self.at;
        for (wrong, fault) in MISTAKES {
            if rest.starts_with(wrong) {
                self.at += wrong.len();
                self.blame(|| fault((here, here + wrong.len())));
                if *wrong == "//" {
                    self.skip_while(|b| b != b'\n');
                    return None;
                }
                if *wrong == "/*" {
                    self.skip_comment();
                    return None;
                }
                return Some(TokenKind::Symbol);
            }
        }
        let length = match rest.as_bytes() {
            [b'.', b'.', ..]
            | [b'?', b'?', ..]
            | [b'|', b'|', ..]
            | [b'&', b'&', ..]
            | [b'=' | b'!' | b'<' | b'>' | b'+', b'=', ..]
            | [b'-', b'>', ..] => 2,
            [
                b'?' | b':' | b'.' | b',' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!',
                ..,
            ] => 1,
            _ => 0,
        };
        if length > 0 {
            self.at += length;
            return Some(TokenKind::Symbol);
        }
        let stray = rest.chars().next().unwrap_or(' ');
        self.at += stray.len_utf8();
        self.blame(|| stray_character(stray, here));
        let mut line = rest.char_indices().skip(1).take_while(|(_, c)| *c != '\n');
        let closes = if is_curly(stray) { line.find(|(_, c)| is_curly(*c)) } else { None };
        // Such a quote opens a text all the same, if another one closes it.
        let (end, close) = closes?;
        self.at = here + end + close.len_utf8();
        Some(TokenKind::Quoted)
    }

    /// Skips a comment of another language, or its line when it has no end.
    fn skip_comment(&mut self) {
        let end = if self.endless { None } else { self.text[self.at..].find("*/") };
        if let Some(end) = end {
            self.at += end + 2;
        } else {
            self.endless = true;
            self.skip_while(|b| b != b'\n');
        }
    }
}

impl Iterator for Scanner<'_> {
    type Item = Token;
    fn next(&mut self) -> Option<Token> {
        self.take()
    }
}

/// Returns true if a character is a quote of printed text.
fn is_curly(c: char) -> bool {
    matches!(c, '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2018}' | '\u{2019}' | '\u{ab}' | '\u{bb}')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Spellings of other languages. `&&` and `||` come first so that they are not taken for `&` and `|`.
type Mistake = (&'static str, fn((usize, usize)) -> Fault);
const MISTAKES: &[Mistake] = &[
    ("===", |at| Fault::syntax(at, "`===` is not an operator").help("equality is written `==`")),
    ("!==", |at| Fault::syntax(at, "`!==` is not an operator").help("inequality is written `!=`")),
    ("//", |at| {
        Fault::syntax(at, "`//` does not begin a comment")
            .help("comments begin with `#`; division is a single `/`")
    }),
    ("/*", |at| {
        Fault::syntax(at, "`/*` does not begin a comment").help("comments begin with `#`, each on its line")
    }),
    ("→", arrow),
    ("⇒", arrow),
    ("⟶", arrow),
];

fn arrow(at: (usize, usize)) -> Fault {
    Fault::syntax(at, "this arrow is no sign of the language").help("an edge is written `-> target`")
}

fn unclosed_quote(at: (usize, usize), quote: u8, long: bool) -> Fault {
    let quote = char::from(quote);
    if long {
        return Fault::syntax(at, "this text is never closed")
            .help(format!("close it with {quote}{quote}{quote}"));
    }
    Fault::syntax(at, "this quote is not closed on its line").help(format!(
        "close it with {quote}; a quote inside the text is written \\{quote}; write a text over several lines between {quote}{quote}{quote}"
    ))
}

fn stray_character(c: char, at: usize) -> Fault {
    let here = (at, at + c.len_utf8());
    match c {
        '&' => Fault::syntax(here, "a single `&` is not an operator").help("logical and is written `&&`"),
        '|' => Fault::syntax(here, "a single `|` is not an operator").help("logical or is written `||`"),
        c if is_curly(c) => Fault::syntax(here, format!("the typographic quote {c} does not open a text"))
            .help("use the straight quotes ' or \""),
        '`' => Fault::syntax(here, "a backtick does not open a text").help("use ' or \""),
        '\u{a0}' | '\u{2003}' | '\u{202f}' | '\u{feff}' | '\u{200b}'..='\u{200f}' => {
            Fault::syntax(here, format!("an invisible character is here: U+{:04X}", u32::from(c)))
                .help("delete it or use a plain blank")
        }
        '$' => Fault::syntax(here, "`$` has no meaning in an expression")
            .help("names and amounts of money are written without `$`: `0.25`"),
        '@' | '~' | '^' | '\\' => Fault::syntax(here, format!("`{c}` has no meaning in an expression")),
        c if c.is_alphabetic() => Fault::syntax(here, format!("`{c}` is not allowed in a name"))
            .help("names are made of the letters A to Z and a to z, digits and `_`"),
        c if c.is_control() => {
            Fault::syntax(here, format!("a control character is here: U+{:04X}", u32::from(c)))
        }
        c => Fault::syntax(here, format!("`{c}` has no meaning in an expression")),
    }
}
