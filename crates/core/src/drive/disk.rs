//! Graph files on disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::root::{Trusts, root};
use crate::check::{Checked, check_file};
use crate::compile::compile;
use crate::diag::Diagnostic;
use crate::folder::{self, FileFault, Folder, reason};
use crate::model::{LoadError, Loader, beside};
use crate::program::Program;
use crate::program::function::Functions;
use crate::source::Sources;

/// The largest file that is read, in bytes; a larger one is refused before it takes any memory.
const MAX_BYTES: u64 = 8 << 20;

/// The hint for those who want to reach further.
const WIDER: &str = "a graph reads what lies in its own folder, or in the repository it is part of; `--root DIR` names a wider folder";

/// Reads graph files and the files they name from disk. Paths that were handed in are relative to the working folder,
/// those in a file to that file's folder.
///
/// A file that a file names must lie below the *root* of the graph: the innermost folder above it that is a repository
/// of this user's, but for the home folder, those above it and those in which everybody may write; else the graph's own
/// folder. No path or link leads out of it, hidden files are not read, nor is anything but regular files.
#[derive(Debug, Clone)]
pub struct Disk {
    /// The root that the user wants.
    wanted: Option<Arc<Folder>>,
    /// Folders that the user named, without links.
    named: Vec<PathBuf>,
    trusts: Trusts,
    functions: Functions,
    /// The files that belong to the file that was handed in last, by name.
    places: FxHashMap<String, Located>,
}

/// The place of a file.
#[derive(Debug, Clone)]
pub struct Located {
    root: Arc<Folder>,
    /// The path below the root.
    at: PathBuf,
    /// The file that the user named, below the root.
    own: Arc<Path>,
}

impl Default for Disk {
    fn default() -> Self {
        Self {
            wanted: None,
            named: Vec::new(),
            trusts: |_| false,
            functions: Functions::new(),
            places: FxHashMap::default(),
        }
    }
}

impl Disk {
    /// With a root that the user names. It must hold the files that are handed in.
    ///
    /// # Errors
    /// Says why there is no such folder.
    pub fn below(root: &Path) -> Result<Self, String> {
        let root = Folder::open(root).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            std::io::ErrorKind::NotADirectory => "it is not a folder".to_owned(),
            _ => reason(&error),
        })?;
        Ok(Self { wanted: Some(Arc::new(root)), ..Self::default() })
    }

    /// With who knows whether a folder's configuration is trusted; such a folder can be a root. Without it none is.
    #[must_use]
    pub fn trusting(self, trusts: Trusts) -> Self {
        Self { trusts, ..self }
    }

    /// With functions that graphs may call.
    #[must_use]
    pub fn with_functions(self, functions: Functions) -> Self {
        Self { functions, ..self }
    }

    /// A folder that the user names is the root of the graphs in it, but for those in a repository further in.
    pub fn name_folder(&mut self, folder: &Path) {
        self.named.extend(fs::canonicalize(folder));
    }

    /// Refuses a folder that the user names where a link on the way leads [out of its
    /// repository](folder::refuse_links_out). A root that they name says how far links may lead.
    ///
    /// # Errors
    /// [`FileFault::Astray`].
    pub fn refuse_links_out(&self, folder: &Path) -> Result<(), FileFault> {
        if self.wanted.is_some() { Ok(()) } else { folder::refuse_links_out(folder) }
    }

    /// Returns the place of the file that `path` names, as in [`Loader::load`]. Nothing is opened.
    ///
    /// # Errors
    /// It lies outside of the root, or its folder is not there.
    pub fn place(&mut self, from: Option<&str>, path: &str) -> Result<Located, LoadError> {
        let name = beside(from, path);
        let place = match from {
            None => self.named(Path::new(&name))?,
            Some(from) => {
                let from = match self.places.get(from) {
                    Some(place) => place.clone(),
                    // Nothing was read of it: standard input, or a text that the caller had.
                    None => self.named(Path::new(from))?,
                };
                let place = from.beside(path)?;
                place.visible(&place.at)?;
                place
            }
        };
        self.places.insert(name, place.clone());
        Ok(place)
    }

    /// Returns the place of a file that the user names. Nothing is opened.
    ///
    /// # Errors
    /// It lies outside of the root that they named, its folder is not there, or a link leads [out](Self::refuse_links_out).
    pub fn named(&mut self, name: &Path) -> Result<Located, LoadError> {
        let (own, file) = folder::split(name).map_err(|fault| fault.to_string())?;
        let folder = fs::canonicalize(own).map_err(|error| reason(&error))?;
        self.refuse_links_out(own).map_err(|fault| fault.to_string())?;
        let known = self.places.values().next().map(|place| Arc::clone(&place.root));
        let root = match &self.wanted {
            Some(wanted) if folder.starts_with(wanted.path()) => Arc::clone(wanted),
            Some(wanted) => {
                let why = format!("it lies outside of {}", wanted.path().display());
                return Err(LoadError::forbidden(why, "the folder of `--root` must hold the graph"));
            }
            None => {
                let path = root(&folder, &self.named, self.trusts);
                match known.filter(|root| root.path() == path) {
                    Some(root) => root,
                    None => Arc::new(Folder::open(path).map_err(|error| reason(&error))?),
                }
            }
        };
        if self.places.values().next().is_some_and(|place| place.root.path() != root.path()) {
            self.places.clear();
        }
        let at = folder.strip_prefix(root.path()).unwrap_or(Path::new("")).join(file);
        Ok(Located { root, own: at.as_path().into(), at })
    }
}

