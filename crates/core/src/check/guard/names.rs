//! The names of terms, as their author wrote them.

use super::set::GuardSet;
use super::term::{Head, TermId};
use crate::program::listing::literal;
use crate::program::op::{BudgetQuery, Special};
use crate::source::{Sources, Span};

/// Texts of expressions are shown up to this length.
const MAX_SHOWN_TEXT: usize = 60;

/// A term as its author wrote it.
pub(super) fn name(sources: &Sources, set: &GuardSet<'_>, id: TermId) -> String {
    let term = set.terms.get(id);
    let budget = |place: u32| set.graph.budgets[place as usize].name.value.clone();
    match term.head {
        Head::Budget(BudgetQuery::Used, id) if term.parts.is_empty() => format!("used({})", budget(id.0)),
        Head::Budget(BudgetQuery::Limit, id) if term.parts.is_empty() => format!("limit({})", budget(id.0)),
        Head::Step => "step()".to_owned(),
        Head::Visits(node) => format!("visits({})", set.graph.graph[*node].name.value),
        Head::Const(constant) => literal(&constant.value),
        _ => match set.terms.path(id) {
            Some((root, fields)) => {
                let root = match root {
                    Head::Slot(slot) => set.graph.slots[slot.0 as usize].name.value.to_string(),
                    Head::Special(Special::Error) => "error".to_owned(),
                    Head::Special(Special::Outcome) => "outcome".to_owned(),
                    Head::Special(Special::Tools) => "tools".to_owned(),
                    _ => "result".to_owned(),
                };
                fields.iter().fold(root, |path, field| format!("{path}.{field}"))
            }
            None => format!("`{}`", written(sources, term.span)),
        },
    }
}

/// The text at a place, on one line.
fn written(sources: &Sources, span: Span) -> String {
    let text = sources.slice(span);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= MAX_SHOWN_TEXT { text } else { cut(&text, MAX_SHOWN_TEXT) }
}

/// The first characters of a text.
pub(super) fn cut(text: &str, most: usize) -> String {
    let cut: String = text.chars().take(most).collect();
    format!("{cut}…")
}
