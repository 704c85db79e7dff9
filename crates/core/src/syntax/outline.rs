//! The kind of a text, recognized by the words at its margin: nobody wants to be shown what stands in a file that is no
//! graph.

use super::Syntax;
use super::dsl::{group, is_kind};
use super::lower::tables::SECTIONS;

/// Sections that files of other kinds have as well.
const COMMON: [&str; 3] = ["title", "doc", "version"];

/// The findings at the margin of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline {
    /// It has a line `graph: NAME`, or `graph NAME`.
    pub graph: bool,
    /// It names the graph of which it is a variant.
    pub variant: bool,
    /// It has sections of a graph file, or nothing at all.
    pub sections: bool,
}

/// Looks at the margin of a text.
#[must_use]
pub fn outline(text: &str, syntax: Syntax) -> Outline {
    let keys = match syntax {
        Syntax::Yaml => keys(text),
        Syntax::Loop => words(text),
    };
    let has = |name: &str| keys.contains(&name);
    let section = |key: &&str| SECTIONS.iter().any(|section| section.name == *key);
    let own = keys.iter().any(|key| section(key) && !COMMON.contains(key));
    Outline { graph: has("graph"), variant: has("extends"), sections: own || keys.iter().all(section) }
}

/// Returns true if a YAML text has one of these keys at its margin, or nothing at all.
#[must_use]
pub fn has_key(text: &str, names: &[&str]) -> bool {
    let keys = keys(text);
    keys.is_empty() || keys.iter().any(|key| names.contains(key))
}

/// The keys of a YAML mapping; a line at the margin that begins with none gives an empty one.
fn keys(text: &str) -> Vec<&str> {
    let text = text.trim_start_matches('\u{feff}');
    let mut keys = Vec::new();
    let mut margin = usize::MAX;
    let mut at = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim();
        let line = line.strip_prefix("---").map_or(line, str::trim_start);
        let indent = whole.len() - whole.trim_start().len();
        at += whole.len();
        if line.is_empty() || line.starts_with(['#', '%']) || indent > margin {
            continue;
        }
        if margin == usize::MAX && line.starts_with('{') {
            return flow_keys(&text[at - whole.len()..]);
        }
        margin = indent;
        keys.push(key(line.strip_prefix("- ").unwrap_or(line)));
    }
    keys
}

/// The key that begins a line, without its quotes.
fn key(line: &str) -> &str {
    let colon = line.match_indices(':').map(|(at, _)| at);
    let mut ends = colon.filter(|at| line[at + 1..].chars().next().is_none_or(char::is_whitespace));
    ends.next().map_or("", |end| line[..end].trim().trim_matches(['"', '\'']))
}

/// The keys of a mapping in braces.
fn flow_keys(text: &str) -> Vec<&str> {
    let mut keys = Vec::new();
    let (mut depth, mut quote, mut start) = (0_usize, None, None);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            (_, Some(open)) => quote = (c != open).then_some(open),
            ('"' | '\'', None) => quote = Some(c),
            ('{' | '[', None) => {
                depth += 1;
                start = (depth == 1).then_some(at + 1);
            }
            ('}' | ']', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 1 => start = Some(at + 1),
            (':', None) if depth == 1 => {
                let key = start.take().map(|start| text[start..at].trim().trim_matches(['"', '\'']));
                keys.extend(key);
            }
            _ => {}
        }
    }
    keys
}

/// The words that begin declarations of a `.loop` file; a line at the margin that begins with none gives an empty one.
/// Prose may begin with the same words, and continues otherwise.
fn words(text: &str) -> Vec<&str> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        return flow_keys(text);
    }
    let mut found = Vec::new();
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() || line.starts_with([' ', '\t', '#', '}']) {
            continue;
        }
        let (word, rest) = first_word(line);
        let (name, after_word) = first_word(rest);
        let declares =
            rest.is_empty() || name.is_empty() && rest.starts_with(['{', '"', '\'', ':', '=', '[']);
        let goes_on =
            after_word.starts_with(['{', '"', '=', ':', '(', '.']) || is_word(first_word(after_word).0);
        let named = !name.is_empty() && (after_word.is_empty() || goes_on);
        let known = is_word(word) && (declares || named);
        found.push(if known { section_of(word) } else { "" });
    }
    found
}

/// Returns true if a declaration may begin with the word.
fn is_word(word: &str) -> bool {
    section_of(word) != word || SECTIONS.iter().any(|section| section.name == word)
}

/// The section that a word declares an entry of, or the word itself.
fn section_of(word: &str) -> &str {
    let single = is_kind(word) || group(word).is_some_and(|section| section != word);
    if single { "nodes" } else { word }
}

/// The word a line begins with, and what follows after blanks.
fn first_word(line: &str) -> (&str, &str) {
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(line.len());
    (&line[..end], line[end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline_facts(text: &str, syntax: Syntax) -> (bool, bool, bool) {
        let Outline { graph, variant, sections } = outline(text, syntax);
        (graph, variant, sections)
    }

    #[test]
    fn yaml_is_told_by_its_keys() {
        for text in [
            "graph: g\n",
            "# words\n---\n\"graph\": g\nstart: a\n",
            "  graph: g\n  start: a\n",
            "title: t\ngraph : g\n",
            "\u{feff}graph:\r\n  g\r\n",
            "{graph: g, start: a}",
            "--- {\"start\": \"a\",\n 'nodes': {graph: {}}, \"graph\": \"g\"}",
            "secret: x\ngraph: g\n",
        ] {
            assert_eq!(outline_facts(text, Syntax::Yaml), (true, false, true), "{text}");
        }
        for text in [
            "",
            "# nothing\n\n",
            "types: {}\n",
            "title: t\ndoc: d\n",
            "nodes:\n  graph: x\n",
            "{start: {graph: x}}",
        ] {
            assert_eq!(outline_facts(text, Syntax::Yaml), (false, false, true), "{text}");
        }
        assert_eq!(outline_facts("extends: a.yaml\n", Syntax::Yaml), (false, true, true));
        for text in [
            "root:x:0:0:root:/root:/bin/sh\ngraph:x:1\n",
            "KEY=value\n",
            "version: 3\nservices:\n  graph: x\n",
            "data:\n  graph: x\n",
            "- state\n",
            "{data: {graph: x}}",
            "graph x\n",
            "a sentence\n",
        ] {
            assert_eq!(outline_facts(text, Syntax::Yaml), (false, false, false), "{text}");
        }
    }

    #[test]
    fn loop_is_told_by_its_declarations() {
        for text in ["graph g\n", "graph g state n: int = 0\n", "use \"a.loop\"\ngraph g {\n"] {
            assert!(outline(text, Syntax::Loop).graph, "{text}");
        }
        for text in [
            "",
            "type T = int\n",
            "budget rounds = 3\n",
            "use \"a.loop\"\n",
            "types {\n",
            "let x = 1\n",
            "final a\n",
        ] {
            assert_eq!(outline_facts(text, Syntax::Loop), (false, false, true), "{text}");
        }
        for text in
            ["use the force\n", "KEY=value\n", "graph: g\nstate of the art, and so on\n", "type it in\n"]
        {
            assert!(!outline(text, Syntax::Loop).variant, "{text}");
        }
        let version = "version: '3'\nservices: {a: b}\n";
        for text in ["use the force\n", "KEY=value\n", "text of a letter\n", version] {
            assert!(!outline(text, Syntax::Loop).sections, "{text}");
        }
    }
}
