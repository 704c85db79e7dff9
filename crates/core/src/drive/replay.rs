//! A stored run made once more from its journal. Nothing outside is in reach: whatever came in is in the journal.

use serde::Serialize;

use super::programs::Programs;
use super::rebuild::{RebuildError, entry_of, in_force, rebuild, stand};
use crate::machine::Snapshot;
use crate::port::{JournalEntry, StoredRun};
use crate::value::{Str, Value, json};

/// A run that went again as it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// The number of entries of the journal were taken; the last one perhaps only in part.
    pub entries: u64,
    /// The number of events came out as they were stored.
    pub events: u64,
    /// The state of the run after them.
    pub snapshot: Snapshot,
    /// BLAKE3 over these events and this state as canonical JSON, a line each, as 64 hex digits. It is the same wherever
    /// and whenever the run is replayed.
    pub digest: Str,
}

/// An error that ends a replay.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReplayError {
    /// Something else happens than happened.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// The run never came to this step, or is not on the way from there any more.
    #[error("the run has not reached step {0}")]
    Step(u64),
}

/// Makes a run again from its first entry on, and compares every event with the one that was stored. `kept` must begin
/// with the first entry, and a run that continued with edited graphs needs all the programs it went by. With `to` it
/// goes only so far as the root graph makes that many transitions.
///
/// # Errors
/// [`ReplayError`] at the first difference.
pub fn replay<'p>(
    programs: impl Into<Programs<'p>>,
    stored: &StoredRun,
    to: Option<u64>,
) -> Result<Replayed, ReplayError> {
    let programs = programs.into();
    let Some(step) = to else {
        let snapshot = rebuild(programs, stored)?;
        return Ok(replayed(&stored.entries, snapshot));
    };
    let missing = ReplayError::Step(step);
    let Some(entry) = entry_of(&stored.entries, step).and_then(|entry| usize::try_from(entry).ok()) else {
        return Err(missing);
    };
    let Some(taken) = stored.entries.get(entry) else { return Err(missing) };
    let mut part = stored.clone();
    // The entry is compared whole before it is taken as far as the step.
    part.entries.truncate(entry + 1);
    let whole = rebuild(programs.clone(), &part)?;
    part.entries.truncate(entry);
    let before = rebuild(programs.clone(), &part)?;
    let program = in_force(&programs, &stored.info, &before)?;
    let snapshot = stand(program, before, taken, step).unwrap_or(whole);
    let made = snapshot.seq;
    let events = taken.events.iter().filter(|event| event.seq < made).cloned().collect();
    part.entries.push(JournalEntry { events, ..taken.clone() });
    Ok(replayed(&part.entries, snapshot))
}

fn replayed(entries: &[JournalEntry], snapshot: Snapshot) -> Replayed {
    let mut hasher = blake3::Hasher::new();
    let mut events = 0;
    for event in entries.iter().flat_map(|entry| &entry.events) {
        events += 1;
        line(&mut hasher, event);
    }
    line(&mut hasher, &snapshot);
    let digest = hasher.finalize().to_hex().as_str().into();
    Replayed { entries: u64::try_from(entries.len()).unwrap_or(u64::MAX), events, snapshot, digest }
}

fn line(hasher: &mut blake3::Hasher, what: &impl Serialize) {
    // Nothing in events and states keeps them from being JSON; were it so, it would be so everywhere.
    let value = serde_json::to_value(what).unwrap_or_default();
    hasher.update(json::canonical(&Value::from_json(&value)).as_bytes());
    hasher.update(b"\n");
}
