//! Templates that pay for their work.
//!
//! The template engine counts its own instructions, but one of them may join two texts of any length, compare two long
//! lists, or write a long piece of the template. So each text is read once, and filters are put after the operands of
//! such operators, and calls at the head of what may be repeated; who renders the text gives them a meaning ([`PAY`],
//! [`FACTOR`], [`TIMES_FILTER`], [`RAW`]). Nothing else changes, and every place is known in the text as it was
//! written.

mod operand;

use std::ops::Range;

use self::operand::{ends_operand, operand};
use crate::program::template::scan::{Tag, TagForm, Token, TokenKind, tags};

/// The filter after an operand: pays for looking at it once.
pub(super) const PAY: &str = "__pay";
/// The filter after the first operand of a chain of `*`.
pub(super) const FACTOR: &str = "__factor";
/// The filter after each further operand of `*`; its argument is true after the last one.
pub(super) const TIMES_FILTER: &str = "__times";
/// The filter that pays for so many bytes of the template itself.
pub(super) const RAW: &str = "__raw";

/// Repeated pieces that are shorter than this need not pay: the count of instructions bounds them.
const MAX_FREE_BYTES: usize = 64;

/// A text with what makes it pay.
#[derive(Debug, Clone, Default)]
pub(super) struct Metered {
    /// The text that the engine is given.
    pub(super) text: String,
    /// Inserted texts: offset in [`Metered::text`] and length, in bytes.
    added: Vec<(usize, usize)>,
}

impl Metered {
    /// Reads a text. What is no template stays as it is.
    #[must_use]
    pub(super) fn new(source: &str) -> Self {
        let mut reader = MeteringReader { source, added: Vec::new(), open: Vec::new() };
        if source.len() >= MAX_FREE_BYTES {
            reader.pay_for(0, source.len(), "");
        }
        for tag in tags(source).filter(|tag| tag.is_closed) {
            reader.tag(&tag);
        }
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
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        self.place(range.start)..self.place(range.end)
    }

    fn place(&self, at: usize) -> usize {
        let before = self.added.iter().take_while(|(place, _)| *place < at);
        at - before.map(|(place, len)| (*len).min(at - place)).sum::<usize>()
    }
}

struct MeteringReader<'s> {
    source: &'s str,
    added: Vec<(usize, String)>,
    /// For each block that is open and may be repeated: its last word, where it begins, how white space after it is cut.
    open: Vec<(&'static str, usize, &'static str)>,
}

impl<'s> MeteringReader<'s> {
    fn tag(&mut self, tag: &Tag<'s>) {
        let tokens = &tag.tokens;
        if tag.form == TagForm::Value {
            self.expressions(tokens, false);
            return;
        }
        let word = tag.keyword().unwrap_or_default();
        let end = tag.range.end;
        let cut = if self.source[..end - 2].ends_with('-') { "-" } else { "" };
        match word {
            "for" => self.open.push(("endfor", end, cut)),
            "macro" => self.open.push(("endmacro", end, cut)),
            "call" => self.open.push(("endcall", end, cut)),
            "set" => self.assignment(tokens),
            _ => {}
        }
        if self.open.last().is_some_and(|(last, ..)| *last == word)
            && let Some((_, from, cut)) = self.open.pop()
        {
            self.pay_for(from, tag.range.start - from, cut);
        }
        self.expressions(tokens.get(1..).unwrap_or_default(), word == "for");
    }

    fn pay_for(&mut self, place: usize, bytes: usize, cut: &str) {
        if bytes >= MAX_FREE_BYTES {
            self.added.push((place, format!("{{{{ ''|{RAW}({bytes}) {cut}}}}}")));
        }
    }

    /// All that `set` keeps is paid for as a whole.
    fn assignment(&mut self, tokens: &[Token<'s>]) {
        let mut depth = 0_i32;
        for token in tokens {
            depth += i32::from(token.kind == TokenKind::Open) - i32::from(token.kind == TokenKind::Close);
            let last = tokens.last().map_or(token.end(), Token::end);
            if depth == 0 && token.text == "=" && last > token.end() {
                self.added.push((token.end(), "(".to_owned()));
                self.added.push((last, format!(")|{PAY}")));
                return;
            }
        }
    }

    fn expressions(&mut self, tokens: &[Token<'s>], mut is_loop: bool) {
        for (i, token) in tokens.iter().enumerate() {
            let operator = match token.kind {
                TokenKind::Sign => {
                    matches!(token.text, "~" | "+" | "*" | "==" | "!=" | "<" | "<=" | ">" | ">=")
                }
                TokenKind::Name => token.text == "in",
                _ => false,
            };
            if token.text == "in" && is_loop {
                is_loop = false;
                continue;
            }
            let before = tokens[..i].iter().rposition(|t| !(t.kind == TokenKind::Name && t.text == "not"));
            let Some(left) = before.filter(|_| operator).map(|left| tokens[left]).filter(ends_operand) else {
                continue;
            };
            let Some(right) = operand(tokens, i + 1) else { continue };
            if token.text != "*" {
                self.add(left.end(), PAY);
                self.add(tokens[right].end(), PAY);
                continue;
            }
            if !self
                .added
                .iter()
                .rev()
                .any(|(place, what)| *place == left.end() && what.contains(TIMES_FILTER))
            {
                self.add(left.end(), FACTOR);
            }
            let goes_on = tokens.get(right + 1).is_some_and(|next| next.text == "*");
            self.added.push((tokens[right].end(), format!("|{TIMES_FILTER}({})", !goes_on)));
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
            ("{#}{{ a ~ b }}#}{{ c ~ 1. }}", "{#}{{ a ~ b }}#}{{ c|__pay ~ 1.|__pay }}"),
            ("{% set x = '%}{{ a ~ b }}' %}", "{% set x =( '%}{{ a ~ b }}')|__pay %}"),
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
