//! The place of a store: its folder, opened once, and the files that are in it beside each other. Links among them are not
//! followed, and a file that others may write is not taken.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, fchown};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstatat};
use nix::sys::statvfs::{FsFlags, fstatvfs};
use nix::unistd::{AccessFlags, faccessat, geteuid};

use super::fault::refused;
use super::rights;
use super::stamp::Stamp;
use crate::folder;
use crate::port::StoreError;

/// The folder in which runs are stored by default. It is of our own making, and so never a link.
const OWN: &str = ".loopwright";

/// The ends of the names of a store's file and of the files beside it: the log, what its readers share, the journal of
/// the first transaction, and the note of the last commit.
const FILES: [&str; 5] = ["", "-wal", "-shm", "-journal", "-head"];

/// A folder with a store in it.
#[derive(Debug)]
pub(super) struct Site {
    folder: File,
    /// The store as it was named.
    named: PathBuf,
    /// The same without links, as SQLite is given it.
    path: PathBuf,
    /// The name of its file.
    name: OsString,
}

impl Site {
    /// The place of a store that is to be written. Its folder and an empty file are made where there are none, for
    /// their owner alone.
    ///
    /// # Errors
    /// [`StoreError::Refused`].
    pub(super) fn to_write(path: &Path) -> Result<Self, StoreError> {
        let unmade = |error: io::Error| refused(path, format!("it cannot be made: {error}"));
        let folder = folder::of(path);
        DirBuilder::new().recursive(true).mode(0o700).create(folder).or_else(|error| {
            // The rest of the way says better what is in its place.
            if folder.symlink_metadata().is_ok() { Ok(()) } else { Err(unmade(error)) }
        })?;
        let site = Self::open(path)?;
        site.check(true)?;
        site.make().map_err(unmade)?;
        Ok(site)
    }

    /// The place of a store that is only read.
    ///
    /// # Errors
    /// [`StoreError::Refused`].
    pub(super) fn to_read(path: &Path) -> Result<Self, StoreError> {
        let none = || refused(path, "there is no such file");
        folder::of(path).symlink_metadata().map_err(|_| none())?;
        let site = Self::open(path)?;
        if site.look("").is_none() {
            return Err(none());
        }
        site.check(false)?;
        Ok(site)
    }

