//! Files on disk, as the layers below want them: names and texts.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

pub(super) use crate::drive::reason;
use crate::model::{Loader, beside};
use crate::syntax::{MAX_BYTES, Syntax};

/// The name under which standard input is read.
pub(super) const STDIN: &str = "-";

/// Folders nest this deep at most when graph files are looked for.
const MAX_DEPTH: usize = 32;

/// Reads files from the disk; `-` is standard input.
#[derive(Debug, Default)]
pub(super) struct Disk {
    /// Every file read, to be watched.
    pub(super) read: Vec<PathBuf>,
}

impl Loader for Disk {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), String> {
        if from.is_none() && path == STDIN {
            let text = text(std::io::stdin())?;
            let extension = match Syntax::guess(&text) {
                Syntax::Yaml => "yaml",
                Syntax::Loop => "loop",
            };
            return Ok((format!("<stdin>.{extension}"), text));
        }
        self.read.push(beside(from, path).into());
        crate::drive::Disk.load(from, path)
    }
}

/// The text of a file: at most a byte more than is allowed is read, so that the reader can say it is too large.
fn text(from: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    from.take(most).read_to_end(&mut bytes).map_err(|e| reason(&e))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if error.utf8_error().error_len().is_none() && error.as_bytes().len() > MAX_BYTES => {
            // The cut fell into a character; the text is too large anyway.
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        }
        Err(error) => Err(format!("it is not UTF-8 (byte {})", error.utf8_error().valid_up_to())),
    }
}

/// What kind of file is looked for in folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Graph files.
    Graph,
    /// Graph files, and files in `.loop` that only serve `use`.
    Source,
    /// Scenario files.
    Scenarios,
}

impl Kind {
    /// Whether a file in a folder is of this kind.
    pub(super) fn fits(self, path: &Path) -> bool {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let yaml =
            |end: &str| name.ends_with(&format!("{end}.yaml")) || name.ends_with(&format!("{end}.yml"));
        match self {
            Self::Scenarios => yaml(".scenarios"),
            Self::Source if path.extension().is_some_and(|extension| extension == "loop") => true,
            Self::Graph | Self::Source => {
                (yaml("") || name.strip_suffix(".loop").is_some()) && !yaml(".scenarios") && is_graph(path)
            }
        }
    }
}

/// Whether a file in a folder is a graph: it has a line `graph:` (or `graph ID`) at the margin. Files for `use` and
/// scripts have none.
fn is_graph(path: &Path) -> bool {
    let Ok(file) = fs::File::open(path) else { return true };
    let Ok(text) = text(file) else { return true };
    text.lines().any(|l| l.starts_with("graph:") || l.starts_with("graph ") || l.starts_with("\"graph\""))
}

/// The files a user means: files as named, folders searched for files of the kind, sorted.
pub(super) fn find(paths: &[String], kind: Kind) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for path in paths {
        if path != STDIN && Path::new(path).is_dir() {
            let before = found.len();
            walk(Path::new(path), kind, 0, &mut found)?;
            if found.len() == before {
                let what = if kind == Kind::Scenarios { "files NAME.scenarios.yaml" } else { "graph files" };
                return Err(format!("{path}: there are no {what} in this folder"));
            }
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

fn walk(folder: &Path, kind: Kind, depth: usize, found: &mut Vec<String>) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("{}: folders nest deeper than {MAX_DEPTH}", folder.display()));
    }
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {}", folder.display(), reason(&e)))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            if !path.is_symlink() {
                walk(&path, kind, depth + 1, found)?;
            }
        } else if kind.fits(&path) {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

/// Puts a text in the place of a file's, whole or not at all. Links stay, and so do permissions.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), String> {
    let told = |error: &std::io::Error| format!("{}: {}", path.display(), reason(error));
    let target = fs::canonicalize(path).map_err(|e| told(&e))?;
    let name = target.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let fresh = target.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = fs::metadata(&target).and_then(|old| {
        if old.permissions().readonly() {
            return Err(std::io::ErrorKind::PermissionDenied.into());
        }
        let mut file = fs::File::create_new(&fresh)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::set_permissions(&fresh, old.permissions())?;
        fs::rename(&fresh, &target)
    });
    written.map_err(|error| {
        // Where it was never made, there is nothing to remove.
        let _ = fs::remove_file(&fresh);
        told(&error)
    })
}
