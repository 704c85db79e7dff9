//! One folder, and the files that lie below it.
//!
//! Everything is opened through a handle of the folder, so neither `..` nor a link leads out of it, and what somebody
//! puts in its place meanwhile is not looked at. Only regular files are read, at most so many bytes, and each is opened
//! once.

mod fault;
mod links;
mod replace;

use std::fs;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, MetadataExt, OpenOptions, OpenOptionsExt};
use nix::fcntl::OFlag;
use nix::sys::stat::{SFlag, mode_t};

pub use fault::{FileFault, reason};
pub use links::{is_repository, is_shared, refuse_links_out};

/// A folder. Paths are relative to it.
#[derive(Debug)]
pub struct Folder {
    dir: Dir,
    path: PathBuf,
}

/// A thing in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderEntry {
    /// A regular file, or a link to one below the folder.
    File(PathBuf),
    /// A folder, not a link to one.
    Folder(PathBuf),
}

impl Folder {
    /// Opens a folder. The path itself may lead through links.
    ///
    /// # Errors
    /// There is no such folder, or it may not be entered.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(or_here(path))?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self { dir, path })
    }

    /// The folder's path without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the real place of a file, as a path without links.
    ///
    /// # Errors
    /// There is no such file, or a link on the way leads out of the folder.
    pub fn place(&self, path: &Path) -> Result<PathBuf, FileFault> {
        match self.dir.canonicalize(or_here(path)) {
            Ok(place) => Ok(place),
            Err(error) if is_escape(&error) => {
                // A link that names its target from `/` on counts as leaving the folder, though it may come back to it.
                let real = fs::canonicalize(self.path.join(path)).map_err(|_| FileFault::Outside)?;
                real.strip_prefix(&self.path).map(Path::to_owned).map_err(|_| FileFault::Outside)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a regular file to read it.
    ///
    /// # Errors
    /// It is not there, is no regular file, lies outside, or may not be read.
    pub fn file(&self, path: &Path) -> Result<File, FileFault> {
        let place = self.place(path)?;
        // A thing that is no file is not even opened where that can be seen before: to open a device may do something.
        regular(&self.dir.symlink_metadata(&place).map_err(FileFault::of)?)?;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits());
        let file = self.dir.open_with(&place, &options).map_err(FileFault::of)?;
        regular(&file.metadata()?)?;
        Ok(file)
    }

    /// The bytes of a regular file.
    ///
    /// # Errors
    /// As [`Folder::file`]; or it has more than `most` bytes.
    pub fn read(&self, path: &Path, most: u64) -> Result<Vec<u8>, FileFault> {
        let file = self.file(path)?;
        let bytes = file.metadata()?.len();
        if bytes > most {
            return Err(FileFault::TooLarge { bytes, most });
        }
        let mut read = Vec::new();
        // One byte more than allowed: the length may have changed since, and some files do not tell theirs.
        file.take(most.saturating_add(1)).read_to_end(&mut read)?;
        let bytes = u64::try_from(read.len()).unwrap_or(u64::MAX);
        if bytes > most { Err(FileFault::TooLarge { bytes, most }) } else { Ok(read) }
    }

    /// The text of a regular file.
    ///
    /// # Errors
    /// As [`Folder::read`]; or it is no UTF-8.
    pub fn text(&self, path: &Path, most: u64) -> Result<String, FileFault> {
        String::from_utf8(self.read(path, most)?).map_err(|_| FileFault::NoText)
    }

    /// Returns the files and folders in a folder below, sorted. Anything else is left out, and so are links to folders
    /// and links that lead out of this one.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn entries(&self, folder: &Path) -> Result<Vec<FolderEntry>, FileFault> {
        let mut found = Vec::new();
        for entry in self.dir.read_dir(or_here(folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                found.push(FolderEntry::Folder(path));
            } else if kind.is_file() || kind.is_symlink() && self.leads_to_file(&path) {
                found.push(FolderEntry::File(path));
            }
        }
        found.sort_by(|a, b| a.path().cmp(b.path()));
        Ok(found)
    }

    fn leads_to_file(&self, link: &Path) -> bool {
        let place = self.place(link).ok().and_then(|place| self.dir.symlink_metadata(place).ok());
        place.is_some_and(|meta| meta.is_file())
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

impl FolderEntry {
    /// Its path below the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Folder(path) => path,
        }
    }
}

