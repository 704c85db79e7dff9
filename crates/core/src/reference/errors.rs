//! What may come of a node, and which triggers of edges match it.

use super::part::{ReferencePart, cell};
use crate::model::TRIGGER_FORMS;
use crate::program::error::{ErrorKind, is_answered_by_error};

/// The triggers as they are written.
pub(super) fn triggers() -> ReferencePart {
    let mut part = ReferencePart::new("language/edges.md", "triggers");
    part.table(&["trigger", "matches if"]);
    for trigger in TRIGGER_FORMS {
        part.entry("trigger", trigger.form, format!("| `{}` | {} |", trigger.form, cell(trigger.matches)));
    }
    part
}

/// The kinds of errors and the other ends of a visit, each with the triggers that match it.
pub(super) fn kinds() -> ReferencePart {
    let mut part = ReferencePart::new("language/errors.md", "errors");
    table(&mut part);
    part
}

/// Adds the table of kinds to a part.
pub(super) fn table(part: &mut ReferencePart) {
    part.table(&["kind", "class", "cause", "`on: error`", "also"]);
    for kind in ErrorKind::ALL {
        let (name, class) = (kind.name(), kind.class().name());
        let any = if is_answered_by_error(name) { "yes" } else { "no" };
        let mut also = vec![format!("`error({name})`")];
        if ErrorKind::Timeout.is(name) {
            also.insert(0, "`timeout`".to_owned());
        }
        if class != name {
            also.push(format!("`error({class})`"));
        }
        let cause = cell(kind.cause().trim_end_matches('.'));
        let line = format!("| `{name}` | {class} | {cause} | {any} | {} |", also.join(", "));
        part.entry("error kind", name, line);
    }
    part.write("| a kind of your own | as declared | `fail KIND 'text'`, or an error of a tool | yes | `error(KIND)`, `error(CLASS)` |");
    part.write(
        "| *a refused spend* | none | A budget of this graph refused a spend or a call. This is no error of the node | no | `exhausted(BUDGET)`, `error(budget_exhausted)` |",
    );
    part.write(
        "| *unknown* | none | Nobody knows whether an `at_most_once` call took place | no | `unknown`; after a timeout `timeout` and `error(timeout)`, too |",
    );
}
