//! Texts of strangers as people are shown them.
//!
//! The words of a graph, a model, a tool or a file name are shown, never obeyed: a sign that moves the cursor, colours what
//! follows, turns the line around or is not seen at all is written out.

use std::borrow::Cow;

/// Returns true if a character is not seen, or changes how others are seen. Blanks and control characters are none of these.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

/// Returns true if a character is not printed as it is: a terminal would obey it, break the line at it, or not show it.
pub(crate) fn is_obeyed(c: char) -> bool {
    match c {
        ' '..='~' => false,
        c => c.is_control() || is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FFF9}'..='\u{FFFB}'),
    }
}

/// The text on one line: what is not printed as it is, is written out as in `\u{1b}` and `\n`.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

/// The text with its lines and tabs.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_obeyed(c) && c != '\n' && c != '\t')
}

fn escaped(text: &str, odd: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&odd) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if odd(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The text with one sign for each of its characters, so that columns stay: pictures (`␛`) for control characters that have
/// one, `�` for all else that is not printed as it is. Lines and tabs stay; of the end of a line, `\n` alone.
pub(crate) fn in_place(text: &str) -> Cow<'_, str> {
    let odd = |c: char| is_obeyed(c) && c != '\n' && c != '\t';
    if !text.contains(odd) {
        return Cow::Borrowed(text);
    }
    let behind = text.chars().skip(1).chain(['\n']);
    let kept = text.chars().zip(behind).filter(|pair| *pair != ('\r', '\n'));
    kept.map(|(c, _)| if odd(c) { picture(c) } else { c }).collect::<String>().into()
}

fn picture(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::{in_place, is_obeyed, line, lines};

    #[test]
    fn what_is_obeyed_is_written_out() {
        let text = "a\tb\nc\rd\u{1b}[2J\u{7f}\u{85}\u{9b}m\u{2028}\u{202e}\u{200b}\u{e0041}é漢";
        let odd = r"c\rd\u{1b}[2J\u{7f}\u{85}\u{9b}m\u{2028}\u{202e}\u{200b}\u{e0041}é漢";
        assert_eq!(line(text), format!(r"a\tb\n{odd}"));
        assert_eq!(lines(text), format!("a\tb\n{odd}"));
        assert_eq!(lines(&line(text)), line(text), "what was written out stays as it is");
    }

    #[test]
    fn one_sign_stands_for_each_character() {
        let text: String =
            ('\0'..='\u{ff}').chain(['\u{2029}', '\u{2066}', '\u{e007f}', '\u{fffa}']).collect();
        let shown = in_place(&text);
        assert_eq!(shown.chars().count(), text.chars().count());
        assert!(!shown.chars().any(|c| is_obeyed(c) && c != '\n' && c != '\t'), "{shown}");
        assert_eq!(in_place("\u{1b}\u{7f}\u{9b}"), "␛␡\u{fffd}");
        assert_eq!(in_place("a\rb\r\nc\r"), "a␍b\nc");
    }
}
