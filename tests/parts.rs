//! External parts that some tests need: programs that are not on every machine.

use std::io::Write;

/// Says in a line that something is not tested here, and why. Where all parts are required, as in CI, that is a failure.
pub(crate) fn skip(what: &str, why: &str) {
    assert!(std::env::var_os("LOOPWRIGHT_REQUIRE").is_none(), "not tested: {what}: {why}");
    say(what, why);
}

/// The same for a part that is never required.
pub(crate) fn say(what: &str, why: &str) {
    // Past the test harness, which keeps what a test prints to itself as long as it passes.
    let _ = writeln!(std::io::stderr(), "skipped: {what}: {why}");
}
