//! The skill: the reference for a coding agent, in one page.

use super::errors;
use super::keys;
use super::part::{ReferencePart, cell};
use crate::diag::rule;
use crate::model::TRIGGER_FORMS;
use crate::model::typing::{FORMS, LanguageCall, MACROS, QUERIES};
use crate::program::function::{FunctionForm, TOPICS};
use crate::program::graph::Charge;

/// The page as it is in the sources, with its parts as they were printed last.
pub const SKILL: &str = include_str!("../../docs/reference/skill.md");

const PAGE: &str = "skill.md";

pub(super) fn parts() -> Vec<ReferencePart> {
    vec![kinds(), triggers(), error_kinds(), charges(), functions(), calls(), filters(), rules()]
}

fn kinds() -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, "skill-kinds");
    part.table(&["kind", "does", "keys"]);
    for (kind, doc, keys) in keys::kinds() {
        part.entry("kind", &kind, format!("| `{kind}` | {doc} | `{}` |", keys.join(" ")));
    }
    part
}

fn triggers() -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, "skill-triggers");
    part.table(&["trigger", "matches if"]);
    for trigger in TRIGGER_FORMS {
        part.entry("trigger", trigger.form, format!("| `{}` | {} |", trigger.form, cell(trigger.matches)));
    }
    part
}

fn error_kinds() -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, "skill-errors");
    errors::table(&mut part);
    part
}

fn charges() -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, "skill-charges");
    part.table(&["`charge`", "charges"]);
    for charge in Charge::ALL {
        part.entry("charge", charge.name(), format!("| `{}` | {} |", charge.name(), charge.doc()));
    }
    part
}

/// The signatures of the functions, a line for each topic.
fn functions() -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, "skill-functions");
    for topic in &TOPICS {
        part.write(&format!("- {}:", topic.title));
        for row in topic.rows {
            let forms = row.forms();
            let shown = if row.form == FunctionForm::Operator { &forms[..1] } else { &forms[..] };
            part.entry("function", &row.name, format!("  `{}`", shown.join("`, `")));
        }
    }
    part
}

fn calls() -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, "skill-calls");
    let mut add = |kind: &'static str, calls: &[LanguageCall]| {
        for call in calls {
            part.entry(kind, call.name, format!("- `{}`: {}", call.forms.join("`, `"), call.doc));
        }
    };
    add("question to the run", QUERIES);
    add("macro", MACROS);
    add("form", FORMS);
    part
}

fn filters() -> ReferencePart {
    use crate::program::template::library::{FILTERS, TESTS};
    let mut part = ReferencePart::new(PAGE, "skill-filters");
    let names = |items: &[crate::program::template::library::TemplateItem]| {
        items.iter().map(|item| item.name).collect::<Vec<_>>().join(" ")
    };
    part.entry("filters", "all", format!("- filters: `{}`", names(FILTERS)));
    part.entry("tests", "all", format!("- tests: `{}`", names(TESTS)));
    part
}

fn rules() -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, "skill-rules");
    let slugs: Vec<&str> = rule::ALL.iter().map(|rule| rule.slug()).collect();
    part.write(&format!("`{}`", slugs.join("`, `")));
    part
}
