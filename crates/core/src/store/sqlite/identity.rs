//! The number that tells a store from any other, whatever file it lies in.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;

use super::readers::ReadConnections;
use super::site::Site;
use super::{fault, schema};
use crate::port::StoreError;

/// The header of a store, read before anything else in it is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreIdentity {
    /// The number that it got at random when it was made; none in stores of earlier versions.
    pub number: Option<u32>,
    /// True if its tables were made.
    pub made: bool,
    /// True if there is a run in it.
    pub runs: bool,
}

/// Looks at what a store tells of itself. Nothing is written, and whether the store is whole is not looked at.
///
/// # Errors
/// It is none, or cannot be read.
pub fn mark(path: &Path) -> Result<StoreIdentity, StoreError> {
    let site = Arc::new(Site::to_read(path)?);
    ReadConnections::new(site, false).read(|conn| of(conn).map_err(|error| fault::from(&error)))
}

fn of(conn: &Connection) -> rusqlite::Result<StoreIdentity> {
    let ask = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    let made = ask("SELECT count(*) FROM sqlite_schema")? > 0;
    let listed = ask("SELECT count(*) FROM sqlite_schema WHERE name = 'runs'")? > 0;
    let runs = listed && ask("SELECT EXISTS (SELECT 1 FROM runs)")? > 0;
    Ok(StoreIdentity { number: schema::number(ask("PRAGMA user_version")?), made, runs })
}
