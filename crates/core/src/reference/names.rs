//! The names that the machine supplies.

use super::part::{ReferencePart, cell};
use crate::model::typing::{BUDGETS_IN_TEXTS, SUPPLIED_NAMES};

pub(super) fn part() -> ReferencePart {
    let mut part = ReferencePart::new("language/expressions.md", "names");
    part.table(&["name", "type", "where", "value"]);
    for own in SUPPLIED_NAMES.iter().chain([&BUDGETS_IN_TEXTS]) {
        let line = format!("| `{}` | {} | {} | {} |", own.name, cell(own.ty), cell(own.scope), cell(own.doc));
        part.entry("name", own.name, line);
    }
    part
}