/// The text of the file a path names, which may lie anywhere; a link must not lead out of the folder in which it lies,
/// and none on the [way](refuse_links_out) to it out of its repository.
///
/// # Errors
/// As [`Folder::text`].
pub fn text(path: &Path, most: u64) -> Result<String, FileFault> {
    let (folder, name) = named(path)?;
    Folder::open(folder)?.text(name, most)
}

/// Opens the regular file that a path names; as [`text`].
///
/// # Errors
/// As [`Folder::file`].
pub fn file(path: &Path) -> Result<fs::File, FileFault> {
    let (folder, name) = named(path)?;
    Ok(Folder::open(folder)?.file(name)?.into_std())
}

/// Writes the file a path names; as [`Folder::put`].
///
/// # Errors
/// As [`Folder::put`].
pub fn put(path: &Path, text: &str) -> Result<(), FileFault> {
    let (folder, name) = named(path)?;
    Folder::open(folder)?.put(name, text)
}

/// The folder of a file, by a path that is not empty.
#[must_use]
pub fn of(file: &Path) -> &Path {
    or_here(file.parent().unwrap_or(Path::new("")))
}

/// The folder and the name of a file.
///
/// # Errors
/// The path names a folder.
pub fn split(path: &Path) -> Result<(&Path, &Path), FileFault> {
    let name = path.file_name().ok_or(FileFault::Kind("a folder"))?;
    Ok((of(path), Path::new(name)))
}

/// The folder and the name of a file that a person names.
///
/// # Errors
/// As [`split`] and [`refuse_links_out`].
pub fn named(path: &Path) -> Result<(&Path, &Path), FileFault> {
    let (folder, name) = split(path)?;
    refuse_links_out(folder)?;
    Ok((folder, name))
}

/// The place of a file that one at `from` names: beside it, with `.` and `..` taken out. [`None`] where it is not below the
/// folder that both paths are relative to.
#[must_use]
pub fn beside(from: &Path, path: &Path) -> Option<PathBuf> {
    let mut place = from.parent().map(Path::to_owned).unwrap_or_default();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => place.push(part),
            Component::ParentDir if place.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(place)
}

/// The path of a folder: the system takes no empty one.
fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Returns true if something of a path below a folder is hidden: `.git` and `.env` are the user's, not the author's.
#[must_use]
pub fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| {
        let name = part.as_os_str().to_string_lossy();
        // Two dots begin what a cluster lays beside mounted files.
        matches!(part, Component::Normal(_)) && name.starts_with('.') && !name.starts_with("..")
    })
}

/// Refuses what is no regular file.
fn regular(meta: &Metadata) -> Result<(), FileFault> {
    kind(meta.mode()).map_or(Ok(()), |kind| Err(FileFault::Kind(kind)))
}

/// The kind of a file that is no regular one, by its mode.
#[must_use]
pub fn kind(mode: mode_t) -> Option<&'static str> {
    match SFlag::from_bits_truncate(mode) & SFlag::S_IFMT {
        SFlag::S_IFREG => None,
        SFlag::S_IFDIR => Some("a folder"),
        SFlag::S_IFIFO => Some("a named pipe"),
        SFlag::S_IFSOCK => Some("a socket"),
        SFlag::S_IFBLK | SFlag::S_IFCHR => Some("a device"),
        _ => Some("no regular file"),
    }
}

/// Returns true if this is how a path is refused that leads out of a folder.
fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

#[cfg(test)]
mod tests;
