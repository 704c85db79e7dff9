//! Texts in quotes.

use crate::syntax::print::quoted_in;

/// A text in quotes of that kind where they need no escape. Several lines stand between three quotes, further ones
/// indented by `indent` blanks and two more.
pub(super) fn quoted(text: &str, quote: char, indent: usize) -> String {
    block(text, indent).unwrap_or_else(|| quoted_in(text, quote))
}

fn block(text: &str, indent: usize) -> Option<String> {
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    let plain = !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    let flush = filled().any(|line| !line.starts_with([' ', '\t']));
    if !text.contains('\n') || !plain || !flush {
        return None;
    }
    let last = text.rsplit('\n').next().unwrap_or_default();
    let quotes = ["'''", "\"\"\""].into_iter().find(|q| !text.contains(q) && !last.ends_with(&q[..1]))?;
    // The reader leaves out a last line of blanks.
    if !last.is_empty() && last.trim().is_empty() {
        return None;
    }
    let margin = " ".repeat(indent + 2);
    let raw = if text.contains('\\') { "r" } else { "" };
    let mut out = format!("{raw}{quotes}\n");
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if !line.is_empty() {
            out.push_str(&margin);
            out.push_str(line);
        }
        out.push('\n');
    }
    if last.is_empty() {
        out.push_str(&" ".repeat(indent));
    } else {
        out.pop();
    }
    out.push_str(quotes);
    Some(out)
}