impl Located {
    /// The place of a file that this one names.
    ///
    /// # Errors
    /// It lies outside of the root.
    pub fn beside(&self, path: &str) -> Result<Self, LoadError> {
        if Path::new(path).is_absolute() {
            let help = "write it relative to the file that names it; a graph reads nothing outside of its own folder or repository";
            return Err(LoadError::forbidden("it is an absolute path", help));
        }
        let at =
            folder::beside(&self.at, Path::new(path)).ok_or_else(|| self.outside("it lies outside of"))?;
        Ok(Self { root: Arc::clone(&self.root), at, own: Arc::clone(&self.own) })
    }

    /// The text that lies there.
    ///
    /// # Errors
    /// It is no text, is too large, leads out of the root, or cannot be read.
    pub fn text(&self) -> Result<String, LoadError> {
        let real = self.root.place(&self.at).map_err(|fault| self.refused(fault))?;
        self.visible(&real)?;
        self.root.text(&real, MAX_BYTES).map_err(|fault| self.refused(fault))
    }

    /// Puts a text in the place of the file's, whole or not at all.
    ///
    /// # Errors
    /// It is no regular file, leads out of the root, or cannot be written.
    pub fn replace(&self, text: &str) -> Result<(), LoadError> {
        let real = self.root.place(&self.at).map_err(|fault| self.refused(fault))?;
        self.visible(&real)?;
        self.root.replace(&real, text).map_err(|fault| self.refused(fault))
    }

    /// Returns true if something is there.
    ///
    /// # Errors
    /// It leads out of the root, or cannot be looked at.
    pub fn is_there(&self) -> Result<bool, LoadError> {
        match self.root.place(&self.at) {
            Ok(_) => Ok(true),
            Err(FileFault::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(fault) => Err(self.refused(fault)),
        }
    }

    /// Refuses what is [hidden](folder::is_hidden). What the user named may be.
    fn visible(&self, place: &Path) -> Result<(), LoadError> {
        let shared = place.components().zip(self.own.components()).take_while(|(a, b)| a == b).count();
        let rest: PathBuf = place.components().skip(shared).collect();
        if folder::is_hidden(&rest) {
            let help = "give the file and its folders names that do not begin with a dot";
            return Err(LoadError::forbidden("hidden files are not read", help));
        }
        Ok(())
    }

    fn refused(&self, fault: FileFault) -> LoadError {
        match fault {
            FileFault::Outside => self.outside("a link leads out of"),
            fault => fault.to_string().into(),
        }
    }

    fn outside(&self, what: &str) -> LoadError {
        LoadError::forbidden(format!("{what} {}", self.root.path().display()), WIDER)
    }
}

impl Loader for Disk {
    fn functions(&self) -> Functions {
        self.functions.clone()
    }

    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let text = self.place(from, path)?.text()?;
        Ok((beside(from, path), text))
    }
}

/// Reads, checks and compiles the graph at `path`.
///
/// # Errors
/// All findings, if one of them keeps the graph from running.
pub fn open(
    sources: &mut Sources,
    loader: &mut dyn Loader,
    path: &str,
) -> Result<Arc<Program>, Vec<Diagnostic>> {
    let checked = check_file(sources, loader, path);
    program(checked)
}

fn program(checked: Checked) -> Result<Arc<Program>, Vec<Diagnostic>> {
    if !checked.is_sound() {
        return Err(checked.findings);
    }
    let Some(model) = &checked.model else { return Err(checked.findings) };
    compile(model).map(Arc::new).map_err(|faults| faults.iter().map(Diagnostic::from).collect())
}
