//! The faults for which a file cannot be had.

use std::io;
use std::path::PathBuf;

use nix::errno::Errno;

/// A fault for which a file cannot be had, in words that follow the file's name and a colon.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// A link leads out of the folder.
    #[error("a link leads out of its folder")]
    Outside,
    /// A link on the way to it leads out of the repository or the working folder.
    #[error("the link {} leads out of {}; name the folder it leads to, {}", link.display(), left.display(), target.display())]
    Astray {
        /// The path of the link.
        link: PathBuf,
        /// The folder that is left.
        left: PathBuf,
        /// The place it leads to.
        target: PathBuf,
    },
    /// It is something else than a regular file.
    #[error("it is {0}")]
    Kind(&'static str),
    /// It is longer than what is read.
    #[error("it has {}; at most {most} are read", length(*.bytes, *.most))]
    TooLarge {
        /// Its length in bytes, as far as they were counted.
        bytes: u64,
        /// The most bytes that are read.
        most: u64,
    },
    /// It is no UTF-8.
    #[error("it is not a UTF-8 text")]
    NoText,
    /// The system refuses.
    #[error("{}", reason(.0))]
    Io(#[from] io::Error),
}

/// The length in words. A file that does not tell its length is only known to be longer than the limit.
fn length(bytes: u64, most: u64) -> String {
    if bytes == most.saturating_add(1) { "more bytes".to_owned() } else { format!("{bytes} bytes") }
}

impl FileFault {
    /// The fault of an open.
    pub(super) fn of(error: io::Error) -> Self {
        if super::is_escape(&error) { Self::Outside } else { Self::Io(error) }
    }
}

/// The reason for which a file could not be read, in words without a number where there are some.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::NotADirectory => "a part of its path is not a folder".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::FileTooLarge => {
            "the file would grow past the limit that is set for it (`ulimit -f`)".to_owned()
        }
        _ if error.raw_os_error() == Some(Errno::ELOOP as i32) => {
            "it is a link that is not followed, or its links form a cycle".to_owned()
        }
        _ if error.raw_os_error() == Some(Errno::EMFILE as i32) => {
            "this process may open no more files (`ulimit -n`)".to_owned()
        }
        _ => error.to_string(),
    }
}
