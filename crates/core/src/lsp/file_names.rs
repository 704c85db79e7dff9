//! Files as the editor addresses them and as messages print them.

use std::borrow::Cow;
use std::env;
use std::path::{Path, PathBuf};

use ls_types::Uri;

use crate::model::beside;

/// The names of files, as `check` prints them: relative to the working folder where they lie below it.
#[derive(Debug, Clone)]
pub(super) struct FileNames {
    /// The working folder, as it is named and without links.
    bases: Vec<PathBuf>,
}

impl FileNames {
    /// Those of this process.
    pub(super) fn of_process() -> Self {
        let named = env::current_dir().ok();
        let real = named.as_ref().and_then(|path| path.canonicalize().ok());
        let mut bases: Vec<PathBuf> = named.into_iter().chain(real).collect();
        bases.dedup();
        Self { bases }
    }

    /// The name of a file; none of what is no file.
    pub(super) fn of_uri(&self, uri: &Uri) -> Option<String> {
        self.of_path(&path(uri)?)
    }

    pub(super) fn of_path(&self, path: &Path) -> Option<String> {
        let inside = self.bases.iter().find_map(|base| path.strip_prefix(base).ok());
        Some(beside(None, inside.unwrap_or(path).to_str()?))
    }

    /// The address of a file.
    pub(super) fn uri(&self, name: &str) -> Option<Uri> {
        let path = Path::new(name);
        let base = self.bases.first().filter(|_| path.is_relative());
        Uri::from_file_path(base.map_or_else(|| path.to_owned(), |base| base.join(path)))
    }
}

/// The path of a file; none of what is no file.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    if uri.scheme().as_str() != "file" {
        return None;
    }
    uri.to_file_path().map(Cow::into_owned).filter(|path| path.is_absolute())
}
