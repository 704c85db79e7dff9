//! Words of others in messages.

/// The innermost error: it says what happened; the outer ones only where.
pub(super) fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
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
