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
