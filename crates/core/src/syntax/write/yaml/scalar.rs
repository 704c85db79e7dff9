//! Scalars: plain where YAML reads them as they stand, in quotes where it would not, as a block for several lines.

use std::fmt::Write as _;

use crate::source::is_hidden;

/// The use of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A name, a word or code: read by our own rules, whatever other programs take it for.
    Name,
    /// A text, which other programs should take for one.
    Text,
}

/// A scalar on one line; `flow`: inside of brackets.
pub(super) fn inline(text: &str, meaning: Meaning, flow: bool) -> String {
    let other = meaning == Meaning::Text && is_other(text);
    if is_plain(text, flow) && !other {
        return text.to_owned();
    }
    let odd = text.chars().any(is_odd);
    if !odd && text.contains(['"', '\\']) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_odd(c) && c <= '\u{ffff}' => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c if is_odd(c) => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Characters that stand in a scalar only as escapes: control characters, and those that are not seen.
fn is_odd(c: char) -> bool {
    c.is_control() || is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns true if YAML reads a text that stands without quotes as that text.
fn is_plain(text: &str, flow: bool) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let second = text[first.len_utf8()..].chars().next();
    let starts = match first {
        '-' => second.is_some_and(|c| !c.is_whitespace() && c != '-'),
        '?' | ':' | ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
        | '@' | '`' | '.' => false,
        _ => true,
    };
    let blanks = text.trim() != text;
    let cut = text.contains(": ") || text.ends_with(':') || text.contains(" #") || text.contains("\t#");
    let inside = flow && text.contains(['[', ']', '{', '}', ',']);
    let colon = flow && text.contains(':');
    starts && !blanks && !cut && !inside && !colon && text != "~" && text != "<<" && !text.chars().any(is_odd)
}

/// Returns true if a program may take a text for something else: a number, a flag, nothing.
fn is_other(text: &str) -> bool {
    let word = text.to_ascii_lowercase();
    let flag = matches!(
        word.as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "null" | "~" | ".nan" | ".inf" | "="
    );
    // A date, a time, a number of whatever base.
    let digits = text.contains(|c: char| c.is_ascii_digit());
    flag || digits && text.chars().all(|c| c.is_ascii_hexdigit() || "+-._:xoTZ ".contains(c))
}

/// A text of several lines: the sign of its block, and the lines.
pub(super) fn block(text: &str) -> Option<(&'static str, Vec<String>)> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let odd = body.chars().any(|c| is_odd(c) && !matches!(c, '\n' | '\t'));
    let first = body.split('\n').find(|line| !line.is_empty())?;
    let last = body.rsplit('\n').next().unwrap_or_default();
    // A first line that starts with a blank would be taken for indentation.
    let blanks = first.starts_with([' ', '\t']) || last.trim().is_empty();
    if !text.contains('\n') || odd || blanks {
        return None;
    }
    let sign = if text.ends_with('\n') { "|" } else { "|-" };
    Some((sign, body.split('\n').map(str::to_owned).collect()))
}

/// A text whose lines are filled up to `room` characters: the sign of its block, and the lines.
pub(super) fn folded(text: &str, room: usize) -> Option<(&'static str, Vec<String>)> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let odd = body.chars().any(|c| is_odd(c) && c != '\n');
    let fits = |line: &str| line.trim() == line && !line.contains("  ");
    if odd || body.is_empty() || body.ends_with('\n') || body.starts_with('\n') || !body.split('\n').all(fits)
    {
        return None;
    }
    let mut lines = Vec::new();
    for (i, paragraph) in body.split('\n').enumerate() {
        if i > 0 {
            lines.push(String::new());
        }
        fill(paragraph, room, &mut lines);
    }
    Some((if text.ends_with('\n') { ">" } else { ">-" }, lines))
}

fn fill(paragraph: &str, room: usize, lines: &mut Vec<String>) {
    let mut line = String::new();
    for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
}
