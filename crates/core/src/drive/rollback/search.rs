//! Looking for a step of a stored run by what its state was.

use super::super::driver::{DriveError, Driver};
use super::super::rebuild::{follow, in_force, path_entries, stand};
use crate::machine::Snapshot;
use crate::port::StoredRun;

impl Driver {
    /// The latest step on the way a run has come at which something began to hold; none if it never did.
    ///
    /// # Errors
    /// As [`Driver::reopen`].
    pub async fn latest_step_where(
        &self,
        run: &str,
        holds: &dyn Fn(&Snapshot) -> bool,
    ) -> Result<Option<u64>, DriveError> {
        let store = self.stored_in(run)?;
        let first = store.load(run, Some(0)).await?;
        let stored = StoredRun { entries: store.entries(run).await?, ..first };
        let path = path_entries(&stored.entries);
        let mut on_path = path.iter().peekable();
        let (mut number, mut next, mut held, mut found) = (0, 0, false, None);
        let programs = self.programs();
        follow(&programs, &stored, &mut |before, entry| {
            if let Some(rebuilt) = on_path.next_if(|rebuilt| rebuilt.entry == number) {
                // A state whose program is missing is told of by whoever follows.
                let Ok(program) = in_force(&programs, &stored.info, before) else { return };
                let steps = next..=rebuilt.last;
                next = rebuilt.last + 1;
                for step in steps {
                    let Some(state) = stand(program, before.clone(), entry, step) else { continue };
                    let now = holds(&state);
                    if now && !held {
                        found = Some(step);
                    }
                    held = now;
                }
            }
            number += 1;
        })?;
        Ok(found)
    }
}
