//! The folder of a configuration: the places to which the paths that it names lead.

use std::fs::{self, File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use nix::libc;

use crate::config::PathResolver;
use crate::drive::repository;
use crate::folder::{is_hidden, reason};

/// A folder, with all links in its path followed.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    folder: PathBuf,
    /// The repository that it is part of, or the folder itself: what came along with the configuration.
    root: PathBuf,
}

impl Ground {
    pub(super) fn of(folder: &Path) -> Result<Self, String> {
        let real = fs::canonicalize(folder);
        let folder = real.map_err(|error| format!("{}: {}", folder.display(), reason(&error)))?;
        let root = repository(&folder).to_owned();
        Ok(Self { folder, root })
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Returns true if a real place lies in the folder, and not in a hidden part of it.
    pub(super) fn holds(&self, real: &Path) -> bool {
        real.strip_prefix(&self.folder).is_ok_and(|below| !is_hidden(below))
    }

    /// Returns true if a real place lies in what came along with the configuration.
    pub(super) fn is_beside(&self, real: &Path) -> bool {
        real.starts_with(&self.root)
    }

    /// The real place of a path, wherever its links lead. What is not there yet is taken for what its name says.
    /// [`None`] where a link leads to nothing.
    pub(super) fn real(&self, named: &Path) -> Option<PathBuf> {
        let path = self.folder.join(named);
        let there = path.ancestors().find(|path| fs::symlink_metadata(path).is_ok())?;
        let rest = path.strip_prefix(there).ok()?;
        Some(plain(&fs::canonicalize(there).ok()?, rest))
    }

    /// The place a path leads to, where that is another one than its name says.
    pub(super) fn led(&self, named: &Path) -> Option<String> {
        self.differs(named, self.real(named).as_deref())
    }

    /// The same of a path whose real place was looked up.
    pub(super) fn differs(&self, named: &Path, real: Option<&Path>) -> Option<String> {
        let Some(real) = real else { return Some("nothing".to_owned()) };
        if real == plain(&self.folder, named) {
            return None;
        }
        let below = real.strip_prefix(&self.folder).unwrap_or(real);
        let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        // Two names must not have one description, since the digest covers the description.
        let odd = || format!("(bytes) {}", below.as_os_str().as_bytes().escape_ascii());
        Some(below.to_str().map_or_else(odd, str::to_owned))
    }
}

impl PathResolver for Ground {
    fn inside(&self, named: &str) -> bool {
        self.real(Path::new(named)).is_some_and(|real| self.holds(&real))
    }

    fn leads(&self, named: &str) -> Option<String> {
        self.led(Path::new(named))
    }
}

/// A path below a folder, with `.` and `..` taken out by name.
fn plain(folder: &Path, path: &Path) -> PathBuf {
    let mut whole = folder.to_owned();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}

/// Opens a file to read that is no link, and waits for nobody.
pub(super) fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
}
