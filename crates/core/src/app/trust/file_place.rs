//! A file of runs that is found in a folder is foreign until this user made it or said that it is theirs.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::consent::Consent;
use super::ground;
use super::notes::NotesWarning;
use super::state_folder::NoteKind;
use super::store_identity::{FileIdentity, StoreNote};
use crate::app::open_error::OpenError;
use crate::app::runs::Runs;
use crate::folder::reason;
use crate::store::mark;

/// The ends of the names of files that belong to a store beside its own.
const BESIDE: [&str; 3] = ["-wal", "-journal", "-head"];

/// The smallest store with a run in it, in bytes.
const MIN_BYTES_WITH_RUN: u64 = 6 << 10;

/// The place of a file of runs that is there or will be.
#[derive(Debug)]
pub(super) struct FilePlace {
    path: PathBuf,
    /// The path without links, as notes have it; none where its folder is not there yet.
    real: Option<PathBuf>,
    /// True if there is no file yet, or nothing in it.
    fresh: bool,
    /// True if there is no store yet, so that this process makes it.
    unmade: bool,
    /// True if somebody else made it, and it was agreed to.
    agreed: bool,
    consent: Consent,
}

impl FilePlace {
    /// The place of a store, if the way to it may be gone. The store is not opened.
    ///
    /// # Errors
    /// [`OpenError::Astray`].
    pub(super) fn at(path: &Path, consent: Consent) -> Result<Self, OpenError> {
        Runs::check_links(path)?;
        let fresh = is_fresh(path);
        let mut place =
            Self { path: path.to_owned(), real: None, fresh, unmade: fresh, agreed: false, consent };
        place.real = place.found();
        Ok(place)
    }

    /// Returns true if this user made the store or said that it may be continued, or there is none. A command that only
    /// continues with a store says that there is none.
    pub(super) fn is_own(&mut self) -> bool {
        // Another process of this user may be making it just now: the second look sees all of it.
        self.fresh || (0..2).any(|_| self.is_noted())
    }

    /// As [`FilePlace::is_own`], for a command that makes a store where there is none. From here on it is this user's, even
    /// if its making is cut off.
    pub(super) fn is_own_or_made(&mut self) -> bool {
        if self.fresh {
            self.note(None);
        }
        self.is_own()
    }

    /// The path of the store.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The digest of the store as it lies there.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn content(&self) -> Result<String, String> {
        content(&self.path)
    }

    /// Returns true if the operator allowed a store with that digest for this command.
    pub(super) fn is_allowed(&self, content: &str) -> bool {
        self.consent.digests.contain(content)
    }

    /// Notes that the store of somebody else may be continued.
    pub(super) fn agree(&mut self) {
        self.agreed = true;
        self.note(self.identity());
    }

    /// Returns true if somebody else made the store, though it may have been agreed to.
    pub(super) fn is_from_elsewhere(&self) -> bool {
        self.noted().is_none_or(|note| note.agreed)
    }

    /// Returns true if the user's notes say that this is their store, or it is none.
    fn is_noted(&mut self) -> bool {
        let Ok(meta) = fs::symlink_metadata(&self.path) else { return true };
        // Whatever else lies there is no store, and who opens it says so.
        if !meta.is_file() {
            return true;
        }
        let mark = mark(&self.path).ok();
        let identity = FileIdentity::of(&meta, mark);
        let Some(noted) = self.noted() else { return false };
        self.agreed = noted.agreed;
        if noted.file.is_some() {
            return noted.file == Some(identity);
        }
        // It was being made when this user's process was cut off. Before a run is stored in a store, it is noted which
        // one it is.
        self.unmade = mark.is_none_or(|mark| !mark.made);
        let own = mark.map_or_else(|| self.is_small(), |mark| !mark.runs);
        if own && !self.unmade {
            self.note(Some(identity));
        }
        own
    }

    fn identity(&self) -> Option<FileIdentity> {
        let meta = fs::symlink_metadata(&self.path).ok()?;
        Some(FileIdentity::of(&meta, mark(&self.path).ok()))
    }

    /// Returns true if no run can be in what lies there.
    fn is_small(&self) -> bool {
        let length = |path: &Path| fs::symlink_metadata(path).map_or(0, |meta| meta.len());
        length(&self.path) + BESIDE.into_iter().map(|end| length(&beside(&self.path, end))).sum::<u64>()
            < MIN_BYTES_WITH_RUN
    }

    /// The store was opened, or could not be: what was made of it just now is this user's. If not even a file was,
    /// nothing is noted.
    pub(super) fn tried(mut self) {
        if !self.unmade {
            return;
        }
        self.real = self.found();
        if mark(&self.path).is_ok_and(|mark| mark.made) {
            self.note(self.identity());
        } else if fs::symlink_metadata(&self.path).is_err()
            && let (Some(notes), Some(real)) = (self.consent.notes.folder(), &self.real)
        {
            // A note that stays says that a store was to be made here, which is true.
            let _ = notes.forget(NoteKind::Store, &[real.as_os_str()]);
        }
    }

    /// The path of the store without links, as far as there is anything of it.
    fn found(&self) -> Option<PathBuf> {
        let path = std::path::absolute(&self.path).ok()?;
        let folder = path.parent()?;
        let there = folder.ancestors().find(|folder| folder.exists())?;
        let rest = path.strip_prefix(there).ok()?;
        let plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
        fs::canonicalize(there).ok().filter(|_| plain).map(|there| there.join(rest))
    }

    fn noted(&self) -> Option<StoreNote> {
        self.consent.notes.folder()?.find(NoteKind::Store, &[self.real.as_ref()?.as_os_str()])
    }

    fn note(&self, file: Option<FileIdentity>) {
        let (Some(notes), Some(real)) = (self.consent.notes.folder(), &self.real) else { return };
        let note =
            StoreNote { version: 1, store: real.to_string_lossy().into_owned(), file, agreed: self.agreed };
        if let Err(why) = notes.note(NoteKind::Store, &[real.as_os_str()], &note) {
            self.consent.notes.warn(NotesWarning::StoreNotNoted(&why));
        }
    }
}

/// Returns true if there is no store yet: no file, or one that was made and never written to.
fn is_fresh(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        Ok(meta) => {
            let none = |end: &str| fs::symlink_metadata(beside(path, end)).is_err();
            meta.is_file() && meta.len() == 0 && BESIDE.into_iter().all(none)
        }
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// The digest of a store as it lies there.
fn content(path: &Path) -> Result<String, String> {
    let mut hasher = blake3::Hasher::new();
    let mut add = |path: &Path| -> std::io::Result<()> {
        let file = ground::open(path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(std::io::Error::other("it is not a file"));
        }
        hasher.update(&meta.len().to_le_bytes());
        hasher.update_reader(file.take(meta.len())).map(|_| ())
    };
    add(path).map_err(|error| reason(&error))?;
    for end in BESIDE {
        match add(&beside(path, end)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(reason(&error)),
            _ => {}
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}
