//! A store that is found in a folder is foreign until this user made it or said that it is theirs.

use std::fs::{self, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::{Digests, ground, notes};
use crate::cli::files::reason;
use crate::cli::run::agrees;
use crate::cli::state::Kind;
use crate::cli::stored_runs::refuse_links_out;
use crate::cli::{Exit, screen};
use crate::store::{StoreIdentity, mark};

/// The ends of the names of files that belong to a store beside its own.
const BESIDE: [&str; 3] = ["-wal", "-journal", "-head"];

/// The least bytes of a store with a run in it.
const LEAST: u64 = 6 << 10;

/// The file that is a user's store.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoreNote {
    version: u32,
    store: String,
    /// The identity of the file; none while it is being made.
    file: Option<Identity>,
    /// True if somebody else made it, and this user said that it may be continued.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    agreed: bool,
}

/// The marks that tell a store from any other that may come to lie in its place: its file's number on the disk, and
/// when that was made, which nobody can choose; where the file system does not say that, the number of the disk. The
/// store's own number tells one that was written over the file, if it was not made by an earlier version.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    number: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disk: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    store: Option<u32>,
}

impl Identity {
    fn of(meta: &Metadata, mark: Option<StoreIdentity>) -> Self {
        let made = meta.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
        let made = made.map(|made| made.as_nanos().to_string());
        Self {
            number: meta.ino(),
            disk: made.is_none().then(|| meta.dev()),
            made,
            store: mark.and_then(|mark| mark.number),
        }
    }
}

/// The place of a store that is there or will be.
pub(in crate::cli) struct StorePlace {
    path: PathBuf,
    /// The path without links, as notes have it; none where its folder is not there yet.
    real: Option<PathBuf>,
    /// True if there is no file yet, or nothing in it.
    fresh: bool,
    /// True if there is no store yet, so that this process makes it.
    unmade: bool,
    /// True if somebody else made it, and it was agreed to.
    agreed: bool,
    /// The stores that count for this command alone.
    digests: Digests,
}

impl StorePlace {
    /// Looks whether a store may be used; it is not opened.
    ///
    /// # Errors
    /// It is somebody else's, and nobody says that it may be continued. `command` is the one that asks.
    pub(in crate::cli) fn admit(path: &Path, trust: &[String], command: &str) -> Result<(), Exit> {
        let mut place = Self::at(path, trust)?;
        if place.is_own() { Ok(()) } else { place.ask(command, "") }
    }

    /// The place of a store, if the way to it may be gone.
    pub(in crate::cli) fn at(path: &Path, trust: &[String]) -> Result<Self, Exit> {
        let digests = Digests::of(trust)?;
        refuse_links_out(path)?;
        let fresh = is_fresh(path);
        let mut place =
            Self { path: path.to_owned(), real: None, fresh, unmade: fresh, agreed: false, digests };
        place.real = place.found();
        Ok(place)
    }

    /// Returns true if this user made the store or said that it may be continued, or there is none. A command that only
    /// continues with a store says that there is none.
    pub(in crate::cli) fn is_own(&mut self) -> bool {
        // Another process of this user may be making it just now: the second look sees all of it.
        self.fresh || (0..2).any(|_| self.is_noted())
    }

    /// Asks whether a store of somebody else may be continued; `about` are lines that say what that means.
    ///
    /// # Errors
    /// Nobody says so. `command` is the one that asks.
    pub(in crate::cli) fn ask(&mut self, command: &str, about: &str) -> Result<(), Exit> {
        self.consent(command, about)?;
        self.agreed = true;
        self.note(self.identity());
        Ok(())
    }

    /// Returns true if somebody else made the store, though it may have been agreed to.
    pub(in crate::cli) fn is_from_elsewhere(&self) -> bool {
        self.noted().is_none_or(|note| note.agreed)
    }

    /// The same for who makes a store where there is none.
    pub(in crate::cli) fn to_write(path: &Path, trust: &[String], command: &str) -> Result<Self, Exit> {
        let mut place = Self::at(path, trust)?;
        if place.fresh {
            // One whose making is cut off is this user's as well.
            place.note(None);
        } else if !place.is_own() {
            place.ask(command, "")?;
        }
        Ok(place)
    }

    /// Returns true if the user's notes say that this is their store, or it is none.
    fn is_noted(&mut self) -> bool {
        let Ok(meta) = fs::symlink_metadata(&self.path) else { return true };
        // Whatever else lies there is no store, and who opens it says so.
        if !meta.is_file() {
            return true;
        }
        let mark = mark(&self.path).ok();
        let identity = Identity::of(&meta, mark);
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

    fn identity(&self) -> Option<Identity> {
        let meta = fs::symlink_metadata(&self.path).ok()?;
        Some(Identity::of(&meta, mark(&self.path).ok()))
    }

    /// Returns true if no run can be in what lies there.
    fn is_small(&self) -> bool {
        let length = |path: &Path| fs::symlink_metadata(path).map_or(0, |meta| meta.len());
        length(&self.path) + BESIDE.into_iter().map(|end| length(&beside(&self.path, end))).sum::<u64>()
            < LEAST
    }

    /// The store was opened, or could not be: what was made of it just now is this user's. If not even a file was,
    /// nothing is noted.
    pub(in crate::cli) fn tried(mut self) {
        if !self.unmade {
            return;
        }
        self.real = self.found();
        if mark(&self.path).is_ok_and(|mark| mark.made) {
            self.note(self.identity());
        } else if fs::symlink_metadata(&self.path).is_err()
            && let (Some(notes), Some(real)) = (notes(), &self.real)
        {
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

    fn noted(&self) -> Option<StoreNote> {
        notes()?.find(Kind::Store, &[self.real.as_ref()?.as_os_str()])
    }

    fn note(&self, file: Option<Identity>) {
        let (Some(notes), Some(real)) = (notes(), &self.real) else { return };
        let note =
            StoreNote { version: 1, store: real.to_string_lossy().into_owned(), file, agreed: self.agreed };
        if let Err(why) = notes.note(Kind::Store, &[real.as_os_str()], &note) {
            let why = screen::line(&why);
            screen::say(&format!("warning: the next command will ask whether this store is yours: {why}\n"));
        }
    }

    /// Refuses to use a store of somebody else where the operator does not say so.
    fn consent(&self, command: &str, about: &str) -> Result<(), Exit> {
        let shown = screen::line(&self.path.display().to_string());
        let content = content(&self.path);
        let content = content.map_err(|why| screen::refuse(&format!("{shown}: {}", screen::line(&why))))?;
        if self.digests.hold(&content) {
            return Ok(());
        }
        let warning = format!("{shown} is not a store that you created here: its runs may be anybody's");
        if agrees(&format!(
            "{warning}, and what they do, they do with your rights.\n{about}Continue with it?"
        )) {
            return Ok(());
        }
        screen::say(&format!(
            "{warning}\n{about}look at them with `loopwright runs` and `loopwright show`; to continue with it, run:\n  {command} \
             --trust {content}\n"
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
