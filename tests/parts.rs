//! External parts that some tests need, programs that are not on every machine; and the folders of the code.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folders with the code of the packages: the command line with the list of names, and all that they stand on.
pub(crate) fn code() -> [PathBuf; 2] {
    [at("src"), core()]
}

/// The folder with the code of the inner package.
pub(crate) fn core() -> PathBuf {
    at("crates/core/src")
}

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

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
