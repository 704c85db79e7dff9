//! The run held against what the store has of it.

use super::Run;
use crate::drive::driver::DriveError;
use crate::drive::rebuild::rebuild;
use crate::machine::{Divergence, InputKind, Snapshot};
use crate::port::{EntryCause, JournalEntry, Store, StoredRun};

impl Run {
    /// Builds the state again from what was stored, and compares it with the run. After a way `back`, or an edited
    /// graph, a snapshot was stored; there everything is built again from the beginning, so that the turn is, too.
    pub(super) async fn verify(&self, store: &dyn Store, back: bool) -> Result<(), DriveError> {
        let stored = store.load(&self.id, None).await?;
        if back {
            let entries = store.entries(&self.id).await?;
            if is_whole(&entries) {
                let info = stored.info.clone();
                self.compare(&StoredRun { info, from: 0, snapshot: Snapshot::new(), entries })?;
            }
        }
        self.compare(&stored)
    }

    fn compare(&self, stored: &StoredRun) -> Result<(), DriveError> {
        let built = rebuild(self.driver.programs(), stored)?;
        match Divergence::between(&self.snapshot, &built) {
            None => Ok(()),
            Some(difference) => Err(DriveError::Drifted(Box::new(difference))),
        }
    }
}

/// Returns true if the state can be built from these entries alone.
fn is_whole(entries: &[JournalEntry]) -> bool {
    let begins = |entry: &JournalEntry| matches!(entry.cause, EntryCause::Input(InputKind::Started(_)));
    entries.first().is_some_and(begins)
}
