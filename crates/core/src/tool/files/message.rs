//! Files that messages carry to a model, read as `read_file` reads them.

use std::path::PathBuf;
use std::sync::Arc;

use futures::FutureExt;

use super::fault::{FileToolFault, shown};
use super::read::bytes_of;
use super::root::{FolderRoot, InnerPath};
use crate::config::ModelFiles;
use crate::port::{BoxFuture, MessageFiles, UnreadFile};

/// A folder whose files messages may carry to a model. No path leaves it, by `..`, as an absolute path or through a symbolic link, and
/// hidden files are not read.
#[derive(Debug)]
pub struct MessageFolder {
    root: Arc<FolderRoot>,
    max_bytes: usize,
}

impl MessageFolder {
    /// The folder that a configuration names, whose paths start from `folder`.
    #[must_use]
    pub fn new(config: &ModelFiles, folder: impl Into<PathBuf>) -> Self {
        let root = FolderRoot::named(folder.into().join(&config.root));
        Self { root: root.into(), max_bytes: config.max_bytes }
    }

    /// The folder at a place, a path without links. Where there is a link by then, nothing is opened.
    #[must_use]
    pub fn at(config: &ModelFiles, place: impl Into<PathBuf>) -> Self {
        Self { root: FolderRoot::exact(place.into()).into(), max_bytes: config.max_bytes }
    }
}

impl MessageFiles for MessageFolder {
    fn read(&self, path: &str) -> BoxFuture<'static, Result<Vec<u8>, UnreadFile>> {
        let (root, max, path) = (self.root.clone(), self.max_bytes, path.to_owned());
        async move {
            match tokio::task::spawn_blocking(move || read(&root, max, &path)).await {
                Ok(read) => read.map_err(UnreadFile),
                Err(_) => Err(UnreadFile("the reading of a file was given up".to_owned())),
            }
        }
        .boxed()
    }
}

fn read(root: &FolderRoot, max: usize, path: &str) -> Result<Vec<u8>, String> {
    let folder = root.open().map_err(|why| format!("the folder of `files` cannot be opened: {why}"))?;
    let bytes = |inner: InnerPath<'_>| bytes_of(inner.open_file(folder)?, path, max);
    let read = InnerPath::new(path).and_then(bytes).map_err(|fault| fault.to_string())?;
    read.ok_or_else(|| FileToolFault::TooLong { path: shown(path), max }.to_string())
}
