//! Filters, tests and functions of texts.

use super::part::{ReferencePart, cell};
use crate::program::template::library::{FILTERS, FUNCTIONS, TESTS, TemplateItem};

const PAGE: &str = "language/texts.md";

pub(super) fn parts() -> Vec<ReferencePart> {
    vec![
        items("filters", "filter", FILTERS),
        items("tests", "test", TESTS),
        items("template-functions", "template function", FUNCTIONS),
    ]
}

fn items(name: &str, kind: &'static str, items: &[TemplateItem]) -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, name);
    part.table(&[kind, "gives", "example"]);
    for item in items {
        let line = format!(
            "| `{}` | {} | `{}` is `{}` |",
            item.name,
            item.doc,
            cell(item.example),
            cell(item.gives)
        );
        part.entry(kind, item.name, line);
    }
    part
}
