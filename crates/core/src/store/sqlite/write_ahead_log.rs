//! Room in the log, made ahead.
//!
//! To sync a file that has grown takes up to twice as long as to sync one that has not: its new length is to be stored
//! as well, in the journal of the file system. SQLite lets the log grow with every commit until it begins it anew. So
//! now and then a transaction is written that is longer than the memory for pages, and taken back: what it leaves in
//! the log belongs to nobody, and the next commits are written over it.

use std::sync::Arc;

use rusqlite::Connection;

use super::open;
use super::site::Site;

/// So many commits are made between two looks at the log. Looking has its price: whoever has seen the time of a file is
/// to see that it changes, so the next sync keeps that, too.
const COMMITS_BETWEEN_CHECKS: u32 = 16;

/// The bytes of room that are made: as many as the log has, so that a short run pays little.
const MIN_ROOM_BYTES: u64 = 64 << 10;
const MAX_ROOM_BYTES: u64 = 1 << 20;

/// The log of a store, and how long it was.
#[derive(Debug)]
pub(super) struct WriteAheadLog {
    site: Arc<Site>,
    length: u64,
    /// The counter of `SQLite` for commits of other processes.
    others: i64,
    commits: u32,
}

impl WriteAheadLog {
    /// The log beside a store.
    pub(super) fn of(site: Arc<Site>) -> Self {
        let mut log = Self { site, length: 0, others: 0, commits: 0 };
        log.has_grown();
        log
    }

    /// Counts a commit, and makes room where the log grows.
    ///
    /// # Errors
    /// Where room cannot be made. What was committed is not touched by that.
    pub(super) fn follow(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        self.commits += 1;
        if self.commits < COMMITS_BETWEEN_CHECKS {
            return Ok(());
        }
        self.commits = 0;
        let others = conn.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        let alone = std::mem::replace(&mut self.others, others) == others;
        // Where others write as well, it is their room that it has grown by; to answer that with more would have no end.
        if !self.has_grown() || !alone {
            return Ok(());
        }
        let made = make_room(conn, self.length.clamp(MIN_ROOM_BYTES, MAX_ROOM_BYTES));
        self.has_grown();
        made
    }

    /// Looks how long the log is. One that cannot be seen has not grown.
    fn has_grown(&mut self) -> bool {
        let length = self.site.length("-wal").unwrap_or(0);
        let before = std::mem::replace(&mut self.length, length);
        length > before
    }
}

fn make_room(conn: &Connection, bytes: u64) -> rusqlite::Result<()> {
    // Whoever drives a run waits for this, and needs it less than anybody else who writes.
    open::begin_now(conn)?;
    // What does not fit into memory goes to the log before it is committed.
    let made = conn
        .pragma_update(None, "cache_size", 8)
        .and_then(|()| conn.execute("INSERT INTO snapshots VALUES (-1, 0, x'', 0, zeroblob(?1))", [bytes]));
    // A failure may have taken it back already.
    let back = if conn.is_autocommit() { Ok(()) } else { conn.execute_batch("ROLLBACK") };
    open::remember_pages(conn)?;
    made.and(back)
}
