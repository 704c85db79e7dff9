//! The plugin in a real Neovim, installed as `editors/README.md` says.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::loop_dsl::root;
use crate::parts::skip;

const GRAPH: &str =
    "graph g\nstart a\nbudget rounds = 3\nchoice a {\n  -> b when exhausted(round)\n  -> b\n}\nfinal b\n";

/// Compiles the parser and copies plugin and queries. False, if there is no compiler.
fn install(site: &Path) -> bool {
    for folder in ["plugin", "parser", "queries/loop"] {
        fs::create_dir_all(site.join(folder)).expect("a folder can be made");
    }
    let editors = root().join("editors");
    let copy = |from: &str, to: &str| {
        fs::copy(editors.join(from), site.join(to)).expect("a file can be copied");
    };
    copy("neovim/plugin/loopwright.lua", "plugin/loopwright.lua");
    copy("tree-sitter-loop/queries/highlights.scm", "queries/loop/highlights.scm");
    let source = editors.join("tree-sitter-loop/src");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-I"])
        .arg(&source)
        .args([source.join("parser.c"), source.join("scanner.c")])
        .arg("-o")
        .arg(site.join("parser/loop.so"))
        .status();
    compiled.is_ok_and(|status| status.success())
}

#[test]
fn neovim_highlights_graphs_and_starts_the_server() {
    if !Command::new("nvim").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skip("the plugin is not run in Neovim", "it is not installed; `.ci/editors` installs it");
    }
    let home = tempfile::tempdir().expect("a folder can be made");
    if !install(&home.path().join("data/nvim/site")) {
        return skip("the plugin is not run in Neovim", "there is no compiler for C");
    }
    fs::write(home.path().join("graph.loop"), GRAPH).expect("the graph can be written");
    let program = env!("CARGO_BIN_EXE_loopwright");
    let mut nvim = Command::new("nvim");
    nvim.args(["--headless", "-c"])
        .arg(format!("luafile {}", root().join("tests/editors/neovim.lua").display()));
    nvim.current_dir(home.path()).stdin(Stdio::null()).env("LOOPWRIGHT", program).env("HOME", home.path());
    for (name, folder) in
        [("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state")]
    {
        nvim.env(name, home.path().join(folder));
    }
    let output = nvim.output().expect("Neovim runs");
    // It prints messages on standard error, where lines end as on a terminal.
    let printed = String::from_utf8_lossy(&output.stderr).replace('\r', "");
    let budget = "line 5 there is no budget `round`";
    for line in ["type loop", "comments # %s", "highlighted true", "error false", budget] {
        assert!(printed.lines().any(|found| found.starts_with(line)), "{line} is not in\n{printed}");
    }
}
