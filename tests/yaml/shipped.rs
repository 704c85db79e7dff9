//! The files that are shipped, against another parser.

use std::fs;
use std::path::{Path, PathBuf};

use loopwright::scenario::json;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

#[test]
fn both_parsers_read_every_shipped_file_to_the_same_json() {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs"), &mut found);
    for path in &found {
        let text = fs::read_to_string(path).expect("the file can be read");
        let theirs: serde_json::Value = serde_yaml::from_str(&text).expect("the file is YAML");
        let (ours, out) = json(&text);
        assert!(out.is_empty(), "{}: {out:?}", path.display());
        assert_eq!(ours, theirs, "{}", path.display());
    }
    assert!(found.len() >= 25, "{} files", found.len());
}
