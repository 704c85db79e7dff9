//! Bytes that tools give back: images, sounds, files.

use std::fs::{self, DirBuilder, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The most bytes of one content.
pub(super) const MAX_CONTENT: usize = 16 << 20;

/// A folder in which contents lie under their digests, for their owner alone. Two equal contents are one file.
#[derive(Debug, Clone)]
pub struct ContentFolder(PathBuf);

impl ContentFolder {
    /// The folder at a path. It is made when it is needed.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The folder beside a store: `runs.db-contents`.
    #[must_use]
    pub fn beside(store: &Path) -> Self {
        let mut name = store.file_name().unwrap_or_default().to_owned();
        name.push("-contents");
        Self(store.with_file_name(name))
    }

    /// Puts bytes there, whole or not at all, and gives their id: `blake3:` and 64 hexadecimal digits, the last part the name
    /// of the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&self, bytes: &[u8]) -> std::io::Result<String> {
        let digest = blake3::hash(bytes).to_hex();
        let path = self.0.join(digest.as_str());
        if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() == bytes.len() as u64) {
            return Ok(format!("blake3:{digest}"));
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        // Two containers may share the folder and the number of their processes: each state of a hasher has keys of its own.
        let random = RandomState::new().hash_one(std::process::id());
        let part = self.0.join(format!(".{}-{random:016x}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
        let written = file.write_all(bytes).and_then(|()| {
            file.sync_all()?;
            fs::rename(&part, &path)
        });
        if written.is_err() {
            // A file that cannot be removed either is left: there is no more to be done.
            let _left = fs::remove_file(&part);
        }
        written.map(|()| format!("blake3:{digest}"))
    }
}

#[cfg(test)]
mod tests {
    use super::ContentFolder;

    #[test]
    fn equal_contents_are_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let contents = ContentFolder::beside(&folder.path().join("runs.db"));
        let id = contents.put(b"abc").expect("it is written");
        assert_eq!(contents.put(b"abc").expect("it is there"), id);
        let digest = id.strip_prefix("blake3:").expect("an id");
        assert_eq!(
            std::fs::read(folder.path().join("runs.db-contents").join(digest)).expect("a file"),
            b"abc"
        );
        assert_eq!(std::fs::read_dir(folder.path().join("runs.db-contents")).expect("a folder").count(), 1);
    }
}
