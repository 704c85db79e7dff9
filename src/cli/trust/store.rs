//! A store that is found in a folder is foreign until this user made it or said that it is theirs.

use std::fs::{self, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::{Digests, ground, notes};
use crate::cli::files::reason;
use crate::cli::kept::way;
use crate::cli::run::agrees;
use crate::cli::state::Kind;
use crate::cli::{Exit, screen};

/// The ends of the names of files that belong to a store beside its own.
const BESIDE: [&str; 3] = ["-wal", "-journal", "-head"];

/// The file that is a user's store.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    version: u32,
    store: String,
    /// The identity of the file; none while it is being made.
    file: Option<Identity>,
}

/// The marks that tell a file from any other that may come to lie in its place: its number on the disk, and when it was made,
/// which nobody can choose. Where the file system does not say that, the number of the disk.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    number: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disk: Option<u64>,
}

impl Identity {
    fn of(meta: &Metadata) -> Self {
        let made = meta.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
        let made = made.map(|made| made.as_nanos().to_string());
        Self { number: meta.ino(), disk: made.is_none().then(|| meta.dev()), made }
    }
}

/// The place of a store that is there or will be.
pub(in crate::cli) struct Place {
    path: PathBuf,
    /// The path without links, as notes have it; none where its folder is not there yet.
    real: Option<PathBuf>,
    /// True if this process makes it.
    fresh: bool,
}

impl Place {
    /// Looks whether a store is one to go on with; it is not opened.
    ///
    /// # Errors
    /// It is somebody else's, and nobody says that it may be gone on with. `command` is the one that asks.
    pub(in crate::cli) fn admit(path: &Path, trust: &[String], command: &str) -> Result<(), Exit> {
        let digests = Digests::of(trust)?;
        way(path)?;
        let place = Self::of(path);
        // A command that only goes on with a store says that there is none.
        if place.fresh { Ok(()) } else { place.is_known(&digests, command) }
    }

    /// The same for who makes a store where there is none.
    pub(in crate::cli) fn to_write(path: &Path, trust: &[String], command: &str) -> Result<Self, Exit> {
        let digests = Digests::of(trust)?;
        way(path)?;
        let place = Self::of(path);
        if place.fresh {
            // One whose making is cut off is this user's as well.
            place.note(None);
        } else {
            place.is_known(&digests, command)?;
        }
        Ok(place)
    }

    fn of(path: &Path) -> Self {
        let mut place = Self { path: path.to_owned(), real: None, fresh: is_fresh(path) };
        place.real = place.found();
        place
    }

    fn is_known(&self, digests: &Digests, command: &str) -> Result<(), Exit> {
        let Ok(meta) = fs::symlink_metadata(&self.path) else { return Ok(()) };
        // Whatever else lies there is no store, and who opens it says so.
        if !meta.is_file() {
            return Ok(());
        }
        let noted = self.noted();
        if noted.as_ref().is_some_and(|note| note.file.as_ref() == Some(&Identity::of(&meta))) {
            return Ok(());
        }
        // It was being made when this user's process was cut off.
        if noted.is_some_and(|note| note.file.is_none()) || self.is_agreed_to(digests, command)? {
            self.note(Some(Identity::of(&meta)));
        }
        Ok(())
    }

    /// The store was opened, or could not be: what was made of it just now is this user's. If nothing was, nothing is noted.
    pub(in crate::cli) fn tried(mut self) {
        if !self.fresh {
            return;
        }
        self.real = self.found();
        if let Ok(meta) = fs::symlink_metadata(&self.path) {
            self.note(Some(Identity::of(&meta)));
        } else if let (Some(notes), Some(real)) = (notes(), &self.real) {
            // A note that stays says that a store was to be made here, which is true.
            let _ = notes.forget(Kind::Store, &[real.as_os_str()]);
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

    fn noted(&self) -> Option<Note> {
        notes()?.find(Kind::Store, &[self.real.as_ref()?.as_os_str()])
    }

    fn note(&self, file: Option<Identity>) {
        let (Some(notes), Some(real)) = (notes(), &self.real) else { return };
        let note = Note { version: 1, store: real.to_string_lossy().into_owned(), file };
        if let Err(why) = notes.note(Kind::Store, &[real.as_os_str()], &note) {
            let why = screen::line(&why);
            screen::say(&format!("warning: the next command will ask whether this store is yours: {why}\n"));
        }
    }

    /// Returns true if the operator says that a store of somebody else may be gone on with.
    fn is_agreed_to(&self, digests: &Digests, command: &str) -> Result<bool, Exit> {
        let shown = screen::line(&self.path.display().to_string());
        let content = content(&self.path);
        let content = content.map_err(|why| screen::refuse(&format!("{shown}: {}", screen::line(&why))))?;
        if digests.hold(&content) {
            return Ok(true);
        }
        let told = format!("{shown} is not known as a store of yours: its runs may be anybody's");
        if agrees(&format!("{told}, and what they go on with is done in your name.\nGo on with it?")) {
            return Ok(true);
        }
        screen::say(&format!(
            "{told}\nlook at them with `loopwright runs` and `loopwright show`; to go on with it, run:\n  {command} --trust \
             {content}\n"
        ));
        Err(Exit::Waiting)
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
            return Err(std::io::Error::other("it is no file"));
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
