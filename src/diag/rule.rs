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

/// Every rule, sorted by slug.
pub const RULES: &[Rule] = &[
    Rule {
        slug: "expression-limit",
        summary: "A text is longer or nested deeper than the language allows.",
        page: include_str!("../../docs/rules/expression-limit.md"),
    },
    Rule {
        slug: "expression-syntax",
        summary: "An expression, statement, type or place is not written as the grammar wants it.",
        page: include_str!("../../docs/rules/expression-syntax.md"),
    },
    Rule {
        slug: "number-range",
        summary: "A number does not fit its type.",
        page: include_str!("../../docs/rules/number-range.md"),
    },
    Rule {
        slug: "reserved-word",
        summary: "A reserved word stands where a name is wanted.",
        page: include_str!("../../docs/rules/reserved-word.md"),
    },
    Rule {
        slug: "unsupported-literal",
        summary: "A literal of CEL that this language leaves out.",
        page: include_str!("../../docs/rules/unsupported-literal.md"),
    },
];
