//! The page about traces: its commands are run, each with the program it is for.

use crate::models::page::{Desk, compare, program_on_path};

/// Runs the commands of one kind. The program is on the path, since another one starts it, too.
fn check(kind: &'static str) {
    let (_bin, path) = program_on_path();
    // No server of the page has a port of its own.
    compare(Desk::new(kind, "no port", vec![("PATH", path)]), "docs/traces.md");
}

#[cfg(feature = "otel")]
#[test]
fn commands_that_send_traces_do_what_the_page_shows() {
    let mut node = std::process::Command::new("node");
    if !node.arg("--version").output().is_ok_and(|output| output.status.success()) {
        return crate::parts::skip("the page about traces", "there is no Node here");
    }
    check("otel");
}

#[cfg(not(feature = "otel"))]
#[test]
fn commands_that_cannot_send_traces_do_what_the_page_shows() {
    check("without");
}
