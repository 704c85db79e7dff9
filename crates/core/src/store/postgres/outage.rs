//! Notes that a database is gone and waited for.

use std::sync::OnceLock;

/// Whoever hears of it, besides who reads the log.
static LISTENER: OnceLock<fn(&str)> = OnceLock::new();

/// Sets what is done with notes that a database is gone and waited for: work waits meanwhile, and a person wants to know why. Of
/// several the first stays.
pub fn hear_outages(listener: fn(&str)) {
    // Another one is there already.
    let _ = LISTENER.set(listener);
}

/// Notes that a database is gone.
pub(super) fn note(text: &str) {
    tracing::warn!("{text}");
    if let Some(listener) = LISTENER.get() {
        listener(text);
    }
}
