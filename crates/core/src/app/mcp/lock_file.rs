//! The lock file beside a configuration.

use std::path::{Path, PathBuf};

use crate::folder;
use crate::tool::mcp::{LOCK_NAME, McpLock};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The lock file of a folder.
#[derive(Debug, Clone)]
pub struct LockFile(PathBuf);

impl LockFile {
    /// That of the folder of a configuration.
    #[must_use]
    pub fn beside(folder: &Path) -> Self {
        let path: PathBuf = folder.join(LOCK_NAME).components().collect();
        Self(path.strip_prefix(".").map(Path::to_owned).unwrap_or(path))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The content; none where there is no file.
    ///
    /// # Errors
    /// It cannot be read, or is no lock.
    pub fn read(&self) -> Result<Option<McpLock>, String> {
        match std::fs::symlink_metadata(&self.0) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            _ => {}
        }
        let shown = self.0.display();
        let text = folder::text(&self.0, MAX_BYTES).map_err(|fault| format!("{shown}: {fault}"))?;
        McpLock::read(&text).map(Some).map_err(|fault| {
            format!("{shown}: {fault}; look at it, or remove it and run `loopwright mcp lock`")
        })
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// It cannot be written, or would be longer than what is read.
    pub fn write(&self, lock: &McpLock) -> Result<(), String> {
        let (text, shown) = (lock.text(), self.0.display());
        if text.len() as u64 > MAX_BYTES {
            return Err(format!(
                "{shown}: it would be longer than {MAX_BYTES} bytes; let fewer tools be on offer, with `tools` of a server"
            ));
        }
        folder::put(&self.0, &text).map_err(|fault| format!("{shown}: {fault}"))
    }
}
