//! Checks of a file's text before YAML is read at all.

use super::MAX_BYTES;
use crate::diag::{Diagnostic, rule};
use crate::source::{FileId, Span};

/// Size and characters. `false`: there is no point in reading on.
pub(crate) fn check(text: &str, file: FileId, out: &mut Vec<Diagnostic>) -> bool {
    if text.len() > MAX_BYTES {
        let found = megabytes(text.len());
        let message = format!("the file is too large: {found}, at most {} are read", megabytes(MAX_BYTES));
        let help = "split it: types, lets, actions, budgets and texts can be in other files (`use`)";
        out.push(Diagnostic::error(rule::TOO_LARGE, Span::new(file, 0, 0), message).help(help));
        return false;
    }
    let Some((at, c)) = forbidden(text) else { return true };
    let span = Span::new(file, at, at + c.len_utf8());
    let finding = if c == '\r' {
        Diagnostic::error(rule::CONTROL_CHARACTER, span, "a carriage return without a line feed after it")
            .help("save the file with line endings LF or CRLF")
    } else {
        let message = format!("the character U+{:04X} is not allowed in a file", u32::from(c));
        Diagnostic::error(rule::CONTROL_CHARACTER, span, message)
            .help("remove it; inside double quotes it can be written as an escape, such as `\\u0007`")
    };
    out.push(finding);
    false
}

/// The first character that is neither text nor a usual line break.
fn forbidden(text: &str) -> Option<(usize, char)> {
    let bytes = text.as_bytes();
    let control = |i: usize, b: u8| match b {
        b'\t' | b'\n' => false,
        b'\r' => bytes.get(i + 1) != Some(&b'\n'),
        0x7F => true,
        // C1 controls, but for NEL, which is an odd line break.
        0xC2 => bytes.get(i + 1).is_some_and(|n| (0x80..0xA0).contains(n)),
        _ => b < 0x20,
    };
    let at = bytes.iter().enumerate().find(|&(i, &b)| control(i, b))?.0;
    text[at..].chars().next().map(|c| (at, c))
}

#[expect(clippy::cast_precision_loss, reason = "a size in a message, rounded to a tenth")]
fn megabytes(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
