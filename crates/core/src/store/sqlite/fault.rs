//! Errors of SQLite as store errors.

use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::port::StoreError;
use crate::store::damage::ADVICE;

/// The words of SQLite for a disk that fails.
pub(super) const DISK: &str = "disk I/O error";

/// The message for a file that is no database.
const NO_STORE: &str = "this is not a store: SQLite cannot read it; name another file with `--db`";

/// The words before a fault that SQLite finds in a file.
const DAMAGED: &str = "it is damaged: ";

/// The words before a contradiction in a file.
pub(super) const MALFORMED: &str = "it is malformed, and nothing is written to it";

/// An error of SQLite, in our words where it has a meaning of its own.
pub(super) fn from(error: &Error) -> StoreError {
    match code(error) {
        Some(ErrorCode::DiskFull) => {
            StoreError::Full("nothing of the last step was stored; make room and continue".to_owned())
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let why = "another process is writing in the store for longer than 10 s; if it was stopped, let it go on or end it, \
                       and try again";
            StoreError::Failed(why.to_owned())
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            let why = format!("SQLite cannot read it ({error}); {ADVICE}");
            StoreError::Damaged { what: "the store".to_owned(), why }
        }
        None if misread(error) => {
            let why = format!("a row is none that was written ({error}); {ADVICE}");
            StoreError::Damaged { what: "the store".to_owned(), why }
        }
        _ => StoreError::Failed(format!("the store cannot be read or written: {error}")),
    }
}

/// SQLite's own code, if it was SQLite that failed.
pub(super) const fn code(error: &Error) -> Option<ErrorCode> {
    match error {
        Error::SqliteFailure(failure, _) => Some(failure.code),
        _ => None,
    }
}

/// Returns true if a column holds something that is never written there.
const fn misread(error: &Error) -> bool {
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..)
            | Error::QueryReturnedNoRows
    )
}

/// Returns true if a failure says that what was read is not what was written. A disk that fails once says the same
/// through SQLite.
pub(super) fn is_damage(error: &StoreError) -> bool {
    match error {
        StoreError::Damaged { .. } => true,
        StoreError::Refused { why, .. } => {
            why == NO_STORE || why.starts_with(DAMAGED) || why.starts_with(MALFORMED)
        }
        _ => false,
    }
}

/// A file that is not opened.
pub(super) fn refused(path: &Path, why: impl Into<String>) -> StoreError {
    StoreError::Refused { path: path.display().to_string(), why: why.into() }
}

/// A file that SQLite does not take.
pub(super) fn unreadable(path: &Path, error: &Error) -> StoreError {
    match code(error) {
        Some(ErrorCode::NotADatabase) => refused(path, NO_STORE),
        Some(ErrorCode::CannotOpen) => refused(path, format!("it cannot be opened: {error}")),
        _ => match from(error) {
            StoreError::Damaged { why, .. } => refused(path, format!("{DAMAGED}{why}")),
            StoreError::Failed(why) => refused(path, why),
            other => other,
        },
    }
}
