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
pub const RULES: &[Rule] = &[];
