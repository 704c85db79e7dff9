//! Templates that pay for their work.
//!
//! The template engine counts its own instructions, but one of them may join two texts of any length, compare two long
//! lists, or write a long piece of the template. So each text is read once, and filters are put behind the operands of
//! such operators, and calls at the head of what may be repeated; who renders the text gives them a meaning
//! ([`PAY`], [`FACTOR`], [`TIMES`], [`RAW`]). Nothing else changes, and every place can be told in the text as it was written.

use std::ops::Range;

/// The filter behind an operand: pays for looking at it once.
pub const PAY: &str = "__pay";
/// The filter behind the first operand of a chain of `*`.
pub const FACTOR: &str = "__factor";
/// The filter behind each further operand of `*`; its argument is true behind the last one.
pub const TIMES: &str = "__times";
/// The filter that pays for so many bytes of the template itself.
pub const RAW: &str = "__raw";

/// Repeated pieces that are shorter than this need not pay: the count of instructions bounds them.
const SHORT: usize = 64;

/// A text with what makes it pay.
#[derive(Debug, Clone, Default)]
pub struct Metered {
    /// What the engine is given.
    pub text: String,
    /// Where something was put in: its place in [`Metered::text`] and its length.
    added: Vec<(usize, usize)>,
}

impl Metered {
    /// Reads a text. What is no template stays as it is.
    #[must_use]
    pub fn new(source: &str) -> Self {
        let mut reader = Reader { source, added: Vec::new(), open: Vec::new(), raw: false };
        if source.len() >= SHORT {
            reader.pay_for(0, source.len(), "");
        }
        reader.read();
        let mut added = reader.added;
        added.sort_by_key(|(place, _)| *place);
        let mut metered = Self::default();
        let mut from = 0;
        for (place, what) in added {
            metered.text.push_str(&source[from..place]);
            metered.added.push((metered.text.len(), what.len()));
            metered.text.push_str(&what);
            from = place;
        }
        metered.text.push_str(&source[from..]);
        metered
    }

    /// The bytes of the text as it was written for bytes of [`Metered::text`].
    #[must_use]
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        self.place(range.start)..self.place(range.end)
    }

    fn place(&self, at: usize) -> usize {
        let before = self.added.iter().take_while(|(place, _)| *place < at);
        at - before.map(|(place, len)| (*len).min(at - place)).sum::<usize>()
    }
}

/// A word or sign between `{{` and `}}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    /// A number or a text in quotes.
    Literal,
    Open,
    Close,
    Sign,
}

#[derive(Debug, Clone, Copy)]
struct Token<'s> {
    kind: Kind,
    text: &'s str,
    end: usize,
}

struct Reader<'s> {
    source: &'s str,
    added: Vec<(usize, String)>,
    /// For each block that is open and may be repeated: its last word, where it begins, how white space behind it is cut.
    open: Vec<(&'static str, usize, &'static str)>,
    raw: bool,
}

impl<'s> Reader<'s> {
    fn read(&mut self) {
        let mut at = 0;
        while let Some(open) = self.source[at..].find('{').map(|start| at + start) {
            let end = match self.source.as_bytes().get(open + 1) {
                Some(b'#') if !self.raw => self.source[open..].find("#}").map(|close| open + close + 2),
                Some(b'{') if !self.raw => self.tag(open, "}}"),
                Some(b'%') => self.tag(open, "%}"),
                _ => Some(open + 1),
            };
            let Some(end) = end else { return };
            at = end;
        }
    }

    /// Reads `{{ … }}` or `{% … %}` and gives its end.
    fn tag(&mut self, open: usize, close: &str) -> Option<usize> {
        let (tokens, end) = tokens(self.source, open + 2, close)?;
        let word = tokens.first().filter(|token| token.kind == Kind::Name).map_or("", |token| token.text);
        if close == "}}" {
            self.expressions(&tokens, false);
            return Some(end);
        }
        if self.raw || word == "raw" {
            self.raw = word != "endraw";
            return Some(end);
        }
        let cut = if self.source[..end - 2].ends_with('-') { "-" } else { "" };
        match word {
            "for" => self.open.push(("endfor", end, cut)),
            "macro" => self.open.push(("endmacro", end, cut)),
            "call" => self.open.push(("endcall", end, cut)),
            "set" => self.assignment(&tokens),
            _ => {}
        }
        if self.open.last().is_some_and(|(last, ..)| *last == word)
            && let Some((_, from, cut)) = self.open.pop()
        {
            self.pay_for(from, open - from, cut);
        }
        self.expressions(tokens.get(1..).unwrap_or_default(), word == "for");
        Some(end)
    }

    fn pay_for(&mut self, place: usize, bytes: usize, cut: &str) {
        if bytes >= SHORT {
            self.added.push((place, format!("{{{{ ''|{RAW}({bytes}) {cut}}}}}")));
        }
    }

