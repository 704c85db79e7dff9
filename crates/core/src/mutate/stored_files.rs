//! Files that were read once and are given again.

use std::collections::BTreeMap;

use crate::model::{LoadError, Loader};
use crate::program::function::Functions;

/// The file that names a file, and the path that it writes.
type AskedFile = (Option<String>, String);

/// The name and the text of a file, or why it cannot be read.
type FoundFile = Result<(String, String), LoadError>;

/// The answers of a loader, given again.
#[derive(Debug, Clone, Default)]
pub(super) struct StoredFiles {
    found: BTreeMap<AskedFile, FoundFile>,
    functions: Functions,
}

impl StoredFiles {
    pub(super) fn new(functions: Functions) -> Self {
        Self { found: BTreeMap::new(), functions }
    }
}

impl Loader for StoredFiles {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let asked = (from.map(str::to_owned), path.to_owned());
        self.found.get(&asked).cloned().unwrap_or_else(|| Err("the original does not name it".into()))
    }

    fn functions(&self) -> Functions {
        self.functions.clone()
    }
}

/// A loader whose answers are stored.
pub(super) struct StoringLoader<'l> {
    pub(super) loader: &'l mut dyn Loader,
    pub(super) stored: &'l mut StoredFiles,
}

impl Loader for StoringLoader<'_> {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let found = self.loader.load(from, path);
        self.stored.found.insert((from.map(str::to_owned), path.to_owned()), found.clone());
        found
    }

    fn functions(&self) -> Functions {
        self.loader.functions()
    }
}
