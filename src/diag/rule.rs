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
    "bad-amount": "A `spend` spends less than 1.",
    "config-key": "A key in `loopwright.toml` that nothing reads.",
    "config-syntax": "A configuration file is not TOML.",
    "config-value": "A value in `loopwright.toml` is not what its key wants.",
    "control-character": "A character that is no text stands in a file.",
    "duplicate-name": "A name is given twice.",
    "expression-limit": "A text is longer or nested deeper than the language allows.",
    "expression-syntax": "An expression, statement, type or place is not written as the grammar wants it.",
    "hidden-character": "A character that is not seen, or looks like another one, stands in a file.",
    "invalid-name": "A name has a form that names cannot have.",
    "key-of-other-kind": "A node has a key that only other kinds of node have.",
    "maybe-null": "A value that may be null stands where null is an error.",
    "misplaced-condition": "A `where` stands on a field that takes none.",
    "missing-field": "A record is built without a field it must have.",
    "missing-key": "A mapping lacks a key it must have.",
    "missing-value": "A key has no value.",
    "not-a-member": "A literal is no member of the enum it stands for.",
    "not-compiled": "A graph that types well cannot be made into a program.",
    "not-here": "Something is read where it is not in scope.",
    "number-range": "A number does not fit its type.",
    "read-only": "A statement writes to something that cannot be written.",
    "recursive-action": "An action runs itself.",
    "recursive-let": "A let uses itself.",
    "recursive-type": "A type contains itself without end.",
    "reserved-word": "A reserved word stands where a name is wanted.",
    "scenario-answer": "An answer of a scenario cannot be given as it is written.",
    "scenario-name": "A scenario names something its graph does not have, or two have one name.",
    "shadowed-name": "A name is taken already.",
    "too-deep": "Lists and mappings are nested deeper than 64 levels.",
    "too-large": "A file is too large or holds too many values.",
    "too-many-findings": "A file has so many faults that not all are listed.",
    "type-mismatch": "A value has another type than its place wants.",
    "type-name": "A type starts with a small letter.",
    "unknown-action": "A statement calls an action that does not exist.",
    "unknown-budget": "A budget is meant that does not exist.",
    "unknown-error-kind": "An error kind is named that does not exist.",
    "unknown-field": "A record has no such field.",
    "unknown-function": "A function is called that does not exist.",
    "unknown-key": "A mapping has a key that nobody reads.",
    "unknown-kind": "A node has a kind that does not exist.",
    "unknown-name": "A name stands for nothing.",
    "unknown-node": "A node is named that does not exist.",
    "unknown-text": "A text is named that does not exist.",
    "unknown-type": "A type is named that does not exist.",
    "unknown-word": "A value is none of the few words that may stand there.",
    "unreachable-statement": "A statement stands behind one that always fails.",
    "unsupported-format": "A file is in a format that this version does not read.",
    "unsupported-literal": "A literal of CEL that this language leaves out.",
    "wrong-arguments": "A function, macro or let is called with the wrong arguments.",
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
