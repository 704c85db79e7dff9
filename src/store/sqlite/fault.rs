//! What SQLite says, as our errors.

use rusqlite::{Error, ErrorCode};

use crate::port::StoreError;

/// What to do about a damaged file, said with each.
pub(super) const ADVICE: &str = "`loopwright doctor` says what can still be read";

/// The words of SQLite for a disk that fails.
pub(super) const DISK: &str = "disk I/O error";

/// An error of SQLite, in our words where it has a meaning of its own.
pub(super) fn from(error: &Error) -> StoreError {
    match code(error) {
        Some(ErrorCode::DiskFull) => {
            StoreError::Full("nothing of the last step was kept; make room and go on".to_owned())
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

/// Whether a column holds something that is never written there.
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

/// A damaged run.
pub(super) fn damaged_run(run: &str, why: &str) -> StoreError {
    StoreError::Damaged { what: format!("the run `{run}`"), why: format!("{why}; {ADVICE}") }
}
