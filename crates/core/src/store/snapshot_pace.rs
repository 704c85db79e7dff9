//! The pace of snapshots: one is written once it is worth its size.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::json;
use crate::machine::Snapshot;
use crate::port::{Commit, RunStatus, StoreError};
use crate::value::Str;

/// So many bytes of entries are worth a snapshot, whatever its size.
const MIN_BYTES_BETWEEN_SNAPSHOTS: usize = 64 << 10;

/// A snapshot is due once the entries since the last are so many times its size: the file grows by a quarter more at
/// most, and what is built again stays in proportion to the state.
const ENTRIES_TO_SNAPSHOT_RATIO: usize = 4;

/// The paces that are known at a time.
const MAX_PACES: usize = 4096;

/// The paces of the runs that are in progress.
#[derive(Debug, Default)]
pub(super) struct SnapshotPaces(Mutex<FxHashMap<Str, SnapshotPace>>);

/// The bytes that were written of a run since its last snapshot, and the size of that.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SnapshotPace {
    pub(super) since: usize,
    pub(super) last: usize,
}

impl SnapshotPaces {
    /// A snapshot as JSON, if one is due after so many bytes more.
    pub(super) fn due(
        &self,
        run: &str,
        commit: &Commit<'_>,
        bytes: usize,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = matches!(commit.status, RunStatus::Done { .. });
        let mut pace = if ended { paces.remove(run) } else { paces.get(run).copied() }.unwrap_or_default();
        pace.since += bytes;
        let due = commit.whole
            || (!ended
                && pace.since
                    >= MIN_BYTES_BETWEEN_SNAPSHOTS.max(pace.last.saturating_mul(ENTRIES_TO_SNAPSHOT_RATIO)));
        let body = if due { Some(written(commit.snapshot)?) } else { None };
        if let Some(body) = &body {
            pace = SnapshotPace { since: 0, last: body.len() };
        }
        if !ended {
            paces.insert(run.into(), pace);
        }
        Ok(body)
    }

    /// Notes the pace of a run, as the store has it: others may have written snapshots of it since it was noted last.
    pub(super) fn note(&self, run: &str, pace: SnapshotPace) {
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if paces.len() >= MAX_PACES && !paces.contains_key(run) {
            // Runs that are only looked at, or end elsewhere, are not counted for ever. At worst a snapshot comes early.
            paces.clear();
        }
        paces.insert(run.into(), pace);
    }

    /// Forgets the pace of a run that is given back.
    pub(super) fn forget(&self, run: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
    }
}

fn written(snapshot: &Snapshot) -> Result<Vec<u8>, StoreError> {
    json::json(snapshot).map_err(|error| StoreError::Failed(format!("a snapshot cannot be written: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paces_follow_the_store_and_do_not_grow() {
        let paces = SnapshotPaces::default();
        let known = |run: &str| paces.0.lock().expect("nobody panicked").get(run).map(|pace| pace.since);
        paces.note("one", SnapshotPace { since: 1, last: 0 });
        paces.note("one", SnapshotPace { since: 5, last: 0 });
        assert_eq!(known("one"), Some(5), "somebody else drove it in between");
        paces.forget("one");
        assert_eq!(known("one"), None);
        (0..3 * MAX_PACES).for_each(|run| paces.note(&run.to_string(), SnapshotPace::default()));
        assert!(paces.0.lock().expect("nobody panicked").len() <= MAX_PACES);
    }
}
