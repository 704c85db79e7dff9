//! Texts of servers, bounded.

/// The longest message of a server that is handed on, in bytes.
pub(super) const MAX_MESSAGE: usize = 4 << 10;

/// A text up to so many bytes, with a mark where it was cut.
pub(super) fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(max)])
}

/// An error with its causes in one line: the outer ones say where, the inner ones what happened.
pub(super) fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut texts = vec![error.to_string()];
    let mut cause = error;
    while let Some(next) = cause.source() {
        let text = next.to_string();
        if !texts.iter().any(|own| own.contains(&text)) {
            texts.push(text);
        }
        cause = next;
    }
    texts.join(": ")
}
