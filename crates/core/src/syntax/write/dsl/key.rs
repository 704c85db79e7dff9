//! Keys and their values.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::super::code::{Code, CodeKind};
use super::super::item::{Comment, Item, Value};
use super::text::quoted;
use crate::syntax::print;

/// Keys whose text is a path.
const PATHS: &[&str] = &["graph", "graphs", "extends", "use", "file"];
/// Keys whose lists hold names.
const NAMES: &[&str] = &["allow", "offer", "options", "on", "open", "use", "graphs"];
/// Keys whose text may stand beside them.
const TEXTS: &[&str] = &["system", "prompt", "ask"];
/// Keys with values by name.
const FIELDS: &[&str] = &["args", "limits", "with"];
/// Keys with keys of their own.
const KEYED: &[&str] = &["retry", "pause", "ignore", "migrate"];
/// Keys with names by name.
const RENAMES: &[&str] = &["fields", "nodes", "budgets"];

/// Returns true if the value of this key is a text that stands here.
pub(super) fn is_text_here(item: &Item) -> bool {
    TEXTS.contains(&item.key.as_str()) && matches!(item.value, Value::Items(_))
}

/// A text that is filled in, or the file that holds it: `text '…'`, `file 'path'`.
pub(super) fn text_here(item: &Item, indent: usize) -> Option<String> {
    let [source] = item.children() else { return None };
    let Value::Text(text) = &source.value else { return None };
    Some(format!("{} {}", source.key, quoted(&text.text, '\'', indent)))
}

/// Returns true if the values of this key stand by name.
pub(super) fn is_fields(item: &Item) -> bool {
    FIELDS.contains(&item.key.as_str()) && matches!(item.value, Value::Items(_))
}

/// Returns true if the value of this key is names by name.
pub(super) fn is_renames(item: &Item) -> bool {
    let names = |items: &[Item]| items.iter().all(|item| matches!(item.value, Value::Word(_)));
    RENAMES.contains(&item.key.as_str()) && matches!(&item.value, Value::Items(items) if names(items))
}

/// Returns true if this key has keys of its own.
pub(super) fn is_keyed(item: &Item) -> bool {
    KEYED.contains(&item.key.as_str()) && matches!(item.value, Value::Items(_))
}

/// A value of the key `args`, `limits` or `with` that is one expression: a map stands in brackets, or it would be read as values by
/// name.
pub(super) fn whole(item: &Item) -> Option<Code> {
    let Value::Code(code) = &item.value else { return None };
    let map = FIELDS.contains(&item.key.as_str()) && code.text.trim_start().starts_with('{');
    map.then(|| Code::new(code.kind, format!("({})", code.text.trim())))
}

/// A value as code; lists and maps of expressions are written as one expression.
pub(super) fn code(value: &Value) -> Option<Cow<'_, Code>> {
    match value {
        Value::Code(code) => Some(Cow::Borrowed(code)),
        Value::Items(_) | Value::List(_) => {
            let mut text = String::new();
            expression(value, &mut text);
            Some(Cow::Owned(Code::new(CodeKind::Expr, text)))
        }
        _ => None,
    }
}

fn expression(value: &Value, out: &mut String) {
    match value {
        Value::Code(code) => out.push_str(&code.bare()),
        Value::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                expression(&item.value, out);
            }
            out.push(']');
        }
        Value::Items(items) => {
            out.push('{');
            for (i, item) in items.iter().enumerate() {
                let comma = if i > 0 { ", " } else { "" };
                let _ = write!(out, "{comma}{}: ", print::quoted(&item.key));
                expression(&item.value, out);
            }
            out.push('}');
        }
        Value::Nothing | Value::Word(_) | Value::Text(_) => {}
    }
}

