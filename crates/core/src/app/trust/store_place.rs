//! The place of a store, and whether this user may go on with what is in it.

use std::path::Path;

use super::consent::Consent;
use super::file_place::FilePlace;
use crate::app::open_error::OpenError;
use crate::store::StoreAddress;

/// The place of a store that is there or will be.
///
/// A file lies in a folder, and may be anybody's. A database is reached by an address with a user, whom somebody let in: whoever
/// names one on the command line trusts it.
#[derive(Debug)]
pub struct StorePlace {
    /// Nothing for a database.
    file: Option<FilePlace>,
}

impl StorePlace {
    /// The place of a store, if the way to it may be gone. The store is not opened.
    ///
    /// # Errors
    /// [`OpenError::Astray`].
    pub fn at(store: &StoreAddress, consent: Consent) -> Result<Self, OpenError> {
        let file = store.file().map(|path| FilePlace::at(path, consent)).transpose()?;
        Ok(Self { file })
    }

    /// Returns true if this user made the store or said that it may be continued, or there is none. A command that only
    /// continues with a store says that there is none.
    pub fn is_own(&mut self) -> bool {
        self.file.as_mut().is_none_or(FilePlace::is_own)
    }

    /// As [`StorePlace::is_own`], for a command that makes a store where there is none. From here on it is this user's, even
    /// if its making is cut off.
    pub fn is_own_or_made(&mut self) -> bool {
        self.file.as_mut().is_none_or(FilePlace::is_own_or_made)
    }

    /// The path of the store, if it is a file.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(FilePlace::path)
    }

    /// The digest of the store as it lies there.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn content(&self) -> Result<String, String> {
        self.file.as_ref().map_or_else(|| Err("it is no file".to_owned()), FilePlace::content)
    }

    /// Returns true if the operator allowed a store with that digest for this command.
    #[must_use]
    pub fn is_allowed(&self, content: &str) -> bool {
        self.file.as_ref().is_none_or(|file| file.is_allowed(content))
    }

    /// Notes that the store of somebody else may be continued.
    pub fn agree(&mut self) {
        if let Some(file) = &mut self.file {
            file.agree();
        }
    }

    /// Returns true if somebody else may have written the runs of the store, though it may have been agreed to. A database is
    /// shared: the path of a graph in it may be anybody's.
    #[must_use]
    pub fn is_from_elsewhere(&self) -> bool {
        self.file.as_ref().is_none_or(FilePlace::is_from_elsewhere)
    }

    /// The store was opened, or could not be: what was made of it just now is this user's. If not even a file was,
    /// nothing is noted.
    pub fn tried(self) {
        if let Some(file) = self.file {
            file.tried();
        }
    }
}
