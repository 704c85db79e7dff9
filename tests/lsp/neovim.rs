//! A real client: Neovim without a screen.

use std::process::{Command, Stdio};

use super::client::EditedFolder;
use crate::parts;

fn seen(folder: &str, file: &str) -> Option<String> {
    if Command::new("nvim").arg("--version").stdout(Stdio::null()).status().is_err() {
        parts::skip("the language server in Neovim", "there is no `nvim`");
        return None;
    }
    let folder = EditedFolder::of(&[folder]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lsp/neovim.lua");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-c", &format!("luafile {script}")])
        .current_dir(folder.path(""))
        .env("PROGRAM", env!("CARGO_BIN_EXE_loopwright"))
        .env("GRAPH", file)
        .env("XDG_STATE_HOME", folder.path(".state"))
        .env("XDG_CACHE_HOME", folder.path(".state"))
        .stdin(Stdio::null())
        .output()
        .expect("nvim runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

#[test]
fn a_graph_in_yaml_is_edited() {
    if let Some(text) = seen("graphs/tour", "01-first-loop.yaml") {
        insta::assert_snapshot!("neovim_yaml", text);
    }
}

#[test]
fn a_graph_in_the_loop_language_is_edited() {
    if let Some(text) = seen("tests/loop/tour", "01-first-loop.loop") {
        insta::assert_snapshot!("neovim_loop", text);
    }
}
