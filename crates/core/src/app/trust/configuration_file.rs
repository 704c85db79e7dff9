//! The file of a configuration, with its digest and its requests.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::ground::Ground;
use super::note::Note;
use super::notes::Notes;
use super::seal::Seal;
use super::state_folder::{NoteKind, StateFolder};
use crate::config::ExternalReach;

/// The file of a configuration.
#[derive(Debug)]
pub struct ConfigurationFile {
    /// The path as it is named.
    pub path: PathBuf,
    /// The same in a folder without links. It may be a link itself, where the operator named it: its paths start from
    /// where it is.
    pub(super) real: PathBuf,
    pub(super) ground: Ground,
    /// Its digest, with what that covers beside the content.
    pub(super) seal: Seal,
    /// The requests for something beyond its folder.
    pub reaches: Vec<ExternalReach>,
}

impl ConfigurationFile {
    /// The digest of its content, of the places it names and of its commands.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.seal.digest
    }

    /// The digests of its tools that need grants, by their names.
    #[must_use]
    pub fn tool_digests(&self) -> BTreeMap<&str, &str> {
        let commands = self.seal.commands.iter().map(|(name, own)| (name.as_str(), own.digest.as_str()));
        let file_tools = self.seal.file_tools.iter().map(|(tool, digest)| (tool.name(), digest.as_str()));
        let servers = self.seal.servers.iter().map(|(name, own)| (name.as_str(), own.digest.as_str()));
        commands.chain(file_tools).chain(servers).collect()
    }

    /// The user's note about it.
    #[must_use]
    pub fn noted(&self, notes: &Notes) -> Option<Note> {
        noted(&self.real, notes.folder()?)
    }

    /// A note of it as it is now.
    #[must_use]
    pub fn note(&self) -> Note {
        Note {
            version: 1,
            configuration: self.real.to_string_lossy().into_owned(),
            digest: self.seal.digest.clone(),
            asks: self.reaches.iter().map(ToString::to_string).collect(),
            files: self.seal.files.clone(),
        }
    }

    /// Notes that its content is allowed.
    ///
    /// # Errors
    /// The note cannot be written.
    pub fn allow(&self, notes: &Notes) -> Result<(), String> {
        let nowhere = "there is no folder to note it in: no home is set, and no XDG_STATE_HOME";
        let key: [&OsStr; 1] = [self.real.as_os_str()];
        notes.folder().ok_or(nowhere)?.note(NoteKind::Configuration, &key, &self.note())
    }
}

/// The user's note about the file at a real place.
pub(super) fn noted(real: &Path, state: &StateFolder) -> Option<Note> {
    state.find(NoteKind::Configuration, &[real.as_os_str()])
}
