//! The settings of every connection.

use std::time::Duration;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

/// The time that another process is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Nothing in the file may run code or change the tables.
pub(super) fn harden(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(PATIENCE)?;
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        conn.set_db_config(setting, on)?;
    }
    conn.pragma_update(None, "cell_size_check", true)
}
