//! Names of files as a server shows them.

use std::env;
use std::path::{Component, Path, PathBuf};

/// Names of files from a folder that holds them all, without `..` and without the way to it.
pub(super) struct PortableNames {
    base: PathBuf,
}

impl PortableNames {
    pub(super) fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let here = env::current_dir().unwrap_or_default();
        let folders: Vec<PathBuf> = names
            .map(|name| clean(&here.join(name)).parent().map(Path::to_owned).unwrap_or_default())
            .collect();
        if folders.iter().all(|folder| folder.starts_with(&here)) {
            return Self { base: here };
        }
        let mut base = folders.first().cloned().unwrap_or_default();
        while !folders.iter().all(|folder| folder.starts_with(&base)) && base.pop() {}
        Self { base }
    }

    pub(super) fn portable(&self, name: &str) -> String {
        let here = env::current_dir().unwrap_or_default();
        let path = clean(&here.join(name));
        path.strip_prefix(&self.base).unwrap_or(&path).to_string_lossy().into_owned()
    }
}

/// A path from the root of the disk, without `.` and `..`.
pub(super) fn absolute(path: &Path) -> PathBuf {
    clean(&env::current_dir().unwrap_or_default().join(path))
}

/// A path without `.` and `..`.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}
