//! Errors of the server and of the way to it, in our words.

use std::error::Error as _;
use std::fmt::Display;
use std::io;

use deadpool_postgres::PoolError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::port::StoreError;
use crate::store::postgres_address::PostgresAddress;

/// The reason for which a piece of work was not done.
#[derive(Debug)]
pub(super) enum WorkError {
    /// It may not be; nothing was written.
    Refused(StoreError),
    /// The server failed or was lost, perhaps after it was done.
    Database(Error),
}

impl From<Error> for WorkError {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for WorkError {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

/// Returns true if the server, or the way to it, is gone and may return.
pub(super) fn is_lost(error: &Error) -> bool {
    match error.code() {
        Some(code) => {
            is_starting(error)
                || [
                    &SqlState::ADMIN_SHUTDOWN,
                    &SqlState::CRASH_SHUTDOWN,
                    &SqlState::TOO_MANY_CONNECTIONS,
                    &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                ]
                .contains(&code)
                || code.code().starts_with("08")
        }
        None => error.is_closed() || is_unreachable(error),
    }
}

/// Returns true if the server is there and answers soon.
pub(super) fn is_starting(error: &Error) -> bool {
    error.code() == Some(&SqlState::CANNOT_CONNECT_NOW)
}

/// Returns true if another transaction stood in the way: it may be tried again at once.
pub(super) fn is_conflict(error: &Error) -> bool {
    [&SqlState::T_R_SERIALIZATION_FAILURE, &SqlState::T_R_DEADLOCK_DETECTED, &SqlState::LOCK_NOT_AVAILABLE]
        .iter()
        .any(|code| error.code() == Some(code))
}

/// Returns true if nobody answered.
fn is_unreachable(error: &Error) -> bool {
    let io = error.source().is_some_and(<dyn std::error::Error>::is::<io::Error>);
    io || error.to_string().starts_with("timeout")
}

/// The error in the words of the server, or of the system.
fn reason(error: &Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(server), _) => match server.detail() {
            Some(detail) => format!("{} ({detail})", server.message()),
            None => server.message().to_owned(),
        },
        (None, Some(source)) => source.to_string(),
        (None, None) => error.to_string(),
    }
}

/// A database that is not opened.
pub(super) fn refused(address: &PostgresAddress, why: impl Into<String>) -> StoreError {
    StoreError::Refused { path: address.to_string(), why: why.into() }
}

/// The error of a database that is opened, with its cure.
pub(super) fn unopened(address: &PostgresAddress, error: &Error) -> StoreError {
    let reason = reason(error);
    let why = match error.code() {
        Some(code) => match code.code() {
            "28P01" | "28000" => format!(
                "the server does not let this user in: {reason}; give a user in the address, and the password in the variable \
                 PGPASSWORD or in ~/.pgpass"
            ),
            "3D000" => format!("{reason}; make it with `createdb`, or name another"),
            "53300" => format!(
                "the server has no connection left: {reason}; close some, or raise its `max_connections`"
            ),
            "57P03" => format!("the server does not answer yet: {reason}; try again"),
            _ => format!("the server refuses: {reason}"),
        },
        None if is_tls(error) => format!(
            "no connection with TLS can be made: {reason}; `sslmode` in the address says what is wanted, `sslrootcert` names the \
             file of an own authority"
        ),
        None if is_unreachable(error) => {
            format!("the server cannot be reached: {reason}; see that it runs, and look at host and port")
        }
        None if reason.contains("password") => {
            "the server wants a password; give it in the variable PGPASSWORD or in ~/.pgpass".to_owned()
        }
        None => format!("the address or the server is not right: {reason}"),
    };
    refused(address, why)
}

/// The error of a database that was open.
pub(super) fn failed(address: &PostgresAddress, error: &Error) -> StoreError {
    match error.code().map(SqlState::code) {
        Some("53100") => StoreError::Full(
            "nothing of the last step was stored; make room on the server and continue".to_owned(),
        ),
        Some("42501") => {
            let why = format!(
                "this user may not do that: {}; who stores runs owns the schema (CREATE SCHEMA {} AUTHORIZATION USER), who only looks \
                 at them has the role `loopwright_reader`",
                reason(error),
                quoted(address.schema())
            );
            refused(address, why)
        }
        // Who only looks writes nothing, so it is the server that only reads.
        Some("25006") => {
            let why = format!(
                "the server only reads ({}); name the one that writes, or only look at the runs: `runs`, `show`, `log`, `doctor`",
                reason(error)
            );
            refused(address, why)
        }
        Some(_) => StoreError::Failed(format!("{address}: the database refuses: {}", reason(error))),
        None => StoreError::Failed(format!("{address}: the database cannot be reached: {}", reason(error))),
    }
}

/// The same for what a pool says.
pub(super) fn of_pool(address: &PostgresAddress, error: &PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) => failed(address, error),
        other => unusable(address, other),
    }
}

/// The error of a pool that hands out no connection.
pub(super) fn unusable(address: &PostgresAddress, error: impl Display) -> StoreError {
    StoreError::Failed(format!("{address}: no connection can be had: {error}"))
}

fn is_tls(error: &Error) -> bool {
    let text = error.to_string();
    text.contains("TLS") || text.contains("tls")
}

/// A name as SQL has it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
