//! Texts as columns have them: Postgres stores no character 0 in a text.

use std::borrow::Cow;

use crate::value::Str;

/// A text as a column has it: `\0` for the character 0, `\\` for the character before it.
pub(super) fn column(text: &str) -> Cow<'_, str> {
    if text.contains(['\0', '\\']) {
        text.replace('\\', "\\\\").replace('\0', "\\0").into()
    } else {
        text.into()
    }
}

/// The text of a column. What was never written gives some text, and its sum is wrong.
pub(super) fn read(column: &str) -> Str {
    if !column.contains('\\') {
        return column.into();
    }
    let mut text = String::with_capacity(column.len());
    let mut rest = column.chars();
    while let Some(c) = rest.next() {
        text.push(match c {
            '\\' => match rest.next() {
                Some('0') => '\0',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::{column, read};

    #[test]
    fn every_text_is_read_back() {
        for text in ["", "a", "a\0", "\0\0b", "\\", "\\0", "a\\\0\\", "é\u{202e}"] {
            assert!(!column(text).contains('\0'));
            assert_eq!(read(&column(text)), text);
        }
    }
}
