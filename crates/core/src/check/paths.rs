//! The dotted paths of a template with their places: the engine's own messages have lines only.

use rustc_hash::FxHashMap;

use crate::program::template::scan::{Tag, TokenKind};

/// Every dotted path of a template, each with the places of its words at its first occurrence.
pub(super) fn paths<'t>(text: &'t str, tags: &[Tag<'t>]) -> FxHashMap<&'t str, Vec<usize>> {
    let mut found: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for tokens in tags.iter().map(|tag| &tag.tokens) {
        let mut i = 0;
        while i < tokens.len() {
            let start = i;
            i += 1;
            if tokens[start].kind != TokenKind::Name || start > 0 && tokens[start - 1].is_sign("|") {
                continue;
            }
            let mut places = vec![tokens[start].start];
            while let [dot, word, ..] = &tokens[i..]
                && dot.is_sign(".")
                && word.kind == TokenKind::Name
            {
                places.push(word.start);
                i += 2;
            }
            // Paths are looked up as minijinja names them, so one with blanks around its dots is not found by its text.
            if let Some(path) = text.get(tokens[start].start..tokens[i - 1].end()) {
                found.entry(path).or_insert(places);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::paths;
    use crate::program::template::scan::tags;

    #[test]
    fn finds_paths_as_a_whole() {
        let text = "{{ a.b }} {{ b.c }} {{ x | b }} {{ a.b }}";
        let paths = paths(text, &tags(text).collect::<Vec<_>>());
        assert_eq!(paths.get("b.c"), Some(&vec![13, 15]));
        assert_eq!(paths.get("a.b"), Some(&vec![3, 5]));
        assert_eq!(paths.get("b"), None);
    }
}
