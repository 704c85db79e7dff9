//! A stranger's folder as a clone leaves it: the files of `folders/NAME`, with the links that its `LINKS` lists.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A clone, and a folder of the operator beside it.
pub(super) struct Clone {
    pub(super) folder: PathBuf,
}

impl Clone {
    /// Lays a folder out below `base`; `words` are put in place of `@NAME@` in its files.
    pub(super) fn new(base: &Path, name: &str, words: &[(&str, &str)]) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/strangers_folder/folders").join(name);
        let folder = base.join("clone");
        fs::create_dir_all(folder.join(".git")).expect("a folder can be made");
        let filled = |text: String| words.iter().fold(text, |text, (name, word)| text.replace(name, word));
        for entry in fs::read_dir(source).expect("the folder can be listed").flatten() {
            let text = filled(fs::read_to_string(entry.path()).expect("a file can be read"));
            let target = folder.join(entry.file_name());
            if entry.file_name() == "LINKS" {
                text.lines().for_each(|line| link(&folder, line));
            } else {
                fs::write(&target, text).expect("a file can be written");
                let mode = entry.metadata().expect("a file has a mode").permissions();
                fs::set_permissions(&target, mode).expect("a mode can be set");
            }
        }
        Self { folder }
    }

    /// Its graphs, and what looks like one, by name.
    pub(super) fn graphs(&self) -> Vec<String> {
        self.names(|name| {
            ["yaml", "loop"].iter().any(|end| Path::new(name).extension().is_some_and(|own| own == *end))
                && !name.ends_with(".scenarios.yaml")
                && !name.ends_with(".script.yaml")
        })
    }

    /// Its scenario files, by name.
    pub(super) fn scenarios(&self) -> Vec<String> {
        self.names(|name| name.ends_with(".scenarios.yaml"))
    }

    fn names(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).expect("the folder can be listed").flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| wanted(name))
            .collect();
        names.sort();
        names
    }
}

fn link(folder: &Path, line: &str) {
    let (name, target) = line.split_once(" -> ").expect("a line of LINKS is NAME -> TARGET");
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
    symlink(target, path).expect("a link can be made");
}
