//! References that are no names.

use super::item::{Item, Value};
use crate::diag::{Diagnostic, rule};
use crate::source::{FileId, Span};
use crate::syntax::names::{is_identifier, is_tool};

/// The first reference that is no name. Nothing can bear it, which `check` says. YAML holds it all the same, the loop DSL
/// cannot always.
pub(super) fn no_name(items: &[Item], file: FileId) -> Option<Diagnostic> {
    within(items, "", file)
}

/// The same of what is under a key.
fn within(items: &[Item], under: &str, file: FileId) -> Option<Diagnostic> {
    items.iter().find_map(|item| {
        let named = if item.key.is_empty() { under } else { &item.key };
        let word = match &item.value {
            Value::Word(word) if !fits(word, named) => Some(word),
            _ => None,
        };
        let key = (!item.key.is_empty() && !is_head(&item.key)).then_some(&item.key);
        let Some(name) = word.or(key) else { return within(item.children(), named, file) };
        let shown: String = name.chars().take(40).collect();
        let message = format!("`{shown}` is not a valid name");
        let found = Diagnostic::error(rule::INVALID_NAME, Span::new(file, item.start, item.end), message);
        Some(found.help("a name starts with a letter or `_` and has only letters, digits and `_`"))
    })
}

/// Returns true if a word can be the value of a key: a name, the name of a tool, or the meter that charges a budget.
fn fits(word: &str, key: &str) -> bool {
    match key {
        "tool" | "allow" | "offer" => is_tool(word),
        "charge" => word.split('.').all(is_identifier),
        _ => is_identifier(word),
    }
}

/// Returns true if a key is a name, with what some declarations have around it: `open Name`, `name(a, b)`.
fn is_head(key: &str) -> bool {
    is_identifier(key.strip_prefix("open ").unwrap_or(key)) || key.ends_with(')')
}
