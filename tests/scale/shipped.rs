//! The scenario files of the shipped graphs.

use std::fs;
use std::path::{Path, PathBuf};

use loopwright::model::{LoadError, Loader, beside};

/// Reads files under the repository; names are relative to it.
pub(crate) struct Disk;

impl Loader for Disk {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let name = beside(from, path);
        let text = fs::read_to_string(root().join(&name)).map_err(|_| "there is no such file".to_owned())?;
        Ok((name, text))
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The names of all scenario files, in order.
pub(crate) fn shipped() -> Vec<String> {
    fn collect(folder: &Path, out: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("the folder is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, out);
            } else if path.to_string_lossy().ends_with(".scenarios.yaml") {
                let name = path.strip_prefix(root()).expect("it lies in the repository");
                out.push(name.to_string_lossy().into_owned());
            }
        }
    }
    let mut found = Vec::new();
    collect(&root().join("graphs"), &mut found);
    found.sort();
    found
}
