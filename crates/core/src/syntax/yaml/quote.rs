//! The quoted form of a value, for hints.

/// The longest text that a hint repeats, in characters.
const MAX_HINT_CHARS: usize = 160;

/// `text` as a YAML scalar in quotes: the kind of quotes that needs no escape, if there is one. A very long
/// text is cut: it is for a hint.
pub(crate) fn quoted(text: &str) -> String {
    if text.chars().nth(MAX_HINT_CHARS).is_some() {
        let start: String = text.chars().take(MAX_HINT_CHARS - 1).collect();
        return quoted(&format!("{start}…"));
    }
    if !text.contains('\'') {
        format!("'{text}'")
    } else if !text.contains(['"', '\\']) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// The text that the author probably meant as one value, from byte `start` of the file on: the rest of the line, and
/// inside `{}` or `[]` only up to the comma or bracket that ends the value.
pub(crate) fn intended(file: &str, start: usize, in_flow: bool) -> &str {
    let rest = file.get(start..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    let mut depth = Depth::default();
    for (i, c) in line.char_indices() {
        let ends = in_flow && depth.is_outside() && matches!(c, ',' | '}' | ']');
        let comment = c == '#' && depth.quote.is_none() && line[..i].ends_with([' ', '\t']);
        if ends || comment {
            return line[..i].trim_end();
        }
        depth.step(c);
    }
    line.trim_end()
}

/// Returns true if brackets or quotes opened in `text` are not closed in it.
pub(crate) fn is_open(text: &str) -> bool {
    let mut depth = Depth::default();
    text.chars().for_each(|c| depth.step(c));
    depth.quote.is_some() || depth.brackets > 0
}

/// Returns true if a quote opened in `text` is not closed in it.
pub(crate) fn has_open_quote(text: &str) -> bool {
    let mut depth = Depth::default();
    text.chars().for_each(|c| depth.step(c));
    depth.quote.is_some()
}

/// The state of a scan of an expression: inside brackets, inside quotes.
#[derive(Default)]
struct Depth {
    brackets: i32,
    quote: Option<char>,
    escaped: bool,
}

impl Depth {
    fn is_outside(&self) -> bool {
        self.brackets <= 0 && self.quote.is_none()
    }

    fn step(&mut self, c: char) {
        if std::mem::take(&mut self.escaped) {
            return;
        }
        match (self.quote, c) {
            (Some(_), '\\') => self.escaped = true,
            (Some(open), _) if open == c => self.quote = None,
            (None, '\'' | '"') => self.quote = Some(c),
            (None, '(' | '[' | '{') => self.brackets += 1,
            (None, ')' | ']' | '}') => self.brackets -= 1,
            _ => {}
        }
    }
}