    /// What `set` keeps is paid for as a whole.
    fn assignment(&mut self, tokens: &[Token<'s>]) {
        let mut depth = 0_i32;
        for token in tokens {
            depth += i32::from(token.kind == Kind::Open) - i32::from(token.kind == Kind::Close);
            let last = tokens.last().map_or(token.end, |last| last.end);
            if depth == 0 && token.text == "=" && last > token.end {
                self.added.push((token.end, "(".to_owned()));
                self.added.push((last, format!(")|{PAY}")));
                return;
            }
        }
    }

    fn expressions(&mut self, tokens: &[Token<'s>], mut is_loop: bool) {
        for (i, token) in tokens.iter().enumerate() {
            let operator = match token.kind {
                Kind::Sign => matches!(token.text, "~" | "+" | "*" | "==" | "!=" | "<" | "<=" | ">" | ">="),
                Kind::Name => token.text == "in",
                _ => false,
            };
            if token.text == "in" && is_loop {
                is_loop = false;
                continue;
            }
            let before = tokens[..i].iter().rposition(|t| !(t.kind == Kind::Name && t.text == "not"));
            let Some(left) = before.filter(|_| operator).map(|left| tokens[left]).filter(ends_operand) else {
                continue;
            };
            let Some(right) = operand(tokens, i + 1) else { continue };
            if token.text != "*" {
                self.add(left.end, PAY);
                self.add(tokens[right].end, PAY);
                continue;
            }
            if !self.added.iter().rev().any(|(place, what)| *place == left.end && what.contains(TIMES)) {
                self.add(left.end, FACTOR);
            }
            let goes_on = tokens.get(right + 1).is_some_and(|next| next.text == "*");
            self.added.push((tokens[right].end, format!("|{TIMES}({})", !goes_on)));
        }
    }

    fn add(&mut self, place: usize, filter: &str) {
        let what = format!("|{filter}");
        // Between two operators an operand pays once.
        if !self.added.iter().rev().take(8).any(|(at, other)| *at == place && *other == what) {
            self.added.push((place, what));
        }
    }
}

/// Whether an operand may end here, so that a sign behind it stands between two.
fn ends_operand(token: &Token<'_>) -> bool {
    const WORDS: [&str; 10] = ["and", "or", "not", "if", "else", "elif", "is", "in", "set", "recursive"];
    match token.kind {
        Kind::Name => !WORDS.contains(&token.text),
        Kind::Literal | Kind::Close => true,
        Kind::Open | Kind::Sign => false,
    }
}

/// The last token of the operand that begins at `at`.
fn operand(tokens: &[Token<'_>], mut at: usize) -> Option<usize> {
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
fn closing(tokens: &[Token<'_>], at: usize) -> Option<usize> {
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
fn tokens<'s>(source: &'s str, mut at: usize, close: &str) -> Option<(Vec<Token<'s>>, usize)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_and_repeated_pieces_pay() {
        for (text, paying) in [
            ("{{ a ~ b }}", "{{ a|__pay ~ b|__pay }}"),
            ("{{ a ~ b.c[0](d)|e('x') ~ -1 }}", "{{ a|__pay ~ b.c[0](d)|e('x')|__pay ~ -1|__pay }}"),
            ("{{ (a or b) + [1, c == d] }}", "{{ (a or b)|__pay + [1, c|__pay == d|__pay]|__pay }}"),
            ("{{ -a + 'it\\'s + x' }}", "{{ -a|__pay + 'it\\'s + x'|__pay }}"),
            ("{{ a * 2 / b }}", "{{ a|__factor * 2|__times(true) / b }}"),
            ("{{ a * b * c }}", "{{ a|__factor * b|__times(false) * c|__times(true) }}"),
            ("{{ f(*a, **b) }}", "{{ f(*a, **b) }}"),
            ("{{ 1e-3 + 0x1f }}", "{{ 1e-3|__pay + 0x1f|__pay }}"),
            ("{%- set ns.a = b, c -%}", "{%- set ns.a =( b, c)|__pay -%}"),
            ("{% set x %}{% endset %}", "{% set x %}{% endset %}"),
            ("{% if a not in b %}{% endif %}", "{% if a|__pay not in b|__pay %}{% endif %}"),
            ("{% for a in b if a in c %}{% endfor %}", "{% for a in b if a|__pay in c|__pay %}{% endfor %}"),
            ("{# a ~ b #}{% raw %}{{ a ~ b }}{% endraw %}", "{# a ~ b #}{% raw %}{{ a ~ b }}{% endraw %}"),
            ("{{ {'a': {}} }}", "{{ {'a': {}} }}"),
        ] {
            assert_eq!(Metered::new(text).text, paying, "{text}");
        }
        let long = "x".repeat(100);
        let text = format!("{{%- for a in b -%}}\n{long}{{% endfor %}}");
        assert_eq!(
            Metered::new(&text).text,
            format!(
                "{{{{ ''|__raw(131) }}}}{{%- for a in b -%}}{{{{ ''|__raw(101) -}}}}\n{long}{{% endfor %}}"
            )
        );
    }

    #[test]
    fn places_are_those_of_the_text_as_written() {
        let metered = Metered::new("{{ a ~ b }}");
        let b = metered.text.find('b').expect("there");
        assert_eq!(metered.original(b..b + 1), 7..8);
        assert_eq!(metered.original(b..metered.text.len()), 7..11);
    }

    #[test]
    fn what_is_no_template_stays() {
        for text in [
            "{",
            "{{",
            "{%",
            "{{ '",
            "{{ a ~",
            "{% set",
            "{% set a = %}",
            "{{ ( }}",
            "{{ a . }}",
            "é{{é~",
            "{{ a * }}",
        ] {
            let metered = Metered::new(text);
            assert_eq!(metered.original(0..metered.text.len()), 0..text.len(), "{text}");
        }
    }
}
