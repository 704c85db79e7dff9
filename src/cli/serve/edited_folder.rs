//! The folder in which people save texts of graphs and of scenarios.

use std::path::{Path, PathBuf};

use super::names::absolute;
use crate::cli::files::{self, FileKind};
use crate::cli::{Exit, screen};
use loopwright_core::folder::{Folder, is_hidden};
use loopwright_core::syntax::{MAX_BYTES, Syntax, outline};

/// The folder that is served, when texts of it may be saved. No link leads out of it.
pub(super) struct EditedFolder {
    folder: Folder,
    /// The way to it from the working folder.
    path: PathBuf,
}

impl EditedFolder {
    pub(super) fn open(path: &Path) -> Result<Self, Exit> {
        let folder = Folder::open(path);
        let folder = folder.map_err(|error| {
            screen::refuse(&format!("--edit: {}: {}", screen::path(path), files::reason(&error)))
        })?;
        Ok(Self { folder, path: absolute(path) })
    }

    /// The path below the folder of a file of which people may save texts: a graph file or a scenario file that lies in the folder.
    pub(super) fn editable(&self, name: &str, text: &str) -> Option<PathBuf> {
        let path = absolute(Path::new(name));
        let path = path.strip_prefix(&self.path).ok()?;
        let holds = outline(text, Syntax::of(name));
        let is_own = FileKind::Scenarios.is_name(path)
            || FileKind::Source.is_name(path) && (holds.graph || Syntax::of(name) == Syntax::Loop);
        let path = (is_own && !is_hidden(path)).then(|| self.folder.place(path).ok())?;
        path.filter(|path| !is_hidden(path))
    }

    pub(super) fn text(&self, path: &Path) -> Result<String, String> {
        let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
        self.folder.text(path, most).map_err(|fault| fault.to_string())
    }

    /// Puts a text in the place of a file's, whole or not at all.
    pub(super) fn replace(&self, path: &Path, text: &str) -> Result<(), String> {
        self.folder.replace(path, text).map_err(|fault| fault.to_string())
    }
}
