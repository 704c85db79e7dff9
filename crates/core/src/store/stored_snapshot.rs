//! Snapshots as they are stored.

use super::damage::NOT_WRITTEN;
use super::journal_walk::WalkStart;
use super::row::{Link, entry_of, snapshot_sum};
use crate::machine::{JOURNAL_VERSION, Snapshot};

/// A snapshot that was stored.
pub(super) struct StoredSnapshot {
    pub(super) place: WalkStart,
    pub(super) snapshot: Snapshot,
}

/// A row of `snapshots` as it was found.
pub(super) struct SnapshotRow {
    pub(super) id: i64,
    pub(super) version: u32,
    pub(super) chain: Option<Link>,
    pub(super) sum: i64,
    pub(super) body: Vec<u8>,
}

impl SnapshotRow {
    /// The snapshot, if it is what was written.
    pub(super) fn read(self) -> Result<StoredSnapshot, String> {
        let chain = self.chain.unwrap_or_default();
        if snapshot_sum(self.id, self.version, &chain, &self.body) != self.sum {
            return Err(NOT_WRITTEN.to_owned());
        }
        if self.version != JOURNAL_VERSION {
            return Err(format!("it is written in version {}", self.version));
        }
        let snapshot: Snapshot =
            serde_json::from_slice(&self.body).map_err(|error| format!("it cannot be read: {error}"))?;
        let place = WalkStart { entry: entry_of(self.id), chain, seq: snapshot.seq };
        Ok(StoredSnapshot { place, snapshot })
    }
}
