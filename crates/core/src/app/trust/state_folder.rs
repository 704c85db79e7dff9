//! Notes of what a user of this machine allowed, in their own folder: `$XDG_STATE_HOME/loopwright` or
//! `~/.local/state/loopwright`.
//!
//! Each note is a file, named by the hash of its subject, and is replaced whole: two processes that write at once cannot
//! lose each other's notes, so that no lock is needed.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::libc;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::folder::reason;

/// The longest note that is read, in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// The kinds of notes, each in a folder of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// Configurations that were allowed.
    Configuration,
    /// Commands that a graph may call.
    Grant,
    /// Stores that this user made.
    Store,
    /// Logins at servers.
    Login,
}

impl NoteKind {
    const ALL: [Self; 4] = [Self::Configuration, Self::Grant, Self::Store, Self::Login];

    const fn folder(self) -> &'static str {
        match self {
            Self::Configuration => "configurations",
            Self::Grant => "grants",
            Self::Store => "stores",
            Self::Login => "logins",
        }
    }
}

/// The folder of the user's notes.
#[derive(Debug, Clone)]
pub struct StateFolder(PathBuf);

impl StateFolder {
    /// The folder of whoever runs this process; none where neither it nor a home is named.
    ///
    /// # Errors
    /// It is there and is not this user's alone: what is in it may be anybody's.
    pub fn of_user() -> Result<Option<Self>, String> {
        let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
        let home = || std::env::home_dir().map(|home| home.join(".local/state"));
        let folder = named.filter(|path| path.is_absolute()).or_else(home).filter(|path| path.is_absolute());
        let Some(folder) = folder.map(|folder| folder.join("loopwright")) else { return Ok(None) };
        for path in
            std::iter::once(folder.clone()).chain(NoteKind::ALL.map(|kind| folder.join(kind.folder())))
        {
            match fs::symlink_metadata(&path) {
                Ok(meta) => own(&path, &meta, meta.is_dir())?,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(format!("{}: {}", path.display(), reason(&error))),
            }
        }
        Ok(Some(Self(folder)))
    }

    /// The path beside which lies what a database of runs leaves on this machine. `digest` is that of its address.
    #[must_use]
    pub fn beside_database(&self, digest: &str) -> PathBuf {
        self.0.join("databases").join(digest)
    }

    /// The note about something, if there is one that can be read.
    #[must_use]
    pub fn find<T: DeserializeOwned>(&self, kind: NoteKind, about: &[&OsStr]) -> Option<T> {
        self.read(&self.place(kind, about))
    }

    /// All notes of a kind.
    #[must_use]
    pub fn all<T: DeserializeOwned>(&self, kind: NoteKind) -> Vec<T> {
        self.places(kind).iter().filter_map(|path| self.read(path)).collect()
    }

    /// The files of all notes of a kind.
    fn places(&self, kind: NoteKind) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.0.join(kind.folder())) else { return Vec::new() };
        let paths = entries.flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
        paths.sort();
        paths
    }

    /// Forgets the notes of a kind that are meant, and gives their number. They are found by their content: a path in a
    /// note may be no UTF-8, and then the note has other letters for it than its key.
    ///
    /// # Errors
    /// A note cannot be removed.
    pub fn forget_all<T: DeserializeOwned>(
        &self,
        kind: NoteKind,
        is_meant: impl Fn(&T) -> bool,
    ) -> Result<usize, String> {
        let places = self.places(kind).into_iter();
        let meant = places.filter(|path| self.read(path).is_some_and(|note| is_meant(&note)));
        meant.map(|path| remove(&path).map(usize::from)).sum()
    }

    #[expect(clippy::unused_self, reason = "a note is read only where the folder was found to be the user's")]
    fn read<T: DeserializeOwned>(&self, path: &Path) -> Option<T> {
        let mut options = OpenOptions::new();
        let file = options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path).ok()?;
        let meta = file.metadata().ok()?;
        own(path, &meta, meta.is_file()).ok()?;
        let mut text = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Writes a note, whole or not at all.
    ///
    /// # Errors
    /// The note cannot be written.
    pub fn note<T: Serialize>(&self, kind: NoteKind, about: &[&OsStr], note: &T) -> Result<(), String> {
        let place = self.place(kind, about);
        self.write(&place, note)
            .map_err(|error| format!("{}: it cannot be noted there: {}", self.0.display(), reason(&error)))
    }

    fn write<T: Serialize>(&self, place: &Path, note: &T) -> std::io::Result<()> {
        let folder = place.parent().unwrap_or(&self.0);
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let text = serde_json::to_string_pretty(note)?;
        let half = place.with_extension(format!("{}.part", std::process::id()));
        let mut options = OpenOptions::new();
        // One that a process of this number left when it was killed is nobody's.
        let _ = fs::remove_file(&half);
        let mut file = options.write(true).create_new(true).mode(0o600).open(&half)?;
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&half, place))
            .and_then(|()| File::open(folder)?.sync_all());
        if written.is_err() {
            let _ = fs::remove_file(&half);
        }
        written
    }

    /// Forgets the note about something. Returns true if there was one.
    ///
    /// # Errors
    /// The note cannot be removed.
    pub fn forget(&self, kind: NoteKind, about: &[&OsStr]) -> Result<bool, String> {
        remove(&self.place(kind, about))
    }

    fn place(&self, kind: NoteKind, about: &[&OsStr]) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        for part in about {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        self.0.join(kind.folder()).join(format!("{}.json", hasher.finalize().to_hex()))
    }
}

/// Removes a note. Returns true if there was one.
fn remove(place: &Path) -> Result<bool, String> {
    match fs::remove_file(place) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(format!("{}: {}", place.display(), reason(&error))),
    }
}

/// Refuses what is a link or of another kind, another user's, or open to others.
fn own(path: &Path, meta: &Metadata, of_kind: bool) -> Result<(), String> {
    let shown = path.display();
    if !of_kind {
        return Err(format!("{shown}: it is a link, or not what loopwright makes; remove it"));
    }
    if meta.uid() != nix::unistd::geteuid().as_raw() {
        return Err(format!("{shown}: it belongs to another user"));
    }
    if meta.mode() & 0o022 != 0 {
        return Err(format!("{shown}: others can write there; run: chmod go-w {shown}"));
    }
    Ok(())
}
