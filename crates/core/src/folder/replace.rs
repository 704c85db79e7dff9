//! Files written anew.

use std::io::{self, Write};
use std::path::Path;

use cap_std::fs::{OpenOptions, OpenOptionsExt, Permissions};

use super::{FileFault, Folder, regular};

/// The mode of a file that was not there: for its owner alone.
const OWN: u32 = 0o600;

impl Folder {
    /// Puts a text in the place of a regular file's, whole or not at all. Links stay, as long as they lead to a place
    /// below the folder; so do permissions.
    ///
    /// # Errors
    /// It is not there, is no regular file, lies outside, or may not be written.
    pub fn replace(&self, path: &Path, text: &str) -> Result<(), FileFault> {
        let place = self.place(path)?;
        let old = self.dir.symlink_metadata(&place).map_err(FileFault::of)?;
        regular(&old)?;
        if old.permissions().readonly() {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
        }
        Ok(self.put_in(&place, text, Some(old.permissions()))?)
    }

    /// Writes a file, whole or not at all. A link of that name is gone then, and what it leads to stays. The
    /// file is for its owner alone.
    ///
    /// # Errors
    /// Something of its name is no regular file. The folder it shall lie in is not there or not below this one, or may
    /// not be written.
    pub fn put(&self, path: &Path, text: &str) -> Result<(), FileFault> {
        match self.dir.symlink_metadata(path) {
            Ok(old) if !old.is_symlink() => regular(&old)?,
            _ => {}
        }
        self.put_in(path, text, None).map_err(FileFault::of)
    }

    /// Writes a file beside its place and moves it there.
    fn put_in(&self, place: &Path, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let fresh = place.with_file_name(format!(".{name}.{}", std::process::id()));
        let mut options = OpenOptions::new();
        // Never one that is there: it may be a link that somebody laid.
        options.write(true).create_new(true).mode(OWN);
        let mut file = self.dir.open_with(&fresh, &options)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| {
            permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
            file.sync_all()?;
            self.dir.rename(&fresh, &self.dir, place)
        });
        if written.is_err() {
            // A file that cannot be removed either is left: there is no more to be done.
            let _ = self.dir.remove_file(&fresh);
        }
        written
    }
}
