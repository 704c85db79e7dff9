//! The rules: every finding names one, every rule has a page.

/// A rule that findings are made by. Its constant is in this module, its page is `docs/rules/<slug>.md`.
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
    ALWAYS_FAILS = "always-fails": "An expression fails whenever it is evaluated.",
    BAD_AMOUNT = "bad-amount": "A `spend` spends less than 1.",
    BAD_BUDGET = "bad-budget": "A budget has keys that contradict each other, or a limit below 0.",
    BAD_MIGRATION = "bad-migration": "An earlier name under `migrate` is a name of today.",
    BAD_RETRY = "bad-retry": "A call has too many attempts, or many attempts without a wait.",
    BAD_START = "bad-start": "The start of a composite is not directly inside it.",
    BAD_TIMEOUT = "bad-timeout": "A timeout is 0 or less.",
    BAD_VIEW = "bad-view": "A view opens a node that is not a composite.",
    BOUND_EXCEEDED = "bound-exceeded": "A run may make more transitions than `--bound-max` allows.",
    CALL_CYCLE = "call-cycle": "Graphs call each other in a cycle.",
    CONFIG_KEY = "config-key": "`loopwright.toml` has an unknown key.",
    CONFIG_SYNTAX = "config-syntax": "A configuration file is not TOML.",
    CONFIG_VALUE = "config-value": "A value in `loopwright.toml` does not fit its key.",
    CONFIG_VARIABLE = "config-variable": "An environment variable does not fit the type of an input.",
    CONFLICTING_KEYS = "conflicting-keys": "Two keys of a node exclude each other.",
    CONSTANT_CONDITION = "constant-condition": "A comparison is always true or always false.",
    CONTROL_CHARACTER = "control-character": "A file contains a control character.",
    DEAD_EDGE = "dead-edge": "An edge can never be taken.",
    DEAD_END = "dead-end": "No path leads from a node to a final.",
    DENIED_FLOW = "denied-flow": "A value flows to where the policy of the configuration denies it.",
    DUPLICATE_KEY = "duplicate-key": "A `.loop` file has the same key twice in one place.",
    DUPLICATE_NAME = "duplicate-name": "A name is declared twice.",
    ENDLESS_LOOP = "endless-loop": "A loop of the graph may never end: no hard budget is spent on every pass.",
    EXPRESSION_LIMIT = "expression-limit": "A text is longer or nested deeper than the language allows.",
    EXPRESSION_SYNTAX = "expression-syntax": "An expression, statement, type or assignment target does not fit the grammar.",
    EXTENDS_CYCLE = "extends-cycle": "Graphs extend each other in a cycle.",
    FAILED_RUN = "failed-run": "A run failed at an expression, statement or text of the graph.",
    FORBIDDEN_FILE = "forbidden-file": "A graph names a file that it may not read.",
    HIDDEN_CHARACTER = "hidden-character": "A file contains an invisible character, or one that looks like another.",
    INVALID_NAME = "invalid-name": "A name is not valid.",
    KEY_OF_OTHER_KIND = "key-of-other-kind": "A node has a key that only other kinds of node have.",
    LIMIT_CYCLE = "limit-cycle": "The limits of budgets use each other in a cycle.",
    LONG_LOOP = "long-loop": "A run may be stopped, because it runs too long without anything from outside.",
    LOOP_SYNTAX = "loop-syntax": "A `.loop` file does not fit its grammar.",
    MAYBE_MISSING = "maybe-missing": "A key of a map is read that nothing shows to be there.",
    MAYBE_NULL = "maybe-null": "A value may be null where null is an error.",
    MISPLACED_CONDITION = "misplaced-condition": "A field that is not an input has a `where`.",
    MISSING_DEFAULT = "missing-default": "A field of the state has no value to start with.",
    MISSING_FIELD = "missing-field": "A record lacks a required field.",
    MISSING_INPUT = "missing-input": "A called graph needs an input that is not given.",
    MISSING_KEY = "missing-key": "A mapping lacks a required key.",
    MISSING_VALUE = "missing-value": "A key has no value.",
    NEVER_NULL = "never-null": "The left side of a `??` is never null.",
    NEW_NODE = "new-node": "A node of a variant replaces none of its base and is not marked as new.",
    NO_GRAPH = "no-graph": "A file contains no graph, only declarations that graphs use.",
    NO_OTHERWISE = "no-otherwise": "All edges of a node have guards that may all be false.",
    NOT_A_GRAPH = "not-a-graph": "A file that is named as a graph is not a graph file.",
    NOT_A_MEMBER = "not-a-member": "A literal is not a member of its enum.",
    NOT_CACHEABLE = "not-cacheable": "A conversation begins anew in each round, so that no provider has it in its cache.",
    NOT_COMPILED = "not-compiled": "A well-typed graph cannot be compiled.",
    NOT_DECIDED = "not-decided": "The guards of a node are about too much to be decided.",
    NOT_HERE = "not-here": "A name is used where it is not in scope.",
    NUMBER_RANGE = "number-range": "A number does not fit its type.",
    OVERLAPPING_INTO = "overlapping-into": "Two branches write to the same place.",
    READ_ONLY = "read-only": "A statement writes to something that cannot be written.",
    RECURSIVE_ACTION = "recursive-action": "An action runs itself.",
    RECURSIVE_LET = "recursive-let": "A let uses itself.",
    RECURSIVE_TYPE = "recursive-type": "A type contains itself without end.",
    RESERVED_WORD = "reserved-word": "A reserved word is used as a name.",
    RETRIED_ONCE = "retried-once": "An `at_most_once` call has a `retry`.",
    SCENARIO_ANSWER = "scenario-answer": "A scripted answer is not valid.",
    SCENARIO_NAME = "scenario-name": "A scenario names something that its graph does not have, or two scenarios have the same name.",
    SHADOWED_NAME = "shadowed-name": "A name hides another name.",
    STUCK_NODE = "stuck-node": "A node has no edge for `done`.",
    TEMPLATE_IN_QUOTES = "template-in-quotes": "A text in quotes has template marks, which are not filled in.",
    TEMPLATE_SYNTAX = "template-syntax": "A text is not a valid template.",
    TOO_DEEP = "too-deep": "Lists and mappings are nested deeper than 64 levels.",
    TOO_LARGE = "too-large": "A file is too large or has too many values.",
    TOO_MANY_FINDINGS = "too-many-findings": "A file has too many faults to list them all.",
    TYPE_MISMATCH = "type-mismatch": "The type of a value does not fit its place.",
    TYPE_NAME = "type-name": "The name of a type starts with a small letter.",
    UNHANDLED = "unhandled": "A run ends by a used-up budget or an error that no edge answers.",
    UNKNOWN_ACTION = "unknown-action": "A statement calls an action that does not exist.",
    UNKNOWN_BUDGET = "unknown-budget": "A budget does not exist.",
    UNKNOWN_ERROR_KIND = "unknown-error-kind": "An error kind does not exist.",
    UNKNOWN_FIELD = "unknown-field": "A record has no such field.",
    UNKNOWN_FUNCTION = "unknown-function": "A function does not exist.",
    UNKNOWN_INPUT = "unknown-input": "A caller gives an input that the called graph does not have.",
    UNKNOWN_KEY = "unknown-key": "A mapping has an unknown key.",
    UNKNOWN_KIND = "unknown-kind": "A node has a kind that does not exist.",
    UNKNOWN_NAME = "unknown-name": "A name does not exist.",
    UNKNOWN_NODE = "unknown-node": "A node does not exist.",
    UNKNOWN_OUTPUT = "unknown-output": "A merge names an output that the called graph does not have.",
    UNKNOWN_ROLE = "unknown-role": "A node asks for a role that the graph does not declare.",
    UNKNOWN_RULE = "unknown-rule": "An `ignore` names a rule that does not exist.",
    UNKNOWN_TEXT = "unknown-text": "A text does not exist.",
    UNKNOWN_TRIGGER = "unknown-trigger": "The trigger of an edge does not exist.",
    UNKNOWN_TYPE = "unknown-type": "A type does not exist.",
    UNKNOWN_VARIABLE = "unknown-variable": "A template uses something that does not exist.",
    UNKNOWN_WORD = "unknown-word": "A value is not one of the permitted words.",
    UNREACHABLE_NODE = "unreachable-node": "No run reaches a node.",
    UNREACHABLE_STATEMENT = "unreachable-statement": "A statement comes after one that always fails.",
    UNREADABLE_FILE = "unreadable-file": "A file that the graph names cannot be read.",
    UNSUPPORTED_LITERAL = "unsupported-literal": "A literal of CEL is not supported.",
    UNUSED = "unused": "A declaration is never used.",
    UNUSED_IGNORE = "unused-ignore": "An `ignore` leaves out no finding.",
    WAITS_FOR_EVER = "waits-for-ever": "A human node without a time limit may wait forever.",
    WEAK_DELIVERY = "weak-delivery": "A node asks for a delivery that is no stricter than its tool's own.",
    WRONG_ARGUMENTS = "wrong-arguments": "A function, macro or let is called with the wrong arguments.",
    WRONG_FORM = "wrong-form": "A value has the wrong form: a list, a mapping or a single value instead of another.",
    YAML_ALIAS = "yaml-alias": "A file uses YAML anchors or aliases.",
    YAML_COMMENT = "yaml-comment": "YAML starts a comment inside the quotes of an expression.",
    YAML_DOCUMENTS = "yaml-documents": "A file contains more than one YAML document.",
    YAML_DUPLICATE_KEY = "yaml-duplicate-key": "A mapping has the same key twice.",
    YAML_KEY = "yaml-key": "A key is a list or a mapping.",
    YAML_MERGE_KEY = "yaml-merge-key": "A file uses the YAML merge key.",
    YAML_QUOTES = "yaml-quotes": "YAML removes quotes that were meant for the expression.",
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
