//! The page in a real browser: what people do on it, and whether everybody can.

mod files;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::parts;

/// The folder with what drives a browser, below the target folder; `.ci/chromium` installs it.
fn modules() -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("chromium")
}

#[test]
fn people_find_their_way_on_the_page() {
    let modules = modules();
    if !modules.join("installed").exists() {
        return parts::skip("the page in a browser", "`.ci/chromium` was not run");
    }
    let desk = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir("tests/page/desk").expect("the folder") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, desk.path().join(path.file_name().expect("a name"))).expect("it is copied");
    }
    let mut node = Command::new("node");
    node.arg("tests/page/journeys.mjs").arg(env!("CARGO_BIN_EXE_loopwright")).arg(desk.path()).arg(&modules);
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        node.arg("docs/pictures/page");
    }
    let ran = node.output().expect("Node runs");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{out}{err}");
}
