//! Templates cut into tags and these into words and signs, by the rules of minijinja.
//!
//! All who look into the text of a template read it here, so that they agree on where a tag ends. What is no template at all
//! is the engine's to report. The engine's own lexer is behind a feature that any of its versions may change.

use std::ops::Range;

/// `{{ … }}` or `{% … %}`. Comments and what is between `raw` and `endraw` are no tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag<'t> {
    pub(crate) form: TagForm,
    /// The bytes from brace to brace.
    pub(crate) range: Range<usize>,
    pub(crate) tokens: Vec<Token<'t>>,
    /// False for the last tag of a text that ends within it.
    pub(crate) is_closed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagForm {
    /// `{{ … }}`
    Value,
    /// `{% … %}`
    Block,
}

/// A word or sign of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind,
    /// As it is written, with its quotes.
    pub(crate) text: &'t str,
    /// The offset in the template, in bytes.
    pub(crate) start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Name,
    Number,
    Quoted,
    Open,
    Close,
    Sign,
}

impl<'t> Tag<'t> {
    /// The first word of a block: what it does.
    pub(crate) fn keyword(&self) -> Option<&'t str> {
        let first = self.tokens.first().filter(|token| token.kind == TokenKind::Name);
        first.filter(|_| self.form == TagForm::Block).map(|token| token.text)
    }
}

impl<'t> Token<'t> {
    pub(crate) const fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// A word as it is, the text between quotes without them.
    pub(crate) fn word(&self) -> &'t str {
        if self.kind != TokenKind::Quoted {
            return self.text;
        }
        let inner = self.text.get(1..).unwrap_or_default();
        inner.strip_suffix(|last| self.text.starts_with(last)).unwrap_or(inner)
    }

    /// The bytes of [`Token::word`].
    pub(crate) fn word_range(&self) -> Range<usize> {
        let start = self.start + usize::from(self.kind == TokenKind::Quoted);
        start..start + self.word().len()
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        self.kind == TokenKind::Sign && self.text == sign
    }
}

/// The tags of a template, in order.
pub(crate) fn tags(source: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut scanner = Scanner { source, at: 0 };
    std::iter::from_fn(move || scanner.tag())
}

struct Scanner<'t> {
    source: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.source[self.at..]
    }

    /// Continues after the next place of some characters, or to the end.
    fn skip_past(&mut self, end: &str) {
        self.at = self.rest().find(end).map_or(self.source.len(), |found| self.at + found + end.len());
    }

    fn tag(&mut self) -> Option<Tag<'t>> {
        loop {
            let open = self.at + self.rest().find('{')?;
            self.at = open + 2;
            match self.source.as_bytes().get(open + 1) {
                Some(b'#') => self.skip_past("#}"),
                Some(b'{') => return Some(self.read(open, TagForm::Value)),
                Some(b'%') => match bare(self.rest(), "raw") {
                    Some(len) => {
                        self.at += len;
                        self.skip_raw();
                    }
                    None => return Some(self.read(open, TagForm::Block)),
                },
                _ => self.at = open + 1,
            }
        }
    }

    /// Nothing but the end of it counts in a raw piece.
    fn skip_raw(&mut self) {
        while self.at < self.source.len() {
            self.skip_past("{%");
            if let Some(len) = bare(self.rest(), "endraw") {
                self.at += len;
                return;
            }
        }
    }

    /// Reads a tag from after its first braces.
    fn read(&mut self, open: usize, form: TagForm) -> Tag<'t> {
        let close = if form == TagForm::Value { "}}" } else { "%}" };
        let mut tokens = Vec::new();
        let mut depth = 0_i32;
        self.at += usize::from(self.rest().starts_with(['-', '+']));
        loop {
            self.at = self.source.len() - self.rest().trim_ascii_start().len();
            let rest = self.rest();
            let uncut = rest.strip_prefix(['-', '+']).unwrap_or(rest);
            let is_closed = depth == 0 && uncut.starts_with(close);
            if is_closed {
                self.at = self.source.len() - uncut.len() + close.len();
            }
            if is_closed || rest.is_empty() {
                return Tag { form, range: open..self.at, tokens, is_closed };
            }
            let after_dot = self.source[..self.at].ends_with('.');
            let (kind, len) = token(rest, after_dot);
            depth += i32::from(kind == TokenKind::Open) - i32::from(kind == TokenKind::Close);
            tokens.push(Token { kind, text: &rest[..len], start: self.at });
            self.at += len;
        }
    }
}

/// The length of what is left of a block of one word, if this is one.
fn bare(rest: &str, word: &str) -> Option<usize> {
    let inside = rest.strip_prefix(['-', '+']).unwrap_or(rest).trim_ascii_start();
    let after_keyword = inside.strip_prefix(word)?.trim_ascii_start();
    let end = after_keyword.strip_prefix(['-', '+']).unwrap_or(after_keyword).strip_prefix("%}")?;
    Some(rest.len() - end.len())
}

/// The first word or sign of a text that begins with one.
fn token(rest: &str, after_dot: bool) -> (TokenKind, usize) {
    const DOUBLE: [&str; 6] = ["//", "**", "==", "!=", ">=", "<="];
    let first = rest.chars().next().unwrap_or_default();
    match first {
        '\'' | '"' => (TokenKind::Quoted, quoted(rest, first)),
        '(' | '[' | '{' => (TokenKind::Open, 1),
        ')' | ']' | '}' => (TokenKind::Close, 1),
        '0'..='9' => (TokenKind::Number, number(rest.as_bytes(), after_dot)),
        'a'..='z' | 'A'..='Z' | '_' => (TokenKind::Name, name(rest)),
        _ if DOUBLE.iter().any(|sign| rest.starts_with(sign)) => (TokenKind::Sign, 2),
        _ => (TokenKind::Sign, first.len_utf8()),
    }
}

