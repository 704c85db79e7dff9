//! The writer's cache of run rows.

use rusqlite::Connection;
use rustc_hash::FxHashMap;

use crate::port::LeaseState;
use crate::store::row::RunRow;
use crate::value::Str;

/// The most runs that are known.
const MAX_CACHED_RUNS: usize = 16_384;

/// A run as it is in the file.
#[derive(Debug)]
pub(super) struct CachedRun {
    pub(super) run: RunRow,
    /// The last lease of the run, with the time left when it was read.
    pub(super) lease_state: Option<LeaseState>,
}

/// Runs as they are in the file, so that not every commit has to read them again.
#[derive(Debug, Default)]
pub(super) struct RunCache {
    known: FxHashMap<Str, CachedRun>,
    /// The data version of the file; another number once somebody else has written.
    version: i64,
}

impl RunCache {
    /// Forgets what may be otherwise since: for the beginning of a transaction, after which nobody else writes.
    pub(super) fn look(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let version = conn.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if version != self.version || self.known.len() > MAX_CACHED_RUNS {
            self.forget();
        }
        self.version = version;
        Ok(())
    }

    /// Forgets all rows: another connection may have changed them.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// Takes the cached row of a run out of the cache.
    pub(super) fn take(&mut self, run: &str) -> Option<CachedRun> {
        self.known.remove(run)
    }

    /// Knows the state of a run.
    pub(super) fn keep(&mut self, cached: CachedRun) {
        self.known.insert(cached.run.info.run.clone(), cached);
    }
}
