//! A value that YAML cut in two: inside `{}` and `[]` a comma ends a plain value, even between brackets of its own.

use super::MAX_FINDINGS;
use super::node::{Entry, Node, NodeKind};
use super::quote::{has_open_quote, is_open, quoted};
use super::scalar::{Scalar, Style};
use crate::diag::{Diagnostic, rule};
use crate::source::Span;

/// Puts the pieces of values together again, in a list in brackets. The whole is reported and marked refused.
pub(super) fn mend_list(file: &str, items: &mut Vec<Node<'_>>, out: &mut Vec<Diagnostic>) {
    let mut i = 0;
    while i < items.len() && out.len() < MAX_FINDINGS {
        if let Some(start) = items[i].scalar().and_then(opens) {
            let ends = items[i + 1..].iter().map(|n| n.span.end);
            if let Some((n, whole)) = closing(file, start, ends) {
                report(file, whole, out);
                items.drain(i + 1..i + 2 + n);
                items[i].kind = NodeKind::Refused;
            }
        }
        i += 1;
    }
}

/// The same in a mapping in braces: the pieces came out as keys without a value.
pub(super) fn mend_mapping(file: &str, entries: &mut Vec<Entry<'_>>, out: &mut Vec<Diagnostic>) {
    let mut i = 0;
    while i < entries.len() && out.len() < MAX_FINDINGS {
        let entry = &entries[i];
        let key = if entry.value.is_empty() { opens(&entry.key) } else { None };
        if let Some(start) = key.or_else(|| entry.value.scalar().and_then(opens)) {
            // A split key continues to the key of the piece that closes it, a split value to that piece's end.
            let ends = entries[i + 1..].iter().map(|e| e.key.span.end);
            if let Some((n, whole)) = closing(file, start, ends) {
                report(file, whole, out);
                entries.drain(i + 1..i + 2 + n);
                entries[i].value.kind = NodeKind::Refused;
                if key.is_some() {
                    entries.remove(i);
                    continue;
                }
            }
        }
        i += 1;
    }
}

/// The start of a plain scalar whose brackets or quotes stay open.
fn opens(scalar: &Scalar<'_>) -> Option<Span> {
    let code = scalar.text.contains('(') && is_open(&scalar.text) || opens_text(&scalar.text);
    (scalar.style == Style::Plain && code).then_some(scalar.span)
}

/// Returns true if a quote is open that starts a text: `a == 'x`, but not the apostrophe of `it's`.
fn opens_text(text: &str) -> bool {
    let start = text.rfind(['\'', '"']).unwrap_or(0);
    start > 0 && has_open_quote(text) && !text[..start].ends_with(char::is_alphanumeric)
}

/// Finds the piece that closes what `start` opened, and the place of the whole.
fn closing(file: &str, start: Span, ends: impl Iterator<Item = u32>) -> Option<(usize, Span)> {
    // Sixteen pieces are enough for any call, and keep hostile input from costing its square.
    for (n, end) in ends.enumerate().take(16) {
        let text = file.get(start.start as usize..end as usize)?;
        if !is_open(text) {
            return Some((n, Span { end, ..start }));
        }
    }
    None
}

fn report(file: &str, whole: Span, out: &mut Vec<Diagnostic>) {
    let text = file.get(whole.start as usize..whole.end as usize).unwrap_or_default();
    let found = Diagnostic::error(rule::YAML_SPLIT_VALUE, whole, "YAML cuts this value in two at its comma")
        .help(format!("inside {{}} and [] a value with a comma needs quotes: {}", quoted(text)));
    out.push(found);
}