    fn open(path: &Path) -> Result<Self, StoreError> {
        let folder = folder::of(path);
        let Some(name) = path.file_name() else { return Err(refused(path, "this is not a name of a file")) };
        let mut flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        if folder.file_name().is_some_and(|name| name == OWN) {
            flags |= OFlag::O_NOFOLLOW;
            if folder.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
                return Err(refused(folder, link()));
            }
        }
        let opened = open(folder, flags, Mode::empty());
        let opened = opened.map_err(|error| refused(folder, format!("it cannot be opened: {error}")))?;
        let whole = fs::canonicalize(folder);
        let whole = whole.map_err(|error| refused(folder, format!("it cannot be opened: {error}")))?;
        let site = Self {
            folder: opened.into(),
            named: path.to_owned(),
            path: whole.join(name),
            name: name.to_owned(),
        };
        site.confirm()?;
        Ok(site)
    }

    /// The store as it was named.
    pub(super) fn named(&self) -> &Path {
        &self.named
    }

    /// The store by a path without links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file beside it, as people read it.
    pub(super) fn beside(&self, end: &str) -> PathBuf {
        let mut name = self.named.as_os_str().to_owned();
        name.push(end);
        name.into()
    }

    fn entry(&self, end: &str) -> OsString {
        let mut name = self.name.clone();
        name.push(end);
        name
    }

    /// The system's record of what is in the folder itself: of a link, not of what it leads to.
    pub(super) fn look(&self, end: &str) -> Option<FileStat> {
        fstatat(&self.folder, &*self.entry(end), AtFlags::AT_SYMLINK_NOFOLLOW).ok()
    }

    /// The bytes of a file; nothing if it is not there.
    pub(super) fn length(&self, end: &str) -> Option<u64> {
        self.look(end).map(|stat| u64::try_from(stat.st_size).unwrap_or_default())
    }

    /// Checks that the path still leads to the folder that was opened: what is opened by the path lies there, too.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where it does not.
    pub(super) fn confirm(&self) -> Result<(), StoreError> {
        let own = self.folder.metadata().map(|meta| (meta.dev(), meta.ino())).ok();
        let there = self.path.parent().and_then(|folder| folder.symlink_metadata().ok());
        if own.is_some() && own == there.map(|meta| (meta.dev(), meta.ino())) {
            return Ok(());
        }
        Err(refused(&self.named, "its folder was moved or replaced just now; try again"))
    }

    /// Refuses links, what others may write, and what belongs to somebody else.
    pub(super) fn check(&self, writes: bool) -> Result<(), StoreError> {
        let user = geteuid().as_raw();
        let fixed = !writes && fstatvfs(&self.folder).is_ok_and(|fs| fs.flags().contains(FsFlags::ST_RDONLY));
        let folder = self.folder.metadata().map_err(|error| refused(&self.named, error.to_string()))?;
        if !fixed {
            rights::of_folder(folder::of(&self.named), &folder, user, writes)?;
        }
        let owner = self.look("").map(|stat| stat.st_uid);
        for end in FILES {
            let Some(stat) = self.look(end) else { continue };
            let path = self.beside(end);
            if SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFLNK {
                return Err(refused(&path, link()));
            }
            if let Some(kind) = folder::kind(stat.st_mode) {
                return Err(refused(&path, format!("this is not a store: it is {kind}")));
            }
            if writes {
                rights::to_write(&path, &stat, user)?;
            } else if owner.is_some_and(|owner| stat.st_uid != owner && stat.st_uid != 0) {
                return Err(refused(&path, "it belongs to another user than the store next to it"));
            }
            if !fixed {
                rights::of_file(&path, &stat)?;
            }
        }
        Ok(())
    }

    /// Makes the file if it is not there, and sees to it that it stays.
    fn make(&self) -> io::Result<()> {
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        match openat(&self.folder, &*self.name, flags, Mode::S_IRUSR | Mode::S_IWUSR) {
            Ok(file) => {
                File::from(file).sync_all()?;
                self.sync()
            }
            Err(Errno::EEXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes lasting what was made and removed in the folder.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.folder.sync_all()
    }

    /// Opens a file beside the store to write it, and makes it if there is none; the store's owner has it.
    pub(super) fn open_beside(&self, end: &str) -> Option<File> {
        let flags =
            OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let made = self.look(end).is_none();
        let file = openat(&self.folder, &*self.entry(end), flags, Mode::S_IRUSR | Mode::S_IWUSR).ok()?;
        let file = File::from(file);
        let meta = file.metadata().ok()?;
        if !meta.is_file() || meta.nlink() != 1 {
            return None;
        }
        if made
            && geteuid().is_root()
            && let Some(store) = self.look("").filter(|store| store.st_uid != meta.uid())
        {
            // Else its owner could not keep it up to date.
            fchown(&file, Some(store.st_uid), Some(store.st_gid)).ok()?;
        }
        Some(file)
    }

    /// Reads a small file beside the store: at most so many bytes, nothing if it is not there.
    ///
    /// # Errors
    /// The system's own error.
    pub(super) fn read_beside(&self, end: &str, most: usize) -> io::Result<Option<Vec<u8>>> {
        let file = match self.open_to_read(end) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut bytes = vec![0; most];
        let many = file.read_at(&mut bytes, 0)?;
        bytes.truncate(many);
        Ok(Some(bytes))
    }

    /// Opens a file of the store to read it.
    pub(super) fn open_to_read(&self, end: &str) -> io::Result<File> {
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        Ok(openat(&self.folder, &*self.entry(end), flags, Mode::empty())?.into())
    }

    /// Returns true if the user of this process may write here.
    pub(super) fn may_write(&self) -> bool {
        let may = |name: &Path| faccessat(&self.folder, name, AccessFlags::W_OK, AtFlags::AT_EACCESS).is_ok();
        may(Path::new(".")) && may(Path::new(&self.name))
    }

    /// Returns true if a file is there and not empty.
    pub(super) fn has(&self, end: &str) -> bool {
        self.length(end).is_some_and(|length| length > 0)
    }

    /// The files of the store, and of its log if it has one, as they are now.
    pub(super) fn stamp(&self) -> [Option<Stamp>; 3] {
        ["", "-wal", "-journal"].map(|end| self.look(end).map(|stat| Stamp::of(&stat)))
    }
}

/// The message for a link.
fn link() -> &'static str {
    "this is a link, and a store is not reached through links; remove it, or name another file with `--db`"
}
