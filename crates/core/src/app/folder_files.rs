//! Files of a folder, by the kind that their names and first words say.

use std::path::{Path, PathBuf};

use crate::folder::{Folder, FolderEntry};
use crate::syntax::{MAX_BYTES, Syntax, outline};

/// Folders nest this deep at most when files are looked for.
const MAX_DEPTH: usize = 32;

/// The kind of file to look for in folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Graph files.
    Graph,
    /// Graph files, and files in `.loop` that only serve `use`.
    Source,
    /// Scenario files.
    Scenarios,
}

impl FileKind {
    /// Returns true if a file of that name may be of this kind.
    #[must_use]
    pub fn is_name(self, path: &Path) -> bool {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let yaml =
            |end: &str| name.ends_with(&format!("{end}.yaml")) || name.ends_with(&format!("{end}.yml"));
        match self {
            Self::Scenarios => yaml(".scenarios"),
            Self::Graph | Self::Source => {
                (yaml("") || name.strip_suffix(".loop").is_some()) && !yaml(".scenarios")
            }
        }
    }

    /// Returns true if a file in a folder is of this kind. Files for `use` and scripts are no graphs. A file that cannot be
    /// read is not left out, so that this is reported.
    fn fits(self, folder: &Folder, path: &Path) -> bool {
        let syntax = Syntax::of(&path.to_string_lossy());
        let graph = || match folder.text(path, u64::try_from(MAX_BYTES).unwrap_or(u64::MAX)) {
            Ok(text) => outline(&text, syntax).graph,
            Err(_) => true,
        };
        self.is_name(path)
            && (self == Self::Scenarios || self == Self::Source && syntax == Syntax::Loop || graph())
    }
}

/// The files of a kind in a folder and the folders in it, sorted, as paths below it. What begins with a dot is left out.
///
/// # Errors
/// A folder cannot be read, or folders nest too deep, in words.
pub fn files_below(folder: &Folder, kind: FileKind) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    walk(folder, Path::new(""), kind, 0, &mut found)?;
    Ok(found)
}

fn walk(
    folder: &Folder,
    at: &Path,
    kind: FileKind,
    depth: usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("{}: folders nest deeper than {MAX_DEPTH}", at.display()));
    }
    let entries = folder.entries(at).map_err(|fault| fault.to_string())?;
    for entry in entries {
        let hidden = entry.path().file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match entry {
            _ if hidden => {}
            FolderEntry::Folder(path) => walk(folder, &path, kind, depth + 1, found)?,
            FolderEntry::File(path) if kind.fits(folder, &path) => found.push(path),
            FolderEntry::File(_) => {}
        }
    }
    Ok(())
}
