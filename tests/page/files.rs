//! The files of the page: all that is there is served, and what they name is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ASSETS: &str = "crates/core/src/serve/web/page/assets";

/// The names of the modules.
fn modules() -> Vec<String> {
    let is_module = |name: &String| Path::new(name).extension().is_some_and(|ending| ending == "js");
    files().into_iter().filter(is_module).collect()
}

fn files() -> BTreeSet<String> {
    let entries = fs::read_dir(ASSETS).expect("the folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_file_is_served_and_no_other_is_named() {
    let table = fs::read_to_string("crates/core/src/serve/web/page/asset.rs").expect("the table");
    let served = table
        .lines()
        .filter_map(|line| Some(line.trim().strip_prefix('"')?.split_once("\": ")?.0.to_owned()));
    assert_eq!(served.collect::<BTreeSet<_>>(), files());
    for name in modules() {
        let text = fs::read_to_string(format!("{ASSETS}/{name}")).expect("a text");
        let imports = text.lines().filter_map(|line| line.split_once("from \"./")?.1.split_once('"'));
        for (import, _) in imports {
            assert!(files().contains(import), "{name} imports {import}");
        }
    }
}

/// What a stranger wrote becomes a text and nothing else.
#[test]
fn no_module_makes_elements_from_texts() {
    for name in modules() {
        let text = fs::read_to_string(format!("{ASSETS}/{name}")).expect("a text");
        for word in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
        {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}

/// A shortcut is in the table of the document.
#[test]
fn every_key_is_in_the_document() {
    let document = fs::read_to_string(super::DOCUMENT).expect("a text");
    let mut count = 0;
    for name in modules() {
        let text = fs::read_to_string(format!("{ASSETS}/{name}")).expect("a text");
        let keys = text.lines().filter_map(|line| line.trim().strip_prefix("shortcut(\""));
        for key in keys {
            let parts: Vec<_> = key.splitn(4, '"').collect();
            let row = format!("| `{}` | {} |", parts[0], parts[2]);
            assert!(document.contains(&row), "the document lacks {row}");
            count += 1;
        }
    }
    assert!(count > 5);
}
