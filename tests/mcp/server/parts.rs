//! The programs of others that drive our server: installed by `.ci/mcp`, or named by variables.

use std::path::PathBuf;

/// A part at the path in a variable of the environment, or below the folder of `.ci/mcp`.
fn part(variable: &str, below: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let installed = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/tmp/mcp").join(below);
    named.or(Some(installed)).filter(|path| path.exists())
}

/// Node, 20 or later, and a script of a package; none is reported aloud.
pub(super) fn script(what: &str, variable: &str, package: &str) -> Option<(PathBuf, PathBuf)> {
    let node = part("LOOPWRIGHT_MCP_NODE", "node").or_else(|| part("LOOPWRIGHT_MCP_NODE", "bin/node"));
    let script = part(variable, &format!("node_modules/{package}"));
    let found = node.zip(script);
    if found.is_none() {
        println!("skipped: {what}: it is not installed; `.ci/mcp` installs it");
    }
    found
}
