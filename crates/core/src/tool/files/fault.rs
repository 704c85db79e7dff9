//! The faults of calls of tools over files.

use crate::program::error::ErrorKind;

/// The longest part of a path that a message repeats, in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// A fault for which a call of a tool over files fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileToolFault {
    #[error("`{0}` leaves the folder: write a path inside it, without `..`")]
    Outside(String),
    #[error("`{0}` is a symbolic link or its path contains one; links are not followed")]
    Link(String),
    #[error(
        "`{0}` is hidden: nothing is read or written whose name, or that of a folder on the way, begins with a dot"
    )]
    Hidden(String),
    #[error("there is no file `{0}`")]
    Missing(String),
    #[error("there is no folder `{0}`; write `create_folders: true` to make it")]
    NoFolder(String),
    #[error("`{0}` is not a regular file")]
    NoFile(String),
    #[error("`{path}` is longer than {max} bytes")]
    TooLong { path: String, max: usize },
    #[error("the content of `{path}` has {bytes} bytes; at most {max} are written")]
    ContentTooLong { path: String, bytes: usize, max: usize },
    #[error("`{0}` is not a UTF-8 text")]
    NoText(String),
    #[error("the folder `{path}` holds more than {max} things")]
    TooMany { path: String, max: usize },
    #[error("`{path}` cannot be {done}: {reason}")]
    Failed { path: String, done: &'static str, reason: String },
    #[error("the folder of `{tool}` cannot be opened: {why}")]
    Root { tool: &'static str, why: String },
    #[error("{0}")]
    Argument(String),
    #[error("the search took longer than {0} seconds: name fewer files, or a simpler pattern")]
    TooSlow(u64),
    #[error("the call was given up")]
    GivenUp,
}

impl FileToolFault {
    pub(super) const fn kind(&self) -> ErrorKind {
        match self {
            Self::Outside(_) | Self::Link(_) | Self::Hidden(_) => ErrorKind::Denied,
            Self::TooLong { .. } | Self::ContentTooLong { .. } | Self::TooMany { .. } => ErrorKind::TooLarge,
            Self::Argument(_) => ErrorKind::InvalidArgs,
            Self::TooSlow(_) => ErrorKind::Timeout,
            _ => ErrorKind::ToolFailed,
        }
    }
}

/// A path as a message repeats it.
pub(super) fn shown(path: &str) -> String {
    let mut chars = path.chars();
    let mut text: String =
        chars.by_ref().take(MAX_SHOWN_CHARS).map(|c| if c == '\0' { '\u{fffd}' } else { c }).collect();
    if chars.next().is_some() {
        text.push('…');
    }
    text
}
