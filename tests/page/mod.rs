//! The page in a real browser: what people do on it, and whether everybody can.

mod files;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::documents::similar_asserts;
use crate::parts;

/// The document of the page.
pub(crate) const DOCUMENT: &str = "docs/page.md";

/// Held by whoever reads the document to write it.
pub(crate) static DOCUMENT_IN_USE: Mutex<()> = Mutex::new(());

/// The lines of the document around the counts of keystrokes.
const COUNTS: (&str, &str) = ("<!-- keystrokes -->\n", "<!-- /keystrokes -->");

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
    if updates() {
        node.arg("docs/pictures/page");
    }
    let ran = node.output().expect("Node runs");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{out}{err}");
    compare_counts(&out);
}

fn updates() -> bool {
    std::env::var_os("LOOPWRIGHT_UPDATE").is_some()
}

/// Holds the counts in the document to those that were counted.
fn compare_counts(out: &str) {
    let mut table = "| task | keys |\n|---|---|\n".to_owned();
    for line in out.lines().filter_map(|line| line.strip_prefix("keystrokes | ")) {
        let _ = writeln!(table, "| {line} |");
    }
    let _own = DOCUMENT_IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = fs::read_to_string(DOCUMENT).expect("the document can be read");
    let (before, rest) = text.split_once(COUNTS.0).expect("the table begins");
    let (_, after) = rest.split_once(COUNTS.1).expect("the table ends");
    let real = format!("{before}{}\n{table}\n{}{after}", COUNTS.0, COUNTS.1);
    if updates() {
        fs::write(DOCUMENT, real).expect("the document can be written");
    } else {
        similar_asserts(Path::new(DOCUMENT), &text, &real);
    }
}

/// The pictures are those that the document shows, and none is large.
#[test]
fn pictures_of_the_page_are_few_and_small() {
    let text = fs::read_to_string(DOCUMENT).expect("the document can be read");
    let pictures = fs::read_dir("docs/pictures/page").expect("the folder");
    let mut count = 0;
    for entry in pictures.map(|entry| entry.expect("an entry")) {
        let (name, size) =
            (entry.file_name().to_string_lossy().into_owned(), entry.metadata().expect("a size").len());
        assert!(text.contains(&format!("pictures/page/{name}")), "{name} is shown nowhere");
        assert!(size < 150_000, "{name} has {size} bytes");
        count += 1;
    }
    assert!(count <= 10, "there are {count} pictures");
}
