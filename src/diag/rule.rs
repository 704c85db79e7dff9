//! The rules: every finding names one, every rule has a page.

/// A rule that findings are made by. Its constant stands in this module, its page is `docs/rules/<slug>.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    slug: &'static str,
}

/// The texts of a rule.
struct Row {
    rule: Rule,
    summary: &'static str,
    page: &'static str,
}

impl Rule {
    /// The name in messages and on the command line.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        self.slug
    }

    /// One line: what the rule reports.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.row().summary
    }

    /// The page, as Markdown.
    #[must_use]
    pub fn page(self) -> &'static str {
        self.row().page
    }

    fn row(self) -> &'static Row {
        let at = ROWS.binary_search_by_key(&self, |row| row.rule);
        &ROWS[at.expect("every rule is made by the table, which is sorted")]
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.slug)
    }
}

/// Builds the constants and the table of texts: one line a rule, its page is found by its slug.
macro_rules! rules {
    ($($name:ident = $slug:literal: $summary:literal,)*) => {
        $(#[doc = $summary] pub const $name: Rule = Rule { slug: $slug };)*

        const ROWS: &[Row] = &[$(Row {
            rule: $name,
            summary: $summary,
            page: include_str!(concat!("../../docs/rules/", $slug, ".md")),
        }),*];

        /// Every rule, sorted by slug.
        pub const ALL: &[Rule] = &[$($name),*];

        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

#[rustfmt::skip]
rules! {
    BAD_AMOUNT = "bad-amount": "A `spend` spends less than 1.",
    BAD_BUDGET = "bad-budget": "A budget says two things that do not fit together, or has a limit below 0.",
    BAD_RETRY = "bad-retry": "A call is tried too often, or again and again without a pause.",
    BAD_START = "bad-start": "The start of a composite does not lie directly in it.",
    BAD_TIMEOUT = "bad-timeout": "A time limit leaves no time.",
    BAD_VIEW = "bad-view": "A view opens a node that is no composite.",
    BOUND_EXCEEDED = "bound-exceeded": "A run may take longer than `--bound-max` allows.",
    CALL_CYCLE = "call-cycle": "Graphs call each other in a circle.",
    CONFIG_KEY = "config-key": "A key in `loopwright.toml` that nothing reads.",
    CONFIG_SYNTAX = "config-syntax": "A configuration file is not TOML.",
    CONFIG_VALUE = "config-value": "A value in `loopwright.toml` is not what its key wants.",
    CONFIG_VARIABLE = "config-variable": "A variable of the environment does not hold what an input of the graph wants.",
    CONFLICTING_KEYS = "conflicting-keys": "Two keys of a node exclude each other.",
    CONTROL_CHARACTER = "control-character": "A character that is no text stands in a file.",
    DEAD_EDGE = "dead-edge": "An edge can never be taken.",
    DEAD_END = "dead-end": "From a node no way leads to a final.",
    DUPLICATE_KEY = "duplicate-key": "A `.loop` file gives a key twice in one place.",
    DUPLICATE_NAME = "duplicate-name": "A name is given twice.",
    ENDLESS_LOOP = "endless-loop": "A loop of the graph may go on for ever: no hard budget surely pays for it.",
    EXPRESSION_LIMIT = "expression-limit": "A text is longer or nested deeper than the language allows.",
    EXPRESSION_SYNTAX = "expression-syntax": "An expression, statement, type or place is not written as the grammar wants it.",
    EXTENDS_CYCLE = "extends-cycle": "Graphs extend each other in a circle.",
    FAILED_RUN = "failed-run": "A run met an error of the graph's own text.",
    FORBIDDEN_FILE = "forbidden-file": "A graph names a file that it may not read.",
    HIDDEN_CHARACTER = "hidden-character": "A character that is not seen, or looks like another one, stands in a file.",
    INVALID_NAME = "invalid-name": "A name has a form that names cannot have.",
    KEY_OF_OTHER_KIND = "key-of-other-kind": "A node has a key that only other kinds of node have.",
    LIMIT_CYCLE = "limit-cycle": "The limits of budgets use each other in a circle.",
    LONG_LOOP = "long-loop": "A run may be stopped, since it goes on for too long without anything from outside.",
    LOOP_SYNTAX = "loop-syntax": "A `.loop` file is not written as its grammar wants it.",
    MAYBE_NULL = "maybe-null": "A value that may be null stands where null is an error.",
    MISPLACED_CONDITION = "misplaced-condition": "A `where` stands on a field that takes none.",
    MISSING_DEFAULT = "missing-default": "A field of the state has no value to start with.",
    MISSING_FIELD = "missing-field": "A record is built without a field it must have.",
    MISSING_INPUT = "missing-input": "A called graph needs an input that is not given.",
    MISSING_KEY = "missing-key": "A mapping lacks a key it must have.",
    MISSING_VALUE = "missing-value": "A key has no value.",
    NEVER_NULL = "never-null": "The left side of a `??` is never null.",
    NO_GRAPH = "no-graph": "A file holds no graph, only declarations that graphs use.",
    NO_OTHERWISE = "no-otherwise": "All edges of a node have guards that may all be false.",
    NOT_A_GRAPH = "not-a-graph": "A file that is read as a graph file is none.",
    NOT_A_MEMBER = "not-a-member": "A literal is no member of the enum it stands for.",
    NOT_COMPILED = "not-compiled": "A graph that types well cannot be made into a program.",
    NOT_HERE = "not-here": "Something is read where it is not in scope.",
    NUMBER_RANGE = "number-range": "A number does not fit its type.",
    OVERLAPPING_INTO = "overlapping-into": "Two branches write to the same place.",
    READ_ONLY = "read-only": "A statement writes to something that cannot be written.",
    RECURSIVE_ACTION = "recursive-action": "An action runs itself.",
    RECURSIVE_LET = "recursive-let": "A let uses itself.",
    RECURSIVE_TYPE = "recursive-type": "A type contains itself without end.",
    RESERVED_WORD = "reserved-word": "A reserved word stands where a name is wanted.",
    RETRIED_ONCE = "retried-once": "A `retry` stands at a call that may be made at most once.",
    SCENARIO_ANSWER = "scenario-answer": "An answer of a scenario cannot be given as it is written.",
    SCENARIO_NAME = "scenario-name": "A scenario names something its graph does not have, or two have one name.",
    SHADOWED_NAME = "shadowed-name": "A name is taken already.",
    STUCK_NODE = "stuck-node": "When a node is done, no edge leads on.",
    TEMPLATE_IN_QUOTES = "template-in-quotes": "A text in quotes has marks of a template, which nothing fills in.",
    TEMPLATE_SYNTAX = "template-syntax": "A text is no template.",
    TOO_DEEP = "too-deep": "Lists and mappings are nested deeper than 64 levels.",
    TOO_LARGE = "too-large": "A file is too large or holds too many values.",
    TOO_MANY_FINDINGS = "too-many-findings": "A file has so many faults that not all are listed.",
    TYPE_MISMATCH = "type-mismatch": "A value has another type than its place wants.",
    TYPE_NAME = "type-name": "A type starts with a small letter.",
    UNKNOWN_ACTION = "unknown-action": "A statement calls an action that does not exist.",
    UNKNOWN_BUDGET = "unknown-budget": "A budget is meant that does not exist.",
    UNKNOWN_ERROR_KIND = "unknown-error-kind": "An error kind is named that does not exist.",
    UNKNOWN_FIELD = "unknown-field": "A record has no such field.",
    UNKNOWN_FUNCTION = "unknown-function": "A function is called that does not exist.",
    UNKNOWN_INPUT = "unknown-input": "A caller gives an input that the called graph does not have.",
    UNKNOWN_KEY = "unknown-key": "A mapping has a key that nobody reads.",
    UNKNOWN_KIND = "unknown-kind": "A node has a kind that does not exist.",
    UNKNOWN_NAME = "unknown-name": "A name stands for nothing.",
    UNKNOWN_NODE = "unknown-node": "A node is named that does not exist.",
    UNKNOWN_OUTPUT = "unknown-output": "A merge names an output that the called graph does not have.",
    UNKNOWN_ROLE = "unknown-role": "A node asks for a role that the graph does not declare.",
    UNKNOWN_TEXT = "unknown-text": "A text is named that does not exist.",
    UNKNOWN_TRIGGER = "unknown-trigger": "An edge answers to something that does not happen.",
    UNKNOWN_TYPE = "unknown-type": "A type is named that does not exist.",
    UNKNOWN_VARIABLE = "unknown-variable": "A template uses something that does not exist.",
    UNKNOWN_WORD = "unknown-word": "A value is none of the few words that may stand there.",
    UNREACHABLE_NODE = "unreachable-node": "No run comes to a node.",
    UNREACHABLE_STATEMENT = "unreachable-statement": "A statement stands behind one that always fails.",
    UNREADABLE_FILE = "unreadable-file": "A file that the graph names cannot be read.",
    UNSUPPORTED_LITERAL = "unsupported-literal": "A literal of CEL that this language leaves out.",
    UNUSED = "unused": "A declaration is used nowhere.",
    WAITS_FOR_EVER = "waits-for-ever": "A human node without a time limit may wait for ever.",
    WRONG_ARGUMENTS = "wrong-arguments": "A function, macro or let is called with the wrong arguments.",
    WRONG_FORM = "wrong-form": "A value has another form than its key wants: a list, a mapping, a single value.",
    YAML_ALIAS = "yaml-alias": "A file uses YAML anchors or aliases.",
    YAML_COMMENT = "yaml-comment": "YAML starts a comment inside the quotes of an expression.",
    YAML_DOCUMENTS = "yaml-documents": "A file holds more than one YAML document.",
    YAML_DUPLICATE_KEY = "yaml-duplicate-key": "A mapping has the same key twice.",
    YAML_KEY = "yaml-key": "A list or a mapping stands where a key is wanted.",
    YAML_MERGE_KEY = "yaml-merge-key": "A file uses the YAML merge key.",
    YAML_QUOTES = "yaml-quotes": "YAML takes away quotes that were meant for the expression.",
    YAML_SPLIT_VALUE = "yaml-split-value": "YAML cuts a value in two at its comma.",
    YAML_SYNTAX = "yaml-syntax": "A file is not YAML.",
    YAML_TAG = "yaml-tag": "A file uses YAML tags.",
}

/// The rule of that slug.
#[must_use]
pub fn named(slug: &str) -> Option<Rule> {
    ALL.iter().copied().find(|rule| rule.slug == slug)
}

#[cfg(test)]
mod tests {
    use super::{ALL, NAMES};

    #[test]
    fn rules_are_sorted_and_constants_are_named_as_their_slugs() {
        assert!(ALL.windows(2).all(|pair| pair[0] < pair[1]), "sort the rules by slug");
        for (rule, name) in ALL.iter().zip(NAMES) {
            assert_eq!(rule.slug().to_uppercase().replace('-', "_"), *name);
        }
    }
}
