//! Short and long forms of a test.

/// Returns true if the long forms are to run.
pub(crate) fn is_long() -> bool {
    std::env::var_os("LOOPWRIGHT_LONG").is_some()
}
