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
    "bad-budget": "A budget says two things that do not fit together, or has a limit below 0.",
    "bad-retry": "A call is tried too often, or again and again without a pause.",
    "bad-start": "The start of a composite does not lie directly in it.",
    "bad-timeout": "A time limit leaves no time.",
    "bad-view": "A view opens a node that is no composite.",
    "bound-exceeded": "A run may take longer than `--bound-max` allows.",
    "call-cycle": "Graphs call each other in a circle.",
    "config-key": "A key in `loopwright.toml` that nothing reads.",
    "config-syntax": "A configuration file is not TOML.",
    "config-value": "A value in `loopwright.toml` is not what its key wants.",
    "config-variable": "A variable of the environment does not hold what an input of the graph wants.",
    "conflicting-keys": "Two keys of a node exclude each other.",
    "control-character": "A character that is no text stands in a file.",
    "dead-edge": "An edge can never be taken.",
    "dead-end": "From a node no way leads to a final.",
    "duplicate-key": "A `.loop` file gives a key twice in one place.",
    "duplicate-name": "A name is given twice.",
    "endless-loop": "A loop of the graph may go on for ever: no hard budget surely pays for it.",
    "expression-limit": "A text is longer or nested deeper than the language allows.",
    "expression-syntax": "An expression, statement, type or place is not written as the grammar wants it.",
    "extends-cycle": "Graphs extend each other in a circle.",
    "failed-run": "A run met an error of the graph's own text.",
    "forbidden-file": "A graph names a file that it may not read.",
    "hidden-character": "A character that is not seen, or looks like another one, stands in a file.",
    "invalid-name": "A name has a form that names cannot have.",
    "key-of-other-kind": "A node has a key that only other kinds of node have.",
    "limit-cycle": "The limits of budgets use each other in a circle.",
    "long-loop": "A run may be stopped, since it goes on for too long without anything from outside.",
    "loop-syntax": "A `.loop` file is not written as its grammar wants it.",
    "maybe-null": "A value that may be null stands where null is an error.",
    "misplaced-condition": "A `where` stands on a field that takes none.",
    "missing-default": "A field of the state has no value to start with.",
    "missing-field": "A record is built without a field it must have.",
    "missing-input": "A called graph needs an input that is not given.",
    "missing-key": "A mapping lacks a key it must have.",
    "missing-value": "A key has no value.",
    "never-null": "The left side of a `??` is never null.",
    "no-graph": "A file holds no graph, only declarations that graphs use.",
    "no-otherwise": "All edges of a node have guards that may all be false.",
    "not-a-graph": "A file that is read as a graph file is none.",
    "not-a-member": "A literal is no member of the enum it stands for.",
    "not-compiled": "A graph that types well cannot be made into a program.",
    "not-here": "Something is read where it is not in scope.",
    "number-range": "A number does not fit its type.",
    "overlapping-into": "Two branches write to the same place.",
    "read-only": "A statement writes to something that cannot be written.",
    "recursive-action": "An action runs itself.",
    "recursive-let": "A let uses itself.",
    "recursive-type": "A type contains itself without end.",
    "reserved-word": "A reserved word stands where a name is wanted.",
    "retried-once": "A `retry` stands at a call that may be made at most once.",
    "scenario-answer": "An answer of a scenario cannot be given as it is written.",
    "scenario-name": "A scenario names something its graph does not have, or two have one name.",
    "shadowed-name": "A name is taken already.",
    "stuck-node": "When a node is done, no edge leads on.",
    "template-in-quotes": "A text in quotes has marks of a template, which nothing fills in.",
    "template-syntax": "A text is no template.",
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
    "unknown-input": "A caller gives an input that the called graph does not have.",
    "unknown-key": "A mapping has a key that nobody reads.",
    "unknown-kind": "A node has a kind that does not exist.",
    "unknown-name": "A name stands for nothing.",
    "unknown-node": "A node is named that does not exist.",
    "unknown-output": "A merge names an output that the called graph does not have.",
    "unknown-role": "A node asks for a role that the graph does not declare.",
    "unknown-text": "A text is named that does not exist.",
    "unknown-trigger": "An edge answers to something that does not happen.",
    "unknown-type": "A type is named that does not exist.",
    "unknown-variable": "A template uses something that does not exist.",
    "unknown-word": "A value is none of the few words that may stand there.",
    "unreachable-node": "No run comes to a node.",
    "unreachable-statement": "A statement stands behind one that always fails.",
    "unreadable-file": "A file that the graph names cannot be read.",
    "unsupported-literal": "A literal of CEL that this language leaves out.",
    "unused": "A declaration is used nowhere.",
    "waits-for-ever": "A human node without a time limit may wait for ever.",
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
