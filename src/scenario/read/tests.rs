//! The files that are shipped, against another parser.

#![expect(clippy::disallowed_methods, reason = "the shipped files are read from disk")]

use std::fs;
use std::path::{Path, PathBuf};

use super::Reader;
use crate::source::FileId;
use crate::syntax::yaml;

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
        let mut out = Vec::new();
        let document = yaml::parse(&text, FileId(0), &mut out);
        let root = document.root.expect("the file holds something");
        let mut reader = Reader { text: &text, file: FileId(0), broken: false, next: 0, out: &mut out };
        let ours = reader.value(&root).to_json();
        assert!(out.is_empty(), "{}: {out:?}", path.display());
        assert_eq!(ours, theirs, "{}", path.display());
    }
    assert!(found.len() >= 25, "{} files", found.len());
}