fn name(rest: &str) -> usize {
    rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// Up to the same quote, which counts only without a backslash before it.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return i + 1,
            _ => {}
        }
    }
    rest.len()
}

/// A number with its point and exponent: `1.5`, `2e-3`, `0x1f`. After a dot it is an index, which has no fraction.
fn number(bytes: &[u8], after_dot: bool) -> usize {
    #[derive(PartialEq)]
    enum TemplatePart {
        Radix,
        Whole,
        Fraction,
        Exponent,
        Power,
    }
    let is_hex = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let has_radix = is_hex || matches!(bytes, [b'0', b'b' | b'B' | b'o' | b'O', ..]);
    let (mut part, start) = if has_radix { (TemplatePart::Radix, 2) } else { (TemplatePart::Whole, 0) };
    let at = |i: usize| bytes.get(i).copied().unwrap_or_default();
    for (i, byte) in bytes.iter().enumerate().skip(start) {
        part = match (byte, part) {
            (b'.', TemplatePart::Whole) if !after_dot => {
                let power =
                    matches!(at(i + 1), b'e' | b'E') && matches!(at(i + 2), b'+' | b'-' | b'0'..=b'9');
                if !power && (at(i + 1).is_ascii_alphabetic() || at(i + 1) == b'_') {
                    return i;
                }
                TemplatePart::Fraction
            }
            (b'e' | b'E', TemplatePart::Whole | TemplatePart::Fraction) => TemplatePart::Exponent,
            (b'+' | b'-' | b'0'..=b'9', TemplatePart::Exponent) => TemplatePart::Power,
            (b'0'..=b'9' | b'_', part) => part,
            (b'a'..=b'f' | b'A'..=b'F', TemplatePart::Radix) if is_hex => TemplatePart::Radix,
            _ => return i,
        };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tags(text).flat_map(|tag| tag.tokens).map(|token| token.text).collect()
    }

    fn ranges(text: &str) -> Vec<&str> {
        tags(text).map(|tag| &text[tag.range]).collect()
    }

    #[test]
    fn quotes_and_brackets_hide_the_end_of_a_tag() {
        assert_eq!(ranges("{% set a = '%}' %}{{ b }}"), ["{% set a = '%}' %}", "{{ b }}"]);
        assert_eq!(ranges(r#"{{ "}}" ~ '\'}}' }}x{{ c }}"#), [r#"{{ "}}" ~ '\'}}' }}"#, "{{ c }}"]);
        assert_eq!(ranges("{{ {'a': {}} }} {{ {}}}"), ["{{ {'a': {}} }}", "{{ {}}}"]);
        assert_eq!(
            words("{% if g == '%}{% include \"h\" %}' -%}"),
            ["if", "g", "==", "'%}{% include \"h\" %}'"]
        );
    }

    #[test]
    fn comments_and_raw_pieces_hold_no_tags() {
        assert_eq!(words("a {b} {{ c.d | e }} {# {{ f }} #}{{ g }}"), ["c", ".", "d", "|", "e", "g"]);
        assert_eq!(words("{#}{{ a }}#}{{ b }}"), ["b"]);
        assert_eq!(words("{%- raw -%}{{ a }}{% b %}'{%- endraw +%}{{ c }}"), ["c"]);
        assert_eq!(words("{% raw %}{% endrawer %}{{ a }}"), Vec::<&str>::new());
        assert_eq!(words("{% raws %}{{ a }}"), ["raws", "a"]);
    }

    #[test]
    fn signs_that_cut_white_space_are_no_words() {
        assert_eq!(words("{{- -1 -}}{{+ a +}}{%-if b-%}"), ["-", "1", "a", "if", "b"]);
    }

    #[test]
    fn numbers_are_one_word() {
        assert_eq!(
            words("{{ 1.5 2e-3 0x1f 1_000 1. 0b01 3.e5 }}"),
            ["1.5", "2e-3", "0x1f", "1_000", "1.", "0b01", "3.e5"]
        );
        assert_eq!(
            words("{{ a.1.0 + 1.real - 1e3-2 }}"),
            ["a", ".", "1", ".", "0", "+", "1", ".", "real", "-", "1e3", "-", "2"]
        );
    }

    #[test]
    fn a_text_may_end_anywhere() {
        let last = |text| tags(text).last().map(|tag| (tag.is_closed, tag.range.end, tag.tokens.len()));
        assert_eq!(last("{{ a 'b"), Some((false, 7, 2)));
        assert_eq!(last("{{ a ) }}"), Some((false, 9, 4)));
        assert_eq!(last("{% raw %}{{ a"), None);
        assert_eq!(last("{"), None);
        let quoted = |text| {
            tags(text).flat_map(|tag| tag.tokens).last().map(|token| (token.word(), token.word_range()))
        };
        assert_eq!(quoted("{{ 'é\\"), Some(("é\\", 4..7)));
        assert_eq!(quoted("{{ 'a' }}"), Some(("a", 4..5)));
        assert_eq!(quoted("{{ '"), Some(("", 4..4)));
    }
}
