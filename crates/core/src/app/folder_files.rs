//! Files of a folder, by the kind that their names and first words say.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::trust::FILE_NAME;
use crate::folder::{Folder, FolderEntry};
use crate::scenario::is_script;
use crate::syntax::{MAX_BYTES, Syntax, has_key, outline};

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
    /// Scripts.
    Script,
    /// Configurations.
    Configuration,
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
            Self::Script => yaml(".script"),
            Self::Configuration => name == FILE_NAME,
            Self::Graph | Self::Source => {
                (yaml("") || name.strip_suffix(".loop").is_some()) && !yaml(".scenarios")
            }
        }
    }

    /// Returns true if a file of that name with this text is of this kind. Files for `use` and scripts are no graphs.
    #[must_use]
    pub fn is_of(self, path: &Path, text: &str) -> bool {
        self.is_name(path) && (self.is_by_name(path) || self.begins(path, text))
    }

    /// The kind of a file, by its name and what it begins with; none where neither tells.
    #[must_use]
    pub fn of(path: &Path, text: &str) -> Option<Self> {
        let yaml = syntax(path) == Syntax::Yaml;
        if Self::Configuration.is_name(path) {
            return Some(Self::Configuration);
        }
        if Self::Scenarios.is_name(path) {
            return Some(Self::Scenarios);
        }
        // A text without keys has every key.
        if yaml && has_key(text, &[]) {
            return None;
        }
        if yaml && has_key(text, &["scenarios"]) {
            return Some(Self::Scenarios);
        }
        if Self::Graph.begins(path, text) || outline(text, syntax(path)).variant {
            return Some(Self::Graph);
        }
        (yaml && is_script(text) && !has_key(text, &["nodes", "start"])).then_some(Self::Script)
    }

    /// The JSON Schema of its files.
    #[must_use]
    pub fn schema(self) -> Value {
        match self {
            Self::Graph | Self::Source => crate::syntax::schema(),
            Self::Scenarios => crate::scenario::file_schema(),
            Self::Script => crate::scenario::script_schema(),
            Self::Configuration => crate::config::file_schema(),
        }
    }

    /// Returns true if the name of a file decides that it is of this kind.
    fn is_by_name(self, path: &Path) -> bool {
        match self {
            Self::Scenarios | Self::Configuration => true,
            Self::Source => syntax(path) == Syntax::Loop,
            Self::Graph | Self::Script => false,
        }
    }

    fn begins(self, path: &Path, text: &str) -> bool {
        let is_script = Self::Script.is_name(path) && is_script(text);
        if self == Self::Script { is_script } else { !is_script && outline(text, syntax(path)).graph }
    }

    /// Returns true if a file in a folder is of this kind. A file that cannot be read is not left out, so that this is
    /// reported.
    fn fits(self, folder: &Folder, path: &Path) -> bool {
        let begins = || match folder.text(path, u64::try_from(MAX_BYTES).unwrap_or(u64::MAX)) {
            Ok(text) => self.begins(path, &text),
            Err(_) => true,
        };
        self.is_name(path) && (self.is_by_name(path) || begins())
    }
}

fn syntax(path: &Path) -> Syntax {
    Syntax::of(&path.to_string_lossy())
}

/// The files of a kind in a folder and the folders in it, sorted, as paths below it. What begins with a dot is left out.
///
/// # Errors
/// A folder cannot be read, or folders nest too deep, in words.
pub fn files_below(folder: &Folder, kind: FileKind) -> Result<Vec<PathBuf>, String> {
    Ok(files_of_kinds(folder, &[kind])?.into_iter().map(|(_, path)| path).collect())
}

/// The same for several kinds, of which the first one that fits counts.
///
/// # Errors
/// As [`files_below`].
pub fn files_of_kinds(folder: &Folder, kinds: &[FileKind]) -> Result<Vec<(FileKind, PathBuf)>, String> {
    let mut found = Vec::new();
    walk(folder, Path::new(""), kinds, 0, &mut found)?;
    Ok(found)
}

fn walk(
    folder: &Folder,
    at: &Path,
    kinds: &[FileKind],
    depth: usize,
    found: &mut Vec<(FileKind, PathBuf)>,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("{}: folders nest deeper than {MAX_DEPTH}", at.display()));
    }
    let entries = folder.entries(at).map_err(|fault| fault.to_string())?;
    for entry in entries {
        let hidden = entry.path().file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match entry {
            _ if hidden => {}
            FolderEntry::Folder(path) => walk(folder, &path, kinds, depth + 1, found)?,
            FolderEntry::File(path) => {
                let kind = kinds.iter().find(|kind| kind.fits(folder, &path));
                found.extend(kind.map(|kind| (*kind, path)));
            }
        }
    }
    Ok(())
}
