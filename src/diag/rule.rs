//! The registry of rules: every finding names one, every rule has a page.

/// A rule: its slug and what it says in a line. Its page is `docs/rules/<slug>.md`.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The name in messages and on the command line.
    pub slug: &'static str,
    /// One line: what the rule reports.
    pub summary: &'static str,
    /// The page, as Markdown.
    pub page: &'static str,
}

/// Builds the table: one line a rule, its page is found by its slug.
macro_rules! rules {
    ($($slug:literal: $summary:literal,)*) => {
        &[$(Rule { slug: $slug, summary: $summary, page: include_str!(concat!("../../docs/rules/", $slug, ".md")) }),*]
    };
}

/// Every rule, sorted by slug.
#[rustfmt::skip]
pub const RULES: &[Rule] = rules! {
    "config-key": "A key in `loopwright.toml` that nothing reads.",
    "config-syntax": "A configuration file is not TOML.",
    "config-value": "A value in `loopwright.toml` is not what its key wants.",
    "control-character": "A character that is no text stands in a file.",
    "expression-limit": "A text is longer or nested deeper than the language allows.",
    "expression-syntax": "An expression, statement, type or place is not written as the grammar wants it.",
    "hidden-character": "A character that is not seen, or looks like another one, stands in a file.",
    "invalid-name": "A name has a form that names cannot have.",
    "key-of-other-kind": "A node has a key that only other kinds of node have.",
    "missing-key": "A mapping lacks a key it must have.",
    "missing-value": "A key has no value.",
    "number-range": "A number does not fit its type.",
    "reserved-word": "A reserved word stands where a name is wanted.",
    "too-deep": "Lists and mappings are nested deeper than 64 levels.",
    "too-large": "A file is too large or holds too many values.",
    "too-many-findings": "A file has so many faults that not all are listed.",
    "unknown-key": "A mapping has a key that nobody reads.",
    "unknown-kind": "A node has a kind that does not exist.",
    "unknown-word": "A value is none of the few words that may stand there.",
    "unsupported-format": "A file is in a format that this version does not read.",
    "unsupported-literal": "A literal of CEL that this language leaves out.",
    "wrong-form": "A value has another form than its key wants: a list, a mapping, a single value.",
    "yaml-alias": "A file uses YAML anchors or aliases.",
    "yaml-comment": "YAML starts a comment inside the quotes of an expression.",
    "yaml-documents": "A file holds more than one YAML document.",
    "yaml-duplicate-key": "A mapping has the same key twice.",
    "yaml-key": "A list or a mapping stands where a key is wanted.",
    "yaml-merge-key": "A file uses the YAML merge key.",
    "yaml-quotes": "YAML takes away quotes that were meant for the expression.",
    "yaml-split-value": "YAML cuts a value in two at its comma.",
    "yaml-syntax": "A file is not YAML.",
    "yaml-tag": "A file uses YAML tags.",
};

/// The rule of that slug.
#[must_use]
pub fn rule(slug: &str) -> Option<&'static Rule> {
    RULES.binary_search_by(|r| r.slug.cmp(slug)).ok().map(|i| &RULES[i])
}
