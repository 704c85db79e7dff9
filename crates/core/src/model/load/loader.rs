//! The source of files' texts. Nothing here touches a disk.

use std::collections::BTreeMap;

use crate::diag::{Diagnostic, rule};
use crate::model::name_use::NameRecorder;
use crate::program::function::Functions;
use crate::source::Span;

/// Gives what a graph names and does not hold: the texts of files, and functions. Implemented above this layer for disks; [`Files`] serves tests and embedders.
pub trait Loader {
    /// The name under which messages shall print the file, and its text.
    ///
    /// `path` is as a graph file writes it, relative to the file `from` that names it; [`None`] where the
    /// user named it. Two ways to one file give one name: files are read once per name.
    ///
    /// # Errors
    /// Says in a few words why the file cannot be read.
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError>;

    /// The functions that graphs may call: the built-in ones, unless whoever embeds the library adds some. A loader around another one
    /// passes on that one's.
    fn functions(&self) -> Functions {
        Functions::new()
    }

    /// Hears of each name that is resolved; by default nothing does.
    fn recorder(&self) -> NameRecorder {
        NameRecorder::default()
    }
}

/// The reasons for which a file is not read, in words that follow its name and a colon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// It lies where a graph may read nothing.
    #[error("{why}")]
    Forbidden {
        /// The reason.
        why: String,
        /// The cure.
        help: String,
    },
}

impl LoadError {
    /// A file that lies where a graph may read nothing.
    pub fn forbidden(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Forbidden { why: why.into(), help: help.into() }
    }

    /// The finding at a place that names the file.
    #[must_use]
    pub fn finding(self, path: &str, at: Span) -> Diagnostic {
        match self {
            Self::Unreadable(why) => {
                Diagnostic::error(rule::UNREADABLE_FILE, at, format!("`{path}` cannot be read: {why}"))
            }
            Self::Forbidden { why, help } => {
                Diagnostic::error(rule::FORBIDDEN_FILE, at, format!("`{path}` may not be read: {why}"))
                    .help(help)
            }
        }
    }
}

impl From<String> for LoadError {
    fn from(why: String) -> Self {
        Self::Unreadable(why)
    }
}

impl From<&str> for LoadError {
    fn from(why: &str) -> Self {
        Self::Unreadable(why.to_owned())
    }
}

/// A loader over texts in memory, by name.
#[derive(Debug, Clone, Default)]
pub struct Files {
    texts: BTreeMap<String, String>,
    functions: Functions,
}

impl Files {
    /// No files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.texts.insert(name.into(), text.into());
        self
    }

    /// With functions that graphs may call.
    #[must_use]
    pub fn with_functions(self, functions: Functions) -> Self {
        Self { functions, ..self }
    }
}

impl Loader for Files {
    fn functions(&self) -> Functions {
        self.functions.clone()
    }

    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let name = beside(from, path);
        match self.texts.get(&name) {
            Some(text) => Ok((name, text.clone())),
            None => Err("there is no such file".into()),
        }
    }
}

/// The path of a file that `from` names as `path`: beside `from`, with `.` and `..` taken out. An absolute
/// path stays as it is. Separators are `/`.
#[must_use]
pub fn beside(from: Option<&str>, path: &str) -> String {
    let folder = match from.and_then(|f| f.rfind('/').map(|end| &f[..end])) {
        Some(folder) if !path.starts_with('/') => folder,
        _ => "",
    };
    let absolute =
        path.starts_with('/') || folder.starts_with('/') || from.is_some_and(|f| f.rfind('/') == Some(0));
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn paths_are_relative_to_the_naming_file() {
        assert_eq!(beside(None, "a/b.yaml"), "a/b.yaml");
        assert_eq!(beside(Some("a/b.yaml"), "c.yaml"), "a/c.yaml");
        assert_eq!(beside(Some("a/b.yaml"), "./d/../c.yaml"), "a/c.yaml");
        assert_eq!(beside(Some("a/b.yaml"), "../../c.yaml"), "../c.yaml");
        assert_eq!(beside(Some("/a/b.yaml"), "../c.yaml"), "/c.yaml");
        assert_eq!(beside(Some("a/b.yaml"), "/x/c.yaml"), "/x/c.yaml");
        assert_eq!(beside(Some("/b.yaml"), "c.yaml"), "/c.yaml");
    }
}
