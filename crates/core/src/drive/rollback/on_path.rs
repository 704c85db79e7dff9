//! The events of a run on the way it has come, without those that a rollback left.

use super::super::rebuild::path_entries;
use crate::machine::{Event, EventKind};
use crate::port::JournalEntry;

/// The events that count, in order.
#[must_use]
pub fn events_on_path(entries: &[JournalEntry]) -> Vec<&Event> {
    let (mut events, mut before) = (Vec::new(), 0);
    for on_path in path_entries(entries) {
        let Some(entry) = usize::try_from(on_path.entry).ok().and_then(|at| entries.get(at)) else { break };
        let end = events_after(&entry.events, on_path.last - before, on_path.cut);
        events.extend(&entry.events[..end]);
        before = on_path.last;
    }
    events
}

/// The number of an entry's events that lie before the place after so many transitions of the root graph.
pub(super) fn events_after(events: &[Event], transitions: u64, cut: bool) -> usize {
    if !cut {
        return events.len();
    }
    let took = |event: &&Event| event.frame == 0 && matches!(event.kind, EventKind::Took { .. });
    let Some(last) = usize::try_from(transitions).ok().and_then(|n| n.checked_sub(1)) else {
        // After no transition: what began the entry lies before.
        return usize::from(matches!(events.first().map(|e| &e.kind), Some(EventKind::Started { .. })));
    };
    let seq = events.iter().filter(took).nth(last).map(|event| event.seq);
    seq.map_or(events.len(), |seq| events.iter().take_while(|event| event.seq <= seq).count())
}
