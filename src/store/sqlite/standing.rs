//! How runs stand, as the writer knows.

use rusqlite::Connection;
use rustc_hash::FxHashMap;

use super::row::RunRow;
use crate::port::Tenure;
use crate::value::Str;

/// The most runs that are known.
const MOST: usize = 16_384;

/// A run as it stands in the file.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) run: RunRow,
    /// Who drives it, or drove it last; how long that still lasts is as it was.
    pub(super) tenure: Option<Tenure>,
}

/// Runs as they stand in the file, so that not every commit has to read them again.
#[derive(Debug, Default)]
pub(super) struct Runs {
    known: FxHashMap<Str, Standing>,
    /// What SQLite says of the file; another number once somebody else has written.
    version: i64,
}

impl Runs {
    /// Forgets what may be otherwise since: for the beginning of a transaction, behind which nobody else writes.
    pub(super) fn look(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let version = conn.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if version != self.version || self.known.len() > MOST {
            self.forget();
        }
        self.version = version;
        Ok(())
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// How a run stands, if that is known. It is no longer.
    pub(super) fn take(&mut self, run: &str) -> Option<Standing> {
        self.known.remove(run)
    }

    /// Knows how a run stands.
    pub(super) fn keep(&mut self, standing: Standing) {
        self.known.insert(standing.run.info.run.clone(), standing);
    }
}
