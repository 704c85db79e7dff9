//! The system's records of files.

use nix::sys::stat::FileStat;

/// The system's record of a file; equal while nobody changes the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Its disk, and its number there.
    pub(super) file: (u64, u64),
    length: i64,
    changed: [(i64, i64); 2],
}

impl Stamp {
    pub(super) fn of(stat: &FileStat) -> Self {
        Self {
            file: (stat.st_dev, stat.st_ino),
            length: stat.st_size,
            changed: [(stat.st_mtime, stat.st_mtime_nsec), (stat.st_ctime, stat.st_ctime_nsec)],
        }
    }
}
