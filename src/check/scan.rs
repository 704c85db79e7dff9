//! The words inside a template's tags with their places: minijinja's own messages have lines only.

use rustc_hash::FxHashMap;

/// A word or sign inside `{{ … }}` or `{% … %}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
    /// Where it starts in the template.
    pub(super) at: usize,
    /// Whether it is the first word of a `{% … %}`.
    pub(super) leads: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    /// The text between the quotes.
    Quoted,
    Sign,
}

/// All words and signs of a template, in order. What is no template at all is minijinja's to report.
pub(super) fn scan(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('{').map(|i| at + i) {
        let rest = &text[open..];
        if rest.starts_with("{#") {
            at = rest.find("#}").map_or(text.len(), |i| open + i + 2);
        } else if rest.starts_with("{{") || rest.starts_with("{%") {
            let first = tokens.len();
            at = tag(text, open + 2, rest.starts_with("{%"), &mut tokens);
            if tokens.get(first).is_some_and(|t: &Token<'_>| t.leads && t.text == "raw") {
                at = end_of_raw(text, at);
            }
        } else {
            at = open + 1;
        }
    }
    tokens
}

fn end_of_raw(text: &str, at: usize) -> usize {
    text[at..]
        .find("endraw")
        .and_then(|i| text[at + i..].find("%}").map(|j| at + i + j + 2))
        .unwrap_or(text.len())
}

/// Reads one tag; gives the place behind it.
fn tag<'t>(text: &'t str, from: usize, is_block: bool, tokens: &mut Vec<Token<'t>>) -> usize {
    let (bytes, close) = (text.as_bytes(), if is_block { "%}" } else { "}}" });
    let mut at = from;
    let mut leads = is_block;
    while at < bytes.len() {
        if text[at..].starts_with(close) {
            return at + 2;
        }
        let (kind, start, end, next) = match bytes[at] {
            b'"' | b'\'' => {
                let end = end_of_quoted(bytes, at);
                (TokenKind::Quoted, at + 1, end, (end + 1).min(bytes.len()))
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                let end =
                    at + bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                (TokenKind::Name, at, end, end)
            }
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => {
                let end = at + text[at..].chars().next().map_or(1, char::len_utf8);
                (TokenKind::Sign, at, end, end)
            }
        };
        let word = Token { kind, text: text.get(start..end).unwrap_or_default(), at: start, leads };
        leads &= word.kind == TokenKind::Sign;
        tokens.push(word);
        at = next;
    }
    at
}

fn end_of_quoted(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < bytes.len() && bytes[at] != bytes[open] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// Every dotted path of a template, each with the places of its words at its first occurrence.
pub(super) fn paths<'t>(text: &'t str, tokens: &[Token<'t>]) -> FxHashMap<&'t str, Vec<usize>> {
    let mut found: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    let mut i = 0;
    while i < tokens.len() {
        let start = i;
        i += 1;
        if tokens[start].kind != TokenKind::Name || start > 0 && is_sign(&tokens[start - 1], "|") {
            continue;
        }
        let mut places = vec![tokens[start].at];
        while let [dot, word, ..] = &tokens[i..]
            && is_sign(dot, ".")
            && word.kind == TokenKind::Name
        {
            places.push(word.at);
            i += 2;
        }
        let last = &tokens[i - 1];
        // Paths are looked up as minijinja names them, so one with blanks around its dots is not found by its text.
        if let Some(path) = text.get(tokens[start].at..last.at + last.text.len()) {
            found.entry(path).or_insert(places);
        }
    }
    found
}

fn is_sign(token: &Token<'_>, sign: &str) -> bool {
    token.kind == TokenKind::Sign && token.text == sign
}

#[cfg(test)]
mod tests {
    use super::{paths, scan};

    fn words(text: &str) -> Vec<&str> {
        scan(text).iter().map(|t| t.text).collect()
    }

    #[test]
    fn reads_tags_alone() {
        assert_eq!(
            words("a {b} {{ c.d | e }} {# f #} {%- if g == 'h}}' %}"),
            ["c", ".", "d", "|", "e", "-", "if", "g", "=", "=", "h}}"]
        );
        assert_eq!(words("{% raw %}{{ a }}{% endraw %}{{ b }}"), ["raw", "b"]);
    }

    #[test]
    fn ends_where_the_text_ends() {
        assert_eq!(words("{{ a 'b"), ["a", "b"]);
        assert_eq!(words("{% raw %}{{ a"), ["raw"]);
        assert_eq!(words("{{ 'é\\"), ["é\\"]);
    }

    #[test]
    fn finds_paths_as_a_whole() {
        let text = "{{ a.b }} {{ b.c }} {{ x | b }} {{ a.b }}";
        let paths = paths(text, &scan(text));
        assert_eq!(paths.get("b.c"), Some(&vec![13, 15]));
        assert_eq!(paths.get("a.b"), Some(&vec![3, 5]));
        assert_eq!(paths.get("b"), None);
    }
}
