//! The page about traces: its commands are run, each with the program it is for.

use std::env::{join_paths, split_paths, var_os};
use std::os::unix::fs::symlink;

use crate::models::page::{Desk, compare};

/// Runs the commands of one kind. The program is on the path, since another one starts it, too.
fn check(kind: &'static str) {
    let bin = tempfile::tempdir().expect("a folder can be made");
    symlink(env!("CARGO_BIN_EXE_loopwright"), bin.path().join("loopwright")).expect("a link can be made");
    let path = var_os("PATH").unwrap_or_default();
    let path = join_paths([bin.path().to_owned()].into_iter().chain(split_paths(&path))).expect("a path");
    // No server of the page has a port of its own.
    compare(Desk::new(kind, "no port", vec![("PATH", path.into())]), "docs/traces.md");
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