/// A key and its value, if they can stand on one line.
pub(super) fn flat(item: &Item) -> Option<String> {
    let key = &item.key;
    if item.has_inner_comments() {
        return None;
    }
    let value = match &item.value {
        Value::Word(word) => name(key, word),
        Value::Text(text) => {
            let text = quoted(&text.text, quote(key), 0);
            (!text.contains('\n')).then_some(text)?
        }
        Value::List(items) if NAMES.contains(&key.as_str()) => list(key, items)?,
        // A graph has lines of its own.
        Value::Items(_) if item.is_graph => return None,
        Value::Items(items) if key == "graphs" => {
            in_braces(&items.iter().map(candidate).collect::<Option<Vec<_>>>()?)
        }
        Value::Items(items) if is_fields(item) => {
            let fields: Option<Vec<_>> = items.iter().map(field).collect();
            in_braces(&fields?)
        }
        Value::Items(items) if is_renames(item) => {
            in_braces(&items.iter().map(rename).collect::<Option<Vec<_>>>()?)
        }
        Value::Items(items) if is_keyed(item) => {
            let keys: Option<Vec<_>> = items.iter().map(flat).collect();
            in_braces(&keys?)
        }
        Value::Items(items) if key == "start" => start(items)?,
        Value::Items(_) if is_text_here(item) => text_here(item, 0).filter(|text| !text.contains('\n'))?,
        Value::Code(_) if matches!(key.as_str(), "then" | "do") => super::braces(&item.value)?,
        value => match whole(item) {
            Some(whole) => whole.flat()?,
            None => code(value)?.flat()?,
        },
    };
    Some(format!("{key} {value}"))
}

/// `[a, b]`.
pub(super) fn list(key: &str, items: &[Item]) -> Option<String> {
    let items: Option<Vec<_>> = items
        .iter()
        .map(|item| match &item.value {
            Value::Word(word) => Some(name(key, word)),
            Value::Text(text) => Some(quoted(&text.text, quote(key), 0)),
            Value::Code(code) => code.flat(),
            _ => None,
        })
        .collect();
    Some(format!("[{}]", items?.join(", ")))
}

/// Rules with the reasons for which they are ignored.
pub(super) fn reasons(items: &[Item]) -> Option<Vec<String>> {
    let reason = |item: &Item| match &item.value {
        Value::Text(text) => Some(format!("{} {}", item.key, print::quoted_in(&text.text, '"'))),
        _ => None,
    };
    items.iter().map(reason).collect()
}

/// `{ a, b }`.
pub(super) fn in_braces(parts: &[String]) -> String {
    if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) }
}

/// `name: value`.
pub(super) fn field(item: &Item) -> Option<String> {
    Some(format!("{}: {}", item.key, code(&item.value)?.flat()?))
}

/// `before: now`.
pub(super) fn rename(item: &Item) -> Option<String> {
    let Value::Word(now) = &item.value else { return None };
    Some(format!("{}: {now}", item.key))
}

/// `name: 'path'`; a graph in place has lines of its own.
pub(super) fn candidate(item: &Item) -> Option<String> {
    let Value::Text(path) = &item.value else { return None };
    Some(format!("{}: {}", item.key, quoted(&path.text, '\'', 0)))
}

/// `node "label"`.
pub(super) fn start(items: &[Item]) -> Option<String> {
    let mut out = String::new();
    for item in items {
        match &item.value {
            Value::Word(word) => out.insert_str(0, word),
            Value::Text(text) => {
                out.push(' ');
                out.push_str(&print::quoted_in(&text.text, '"'));
            }
            _ => return None,
        }
    }
    Some(out)
}

/// A name; one with signs that mean something else stands in quotes.
fn name(key: &str, word: &str) -> String {
    let tool = matches!(key, "tool" | "allow" | "offer");
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let letter = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let whole = if tool { word.split(['.', '-', '/', ':']).all(plain) } else { word.split('.').all(plain) };
    if letter && whole { word.to_owned() } else { print::quoted(word) }
}

/// The quotes of a key's text: texts for people stand in double ones.
pub(super) fn quote(key: &str) -> char {
    if PATHS.contains(&key) { '\'' } else { '"' }
}

/// Returns true if a key stands on a line with others: it is short, and its value is a name, a type or a place.
pub(super) fn is_short(item: &Item) -> bool {
    let short = match &item.value {
        Value::Word(_) => true,
        Value::Code(code) => code.kind == CodeKind::Type || item.key == "into",
        _ => false,
    };
    short && !item.has_comments()
}

/// Returns true if the value of a key is a list of names, not an expression.
pub(super) fn is_list(key: &str) -> bool {
    NAMES.contains(&key)
}

/// The comments at an item and in it, for places where they cannot be beside it.
pub(super) fn around(item: &Item) -> Vec<Comment> {
    let mut found = item.before.clone();
    found.extend(item.inner_comments());
    found.extend(item.beside.iter().map(|text| Comment { text: text.clone(), blank: false }));
    found.extend(item.after.iter().cloned());
    found
}
