//! The folder of a tool, and the way to a file below it.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, SFlag, fstatat, mkdirat};

use super::fault::{FileToolFault, shown};
use crate::folder::{Folder, is_hidden, kind, reason};

/// The deepest path below the folder.
pub(super) const MAX_PARTS: usize = 64;

/// The mode of a folder that is made: for its owner alone.
const OWN_FOLDER: Mode = Mode::S_IRWXU;

/// The folder of a tool. It is opened once: what is put in its place afterwards is another one.
#[derive(Debug)]
pub(super) struct FolderRoot {
    path: PathBuf,
    /// True if there are no links in the path, and a folder that one leads to is not meant.
    exact: bool,
    opened: OnceLock<Folder>,
}

impl FolderRoot {
    /// The folder that a path leads to.
    pub(super) const fn named(path: PathBuf) -> Self {
        Self { path, exact: false, opened: OnceLock::new() }
    }

    /// The folder at a path without links.
    pub(super) const fn exact(path: PathBuf) -> Self {
        Self { path, exact: true, opened: OnceLock::new() }
    }

    pub(super) fn open(&self) -> Result<&Folder, String> {
        if let Some(folder) = self.opened.get() {
            return Ok(folder);
        }
        // A folder that is not there may still be made.
        let folder = Folder::open(&self.path).map_err(|error| reason(&error))?;
        if self.exact && folder.path() != self.path {
            return Err("a link lies in its place".to_owned());
        }
        Ok(self.opened.get_or_init(|| folder))
    }
}

/// A path below the folder, taken apart. It may be empty: that is the folder itself.
#[derive(Debug)]
pub(super) struct InnerPath<'p> {
    pub(super) text: &'p str,
    pub(super) parts: Vec<&'p str>,
}

/// What is done where a folder on the way is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingFolders {
    /// The call fails.
    Refuse,
    /// The folder is made.
    Make,
}

impl<'p> InnerPath<'p> {
    pub(super) fn new(text: &'p str) -> Result<Self, FileToolFault> {
        let outside = || FileToolFault::Outside(shown(text));
        if text.contains('\0') {
            return Err(FileToolFault::Missing(shown(text)));
        }
        let mut parts = Vec::new();
        for component in Path::new(text).components() {
            match component {
                Component::Normal(part) => parts.push(part.to_str().ok_or_else(outside)?),
                Component::CurDir => {}
                _ => return Err(outside()),
            }
        }
        if is_hidden(Path::new(text)) {
            return Err(FileToolFault::Hidden(shown(text)));
        }
        if parts.len() > MAX_PARTS {
            return Err(FileToolFault::Missing(shown(text)));
        }
        Ok(Self { text, parts })
    }

    /// The path with one `/` between its parts.
    pub(super) fn plain(&self) -> String {
        self.parts.join("/")
    }

    /// The folders on the way and the name in the last of them.
    pub(super) fn split(&self) -> Result<(&'p str, &[&'p str]), FileToolFault> {
        let (name, folders) =
            self.parts.split_last().ok_or_else(|| FileToolFault::Missing(shown(self.text)))?;
        Ok((name, folders))
    }

    /// Opens the folder below `root` that some of its parts lead to.
    pub(super) fn open_folders(
        &self,
        root: &Folder,
        parts: &[&str],
        missing: MissingFolders,
    ) -> Result<OwnedFd, FileToolFault> {
        let mut at = step(root.as_fd(), ".", FOLDER).map_err(|error| self.fault(error))?;
        for part in parts {
            let below = match step(at.as_fd(), part, FOLDER) {
                Err(Errno::ENOENT) if missing == MissingFolders::Make => make_folder(at.as_fd(), part),
                other => other,
            };
            at = below.map_err(|error| self.fault(error))?;
        }
        Ok(at)
    }

    /// Opens it as a regular file.
    pub(super) fn open_file(&self, root: &Folder) -> Result<File, FileToolFault> {
        let (name, folders) = self.split()?;
        let at = self.open_folders(root, folders, MissingFolders::Refuse)?;
        regular_file(at.as_fd(), name).map_err(|error| self.fault(error))
    }

    /// The kind of thing that it names, if that is neither a regular file nor a link.
    pub(super) fn is_folder(&self, root: &Folder) -> Result<bool, FileToolFault> {
        let Some((name, folders)) = self.parts.split_last() else { return Ok(true) };
        let at = self.open_folders(root, folders, MissingFolders::Refuse)?;
        Ok(mode_at(at.as_fd(), name).map_err(|error| self.fault(error))? == SFlag::S_IFDIR)
    }

    fn fault(&self, error: Errno) -> FileToolFault {
        fault(self.text, error)
    }
}

/// The fault of opening something below the folder.
pub(super) fn fault(path: &str, error: Errno) -> FileToolFault {
    match error {
        Errno::ELOOP => FileToolFault::Link(shown(path)),
        Errno::ENOENT => FileToolFault::Missing(shown(path)),
        NO_REGULAR_FILE => FileToolFault::NoFile(shown(path)),
        error => {
            let reason = reason(&std::io::Error::from(error));
            FileToolFault::Failed { path: shown(path), done: "opened", reason }
        }
    }
}

const FOLDER: OFlag = OFlag::O_DIRECTORY.union(OFlag::O_RDONLY).union(OFlag::O_CLOEXEC);
const FILE: OFlag = OFlag::O_RDONLY.union(OFlag::O_NONBLOCK).union(OFlag::O_NOCTTY).union(OFlag::O_CLOEXEC);

/// Stands for a thing that is no regular file.
const NO_REGULAR_FILE: Errno = Errno::ENOTSUP;

/// Opens the regular file of a name in a folder. Nothing else is opened where that can be seen before: to open a device may
/// do something; and nothing waits for the other end of a pipe.
pub(super) fn regular_file(at: BorrowedFd<'_>, name: &str) -> Result<File, Errno> {
    match mode_at(at, name)? {
        SFlag::S_IFREG => {}
        SFlag::S_IFLNK => return Err(Errno::ELOOP),
        _ => return Err(NO_REGULAR_FILE),
    }
    let file = File::from(step(at, name, FILE)?);
    let stat = nix::sys::stat::fstat(&file)?;
    if kind(stat.st_mode).is_some() { Err(NO_REGULAR_FILE) } else { Ok(file) }
}

/// Opens the folder of a name in a folder.
pub(super) fn inner_folder(at: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    step(at, name, FOLDER)
}

fn make_folder(at: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    match mkdirat(at, name, OWN_FOLDER) {
        // Somebody else was faster.
        Ok(()) | Err(Errno::EEXIST) => step(at, name, FOLDER),
        Err(error) => Err(error),
    }
}

/// Opens one part below the other. It may not be a link, so nobody can swap one in between a check and its use.
fn step(at: BorrowedFd<'_>, part: &str, flags: OFlag) -> Result<OwnedFd, Errno> {
    openat(at, part, flags | OFlag::O_NOFOLLOW, Mode::empty()).map_err(|error| match error {
        // A link where a folder is wanted counts as "no folder" for the system; tell the two apart.
        Errno::ENOTDIR if mode_at(at, part) == Ok(SFlag::S_IFLNK) => Errno::ELOOP,
        error => error,
    })
}

/// The kind of a thing in a folder; links are not followed.
fn mode_at(at: BorrowedFd<'_>, name: &str) -> Result<SFlag, Errno> {
    let stat = fstatat(at, name, AtFlags::AT_SYMLINK_NOFOLLOW)?;
    Ok(SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT)
}
