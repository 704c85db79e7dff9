//! The rules of `check`.

use super::part::{ReferencePart, cell};
use crate::diag::rule;

pub(super) fn part() -> ReferencePart {
    let mut part = ReferencePart::new("rules.md", "rules");
    part.table(&["rule", "finds"]);
    for rule in rule::ALL {
        let slug = rule.slug();
        part.entry("rule", slug, format!("| [{slug}](../rules/{slug}.md) | {} |", cell(rule.summary())));
    }
    part
}
