//! Changes of the text with the places that an editor knows.

use super::name_index::FileBytes;
use crate::diag::{EditKind, SuggestedEdit, Suggestion};
use crate::source::Sources;
use crate::syntax::Syntax;

/// A change with the bytes that it replaces.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PlacedSuggestion {
    pub(super) title: String,
    pub(super) edits: Vec<(FileBytes, String)>,
}

impl PlacedSuggestion {
    pub(super) fn of(suggestion: &Suggestion, sources: &Sources) -> Self {
        let edits = suggestion.edits.iter().map(|edit| placed(edit, sources)).collect();
        Self { title: suggestion.title.clone(), edits }
    }
}

/// The bytes that an edit replaces, and the new text.
fn placed(edit: &SuggestedEdit, sources: &Sources) -> (FileBytes, String) {
    let file = sources.name(edit.span.file);
    let text = sources.text(edit.span.file);
    let (start, end) = (edit.span.start as usize, (edit.span.end as usize).min(text.len()));
    let around = ItemLine::at(text, start, Syntax::of(file));
    let (start, end, new) = match edit.kind {
        EditKind::Text => (start, end, edit.text.clone()),
        EditKind::After => (end, end, edit.text.clone()),
        EditKind::Name => {
            let quoted = text.get(start..end).filter(|old| {
                old.len() > 1 && old.starts_with(['"', '\'']) && old.chars().next() == old.chars().next_back()
            });
            let inner = usize::from(quoted.is_some());
            (start + inner, end - inner, edit.text.clone())
        }
        EditKind::NextItem => {
            let end = start + text.get(start..end).unwrap_or_default().trim_end().len();
            let new = if around.in_brackets {
                format!(", {}", edit.text)
            } else {
                format!("\n{}{}", around.prefix, edit.text)
            };
            (end, end, new)
        }
        EditKind::PreviousItem if around.in_brackets => (start, start, format!("{}, ", edit.text)),
        EditKind::PreviousItem => (around.start, around.start, format!("{}{}\n", around.prefix, edit.text)),
        EditKind::FirstStatement => first_statement(text, (start, end), &around, &edit.text),
    };
    (FileBytes { file: file.to_owned(), start, end }, new)
}

/// The place of a statement in an edge or a node that has none.
fn first_statement(
    text: &str,
    (start, end): (usize, usize),
    around: &ItemLine,
    new: &str,
) -> (usize, usize, String) {
    let whole = text.get(start..end).unwrap_or_default().trim_end();
    let end = start + whole.len();
    let is_edge = !whole.contains('\n') && (around.is_item || whole.starts_with("->"));
    match around.syntax {
        Syntax::Loop if is_edge => (end, end, format!(" do {{ {new} }}")),
        Syntax::Yaml if is_edge && whole.ends_with('}') => (end - 1, end - 1, format!(", do: {new}")),
        Syntax::Yaml if is_edge && whole.contains(':') => {
            (end, end, format!("\n{}  do: {new}", around.blanks()))
        }
        Syntax::Yaml if is_edge => (start, end, format!("{{to: {whole}, do: {new}}}")),
        syntax => {
            // A node: its first key or edge is on the line after its head.
            let at = text[start..end].find('\n').map_or(end, |at| start + at + 1);
            let rest = &text[at..end];
            let inner = &rest[..rest.len() - rest.trim_start().len()];
            let key = if syntax == Syntax::Yaml { "do: " } else { "" };
            (at, at, format!("{inner}{key}{new}\n"))
        }
    }
}

/// The line in which an item begins.
struct ItemLine {
    /// The first byte of the line.
    start: usize,
    /// The blanks before the item, with the dash of an item of a list.
    prefix: String,
    is_item: bool,
    /// The item is in brackets that were opened on this line.
    in_brackets: bool,
    syntax: Syntax,
}

impl ItemLine {
    fn at(text: &str, at: usize, syntax: Syntax) -> Self {
        let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let before = text.get(start..at).unwrap_or_default();
        let dash = if syntax == Syntax::Yaml { &[' ', '-'][..] } else { &[' ', '\t'][..] };
        let prefix = &before[..before.len() - before.trim_start_matches(dash).len()];
        let own = &before[prefix.len()..];
        let open = |open: char, close: char| own.matches(open).count() > own.matches(close).count();
        Self {
            start,
            prefix: prefix.to_owned(),
            is_item: prefix.contains('-') || syntax == Syntax::Yaml && own.ends_with("next: "),
            in_brackets: open('{', '}') || open('[', ']'),
            syntax,
        }
    }

    fn blanks(&self) -> String {
        " ".repeat(self.prefix.len().saturating_sub(2))
    }
}
