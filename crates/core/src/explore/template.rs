//! Texts of a graph, as far as they are templates.

use crate::model::Graph;
use crate::program::template::TemplateTexts;
use crate::program::template::scan::{Tag, TagForm, Token, TokenKind, tags};

/// Signs and words of an operation that may fail.
const FAILING: [&str; 9] = ["/", "//", "%", "-", "*", "**", "+", "range", "int"];

/// Words after which a bracket begins a list.
const BEFORE_A_VALUE: [&str; 7] = ["in", "if", "elif", "else", "and", "or", "not"];

/// The texts of a graph, looked through; nothing where one of them is no template.
pub(super) fn template_texts(graph: &Graph) -> Option<TemplateTexts> {
    let texts = graph.texts.iter().map(|text| (text.name.value.clone(), text.body.text.as_str()));
    TemplateTexts::new(texts).ok()
}

/// True for a text that may have no value, by itself or by what it takes in.
pub(super) fn text_may_fail(graph: &Graph, texts: Option<&TemplateTexts>, name: &str) -> bool {
    let Some(parts) = texts.and_then(|texts| texts.parts(name)) else { return true };
    let own = graph.texts.iter().filter(|text| parts.contains(text.name.value.as_str()));
    own.flat_map(|text| tags(&text.body.text)).any(|tag| may_fail(&tag))
}

/// True for a tag that may have no value.
fn may_fail(tag: &Tag<'_>) -> bool {
    let tokens = tag.tokens.as_slice();
    let fails = |(at, token): (usize, &Token<'_>)| match token.text {
        "+" => !is_sum_of_counts(tag),
        "[" => !is_list(&tokens[..at]) && !is_checked_lookup(tokens, at),
        text => FAILING.contains(&text),
    };
    tokens.iter().enumerate().any(fails)
}

/// True for `{{ budgets.rounds.used + 1 }}` and the like.
fn is_sum_of_counts(tag: &Tag<'_>) -> bool {
    let is_count = |part: &[Token<'_>]| match part {
        [number] => number.kind == TokenKind::Number,
        [first, .., last] => {
            first.text == "budgets" && matches!(last.text, "used" | "left" | "limit") && is_path(part)
        }
        [] => false,
    };
    tag.form == TagForm::Value && tag.tokens.split(|token| token.is_sign("+")).all(is_count)
}

/// True if a bracket after these tokens begins a list.
fn is_list(before: &[Token<'_>]) -> bool {
    before.last().is_none_or(|last| match last.kind {
        TokenKind::Name => BEFORE_A_VALUE.contains(&last.text),
        TokenKind::Number | TokenKind::Quoted | TokenKind::Close => false,
        TokenKind::Open | TokenKind::Sign => true,
    })
}

/// True for the bracket of `map[key] if key in map else …`.
fn is_checked_lookup(tokens: &[Token<'_>], bracket: usize) -> bool {
    let is_step = |token: &&Token<'_>| token.kind == TokenKind::Name || token.is_sign(".");
    let start = bracket - tokens[..bracket].iter().rev().take_while(is_step).count();
    let is_value_before = start > 0 && !is_list(&tokens[..start]);
    let (map, after) = (&tokens[start..bracket], &tokens[bracket + 1..]);
    let [key, close, rest @ ..] = after else { return false };
    let wanted = ["if", key.text, "in"].into_iter().chain(map.iter().map(|token| token.text)).chain(["else"]);
    let is_key = matches!(key.kind, TokenKind::Name | TokenKind::Quoted);
    let is_asked = rest.len() >= map.len() + 4 && wanted.zip(rest).all(|(text, token)| text == token.text);
    is_key && close.text == "]" && is_path(map) && !is_value_before && is_asked
}

/// True for names with points between them.
fn is_path(tokens: &[Token<'_>]) -> bool {
    let is_right = |(at, token): (usize, &Token<'_>)| {
        if at % 2 == 0 { token.kind == TokenKind::Name } else { token.is_sign(".") }
    };
    tokens.len() % 2 == 1 && tokens.iter().enumerate().all(is_right)
}

#[cfg(test)]
mod tests {
    use super::{may_fail, tags};

    fn fails(text: &str) -> bool {
        tags(text).any(|tag| may_fail(&tag))
    }

    #[test]
    fn what_always_has_a_value_is_known() {
        for text in [
            "{{ name }}, {{ plan.status | string }}",
            "{{ budgets.rounds.used + 1 }}/{{ limit }}",
            "{{- 1 + budgets.rounds.left -}}",
            "{%- set status = plan.status[number] if number in plan.status else 'none' %}",
            "{{ names['a'] if 'a' in names else '' }}",
            "{{ [name, 'x'] | join(', ') }}{% if name in ['a', 'b'] %}{% endif %}",
        ] {
            assert!(!fails(text), "{text}");
        }
    }

    #[test]
    fn what_may_fail_is_told() {
        for text in [
            "{{ name + 1 }}",
            "{{ 'a' ~ budgets.rounds.used + 1 }}",
            "{{ budgets.rounds.used + 1 ~ 'a' }}",
            "{{ budgets.stage[name].used + 1 }}",
            "{{ x.budgets.rounds.used + y }}",
            "{{ map[key] }}",
            "{{ map[key] if key in other else '' }}",
            "{{ map[key] if other in map else '' }}",
            "{{ map[key] if key in map }}",
            "{{ map[key] if key in map.inner else '' }}",
            "{{ f(x).map[key] if key in map else '' }}",
            "{{ a[0] }}{{ a[1:] }}",
            "{{ 1 / n }}{{ range(n) }}",
        ] {
            assert!(fails(text), "{text}");
        }
    }
}
